"""`headrace lint` as it is typed: what it reads, shows, writes, how it ends, and what it refuses in one sentence."""

from __future__ import annotations

import gc
import io
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.lint.manifests import deployment

from headrace.cli import main

BAD = deployment("strategy: {type: Recreate}")
HELM = "---\n# Source: chart/templates/a.yaml\n{}\n---\n# Source: chart/templates/b.yaml\n{}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(monkeypatch: pytest.MonkeyPatch, content: str | bytes) -> None:
    raw = content.encode() if isinstance(content, str) else content
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def rules_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, str]]:
    main(["lint", "--format", "json", *arguments])
    return [(row["rule"], row["file"]) for row in json.loads(capsys.readouterr().out)["findings"]]


def test_a_file_a_folder_and_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "k8s" / "deep").mkdir(parents=True)
    (folder / "k8s" / "a.yaml").write_text(BAD)
    (folder / "k8s" / "deep" / "b.yml").write_text(BAD)
    (folder / "k8s" / "notes.txt").write_text(BAD)
    (folder / "k8s" / ".git").mkdir()
    (folder / "k8s" / ".git" / "c.yaml").write_text(BAD)
    assert main(["lint", "k8s/a.yaml"]) == 1
    assert "k8s/a.yaml:6:20: warning: Recreate" in capsys.readouterr().out
    assert {file for _, file in rules_of(capsys, "k8s")} == {"k8s/a.yaml", "k8s/deep/b.yml"}
    typed(monkeypatch, BAD)
    assert {file for _, file in rules_of(capsys, "-")} == {"<stdin>"}
    typed(monkeypatch, HELM.format(BAD, BAD))
    assert {file for _, file in rules_of(capsys, "-")} == {"chart/templates/a.yaml", "chart/templates/b.yaml"}
    assert len(rules_of(capsys, "k8s/a.yaml", "k8s/a.yaml", "./k8s/a.yaml")) == len(
        rules_of(capsys, "k8s/a.yaml")
    )


def test_files_of_one_folder_are_read_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    budget = (
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec:\n  maxUnavailable: 1\n"
    )
    for name in ("one", "two"):
        (folder / name).mkdir()
    (folder / "one" / "a.yaml").write_text(BAD)
    (folder / "two" / "pdb.yaml").write_text(f"{budget}  selector: {{matchLabels: {{app: llama}}}}\n")
    assert ("pdb-none", "one/a.yaml") in rules_of(capsys, "one", "two")
    (folder / "one" / "pdb.yaml").write_text(f"{budget}  selector: {{matchLabels: {{app: llama}}}}\n")
    assert ("pdb-none", "one/a.yaml") not in rules_of(capsys, "one", "two")


def test_how_it_ends(folder: Path) -> None:
    (folder / "bad.yaml").write_text(BAD)
    (folder / "good.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
    assert main(["lint", "good.yaml"]) == 0
    assert main(["lint", "bad.yaml"]) == 1
    assert main(["lint", "--fail-on", "never", "bad.yaml"]) == 0
    assert main(["lint", "--select", "pdb", "bad.yaml"]) == 0, "an info does not fail"
    assert main(["lint", "--select", "pdb", "--fail-on", "info", "bad.yaml"]) == 1
    assert main(["lint", "--select", "strategy", "--fail-on", "error", "bad.yaml"]) == 0
    assert gc.isenabled()


def test_choosing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.yaml").write_text(BAD)
    everything = {rule for rule, _ in rules_of(capsys, "a.yaml")}
    assert {"strategy-recreate", "drain-no-prestop", "pdb-none"} <= everything
    assert {rule for rule, _ in rules_of(capsys, "--select", "strategy-recreate", "a.yaml")} == {
        "strategy-recreate"
    }
    assert {rule for rule, _ in rules_of(capsys, "--ignore", "drain,pdb", "a.yaml")} == {
        rule for rule in everything if not rule.startswith(("drain", "pdb"))
    }
    assert "pdb-none" not in {rule for rule, _ in rules_of(capsys, "--severity", "warning", "a.yaml")}
    assert "pdb-none" not in {rule for rule, _ in rules_of(capsys, "--confidence", "high", "a.yaml")}


def test_what_is_told_beside_the_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    probe = "startupProbe:\n  httpGet: {path: /health, port: 8000}\n  failureThreshold: 60"
    (folder / "a.yaml").write_text(deployment(container=probe))
    (folder / "fleet.yaml").write_text(
        "apiVersion: headrace.dev/v1alpha1\nkind: ModelFleet\nmetadata: {name: llama}\n"
        "spec: {capacity: {slots: 64}, scale: {max: 8, drain: 10m}, start: 10m}\n"
    )
    assert "probe-startup-budget" not in {rule for rule, _ in rules_of(capsys, "a.yaml")}
    assert "probe-startup-budget" in {rule for rule, _ in rules_of(capsys, "--start-up", "5m", "a.yaml")}
    assert "probe-startup-budget" in {rule for rule, _ in rules_of(capsys, "--fleet", "fleet.yaml", "a.yaml")}
    main(["lint", "--fleet", "fleet.yaml", "--select", "drain-grace-too-short", "a.yaml"])
    assert "terminationGracePeriodSeconds: 650" in capsys.readouterr().out, "N of the fleet"


def test_what_is_not_rendered_or_readable_is_said_and_the_rest_linted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n"
    (folder / "a.yaml").write_text(f"{template}---\n{BAD}---\na: [\n")
    found = dict(rules_of(capsys, "a.yaml"))
    assert {"not-rendered", "not-readable", "strategy-recreate"} <= set(found)
    main(["lint", "a.yaml"])
    shown = capsys.readouterr().out
    assert "a.yaml:4:" in shown
    assert "helm template" in shown
    (folder / "b.yaml").write_bytes(b"a: \xff\n")
    assert dict(rules_of(capsys, "b.yaml")) == {"not-readable": "b.yaml"}


def test_the_other_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.yaml").write_text(BAD)
    assert main(["lint", "--format", "github", "a.yaml"]) == 1
    assert "::error file=a.yaml,line=" in capsys.readouterr().out
    assert main(["lint", "--format", "sarif", "a.yaml"]) == 1
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"]


def test_a_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.yaml").write_text(BAD)
    assert main(["lint", "--write-baseline", "b.json", "a.yaml"]) == 0
    assert main(["lint", "--baseline", "b.json", "a.yaml"]) == 0
    (folder / "a.yaml").write_text("# moved\n" + BAD.replace("v0.19.0", "latest"))
    capsys.readouterr()
    main(["lint", "--baseline", "b.json", "a.yaml"])
    assert "start-image-floats" in capsys.readouterr().out


def test_a_patch_changes_nothing_and_write_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + BAD.replace("\n", "\r\n").encode())
    path.chmod(0o640)
    before = path.read_bytes()
    assert main(["lint", "--fix", "a.yaml"]) == 0
    patch = capsys.readouterr().out
    assert patch.startswith("--- a/a.yaml\n+++ b/a.yaml\n@@ ")
    assert path.read_bytes() == before
    assert main(["lint", "--fix", "--write", "a.yaml"]) == 0
    assert "a.yaml: " in capsys.readouterr().out
    now = path.read_bytes()
    assert now.startswith(b"\xef\xbb\xbf")
    assert b"terminationGracePeriodSeconds: 350\r\n" in now
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(each.name for each in folder.iterdir()) == ["a.yaml"], "nothing is left behind"
    assert main(["lint", "--fix", "--write", "a.yaml"]) == 0
    assert capsys.readouterr().out == "nothing to mend\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "names no file or folder"),
        (["missing.yaml"], "missing.yaml: can't be read: no such file or directory"),
        (["empty"], "holds no manifest"),
        (["--format", "xml", "a.yaml"], '--format: "xml" is not one of text, json, sarif, github'),
        (["--select", "drian", "a.yaml"], "did you mean drain?"),
        (["--ignore", "nope", "a.yaml"], '--ignore: "nope" is not one of'),
        (["--severity", "fatal", "a.yaml"], "--severity"),
        (["--fail-on", "always", "a.yaml"], "--fail-on"),
        (["--confidence", "sure", "a.yaml"], "--confidence"),
        (["--start-up", "5", "a.yaml"], "--start-up"),
        (["--accelerators", "many", "a.yaml"], "--accelerators"),
        (["--tokens-per-request", "-1", "a.yaml"], "--tokens-per-request"),
        (["--write", "a.yaml"], "--write: goes with --fix"),
        (["--fix", "--format", "json", "a.yaml"], "--fix: prints a patch"),
        (["--baseline", "missing.json", "a.yaml"], "missing.json: can't be read"),
        (["--baseline", "a.yaml", "a.yaml"], "is no baseline"),
        (["--write-baseline", "no/where.json", "a.yaml"], "can't be written"),
        (["--fleet", "missing.yaml", "a.yaml"], "missing.yaml"),
        (["--explain", "drain-no-prestpo"], "did you mean drain-no-prestop?"),
    ],
)
def test_what_can_not_be_used_is_said_in_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    (folder / "a.yaml").write_text(BAD)
    (folder / "empty").mkdir()
    assert main(["lint", *arguments]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.count("\n") == 1
    assert not said.out


def test_rules_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--list-rules"]) == 0
    assert "drain-no-prestop" in capsys.readouterr().out
    assert main(["lint", "--explain", "drain-no-prestop"]) == 0
    page = capsys.readouterr().out
    assert "Why:" in page
    assert "Bad:" in page


def test_a_file_is_linted_without_the_heavy_libraries(folder: Path) -> None:
    (folder / "a.yaml").write_text(BAD)
    code = (
        "import sys; from headrace.cli import main; main(['lint', 'a.yaml'])\n"
        "print(sorted({'numpy', 'pydantic', 'aiohttp', 'duckdb', 'numba'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stderr.strip() == "[]"
