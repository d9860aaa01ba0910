"""`headrace render`: a stream or files, nothing overwritten unasked, each mistake in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from headrace.cli import main, rendered
from headrace.cli.render import FORMS, PARTS
from headrace.render import FORMS as MADE_FORMS
from headrace.render import PARTS as MADE_PARTS

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "serve.yaml"


def kinds(text: str) -> list[str]:
    return [document["kind"] for document in yaml.safe_load_all(text)]


def test_the_help_names_what_there_is() -> None:
    assert FORMS == MADE_FORMS
    assert PARTS == MADE_PARTS


def test_a_stream_for_kubectl(run: Callable[..., Any]) -> None:
    ended = run("render", f"{EXAMPLE}#llama-70b")
    assert ended.code == 0
    assert ended.err == ""
    assert kinds(ended.out) == [
        *(
            "Deployment",
            "Service",
            "PodDisruptionBudget",
            "HorizontalPodAutoscaler",
            "PrometheusRule",
            "ConfigMap",
        )
    ]
    both = run("render", EXAMPLE)
    assert both.out.startswith(ended.out)
    assert "ScaledObject" in kinds(both.out)


@pytest.mark.parametrize(
    ("only", "found"),
    [
        ("pdb", ["PodDisruptionBudget"]),
        ("rules, service", ["Service", "PrometheusRule"]),
        ("gitops", ["Application", "Kustomization", "HelmRelease"]),
    ],
)
def test_some_parts(run: Callable[..., Any], only: str, found: list[str]) -> None:
    assert kinds(run("render", f"{EXAMPLE}#code", "--only", only).out) == found


def test_a_newer_cluster(run: Callable[..., Any]) -> None:
    place = f"{EXAMPLE}#llama-70b"
    assert "tolerance:" not in run("render", place, "--only", "autoscaler").out
    assert "tolerance:" in run("render", place, "--only", "autoscaler", "--kubernetes", "v1.36.3").out


def test_files(run: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    ended = run("render", f"{EXAMPLE}#llama-70b", "--out-dir", folder)
    assert ended.code == 0
    written = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert written == [
        *("dashboard.json", "dashboard.yaml", "deployment.yaml", "gitops/argocd-application.yaml"),
        *("gitops/flux-helmrelease.yaml", "gitops/flux-kustomization.yaml", "hpa.yaml", "pdb.yaml"),
        *("rules.yaml", "service.yaml"),
    ]
    assert sorted(ended.out.splitlines()) == [str(folder / name) for name in written]
    assert json.loads((folder / "dashboard.json").read_text())["title"] == "headrace: llama-70b"


def test_several_fleets_have_folders_of_their_own(run: Callable[..., Any], tmp_path: Path) -> None:
    assert run("render", EXAMPLE, "--form", "kustomize", "--out-dir", tmp_path).code == 0
    for name in ("llama-70b", "code"):
        tree = yaml.safe_load((tmp_path / name / "kustomization.yaml").read_text())
        for path in tree["resources"]:
            assert (tmp_path / name / path).exists()


def test_nothing_is_overwritten_unasked(run: Callable[..., Any], tmp_path: Path) -> None:
    place = f"{EXAMPLE}#llama-70b"
    run("render", place, "--out-dir", tmp_path)
    assert run("render", place, "--out-dir", tmp_path).out.count("(unchanged)") == 10
    mine, removed = tmp_path / "pdb.yaml", tmp_path / "service.yaml"
    mine.write_text("mine\n")
    removed.unlink()
    refused = run("render", place, "--out-dir", tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        f"error: {mine}: is there already and says something else; --force overwrites it\n"
    )
    assert mine.read_text() == "mine\n"
    assert not removed.exists()  # none is written before all may be
    assert run("render", place, "--out-dir", tmp_path, "--force").code == 0
    assert "maxUnavailable" in mine.read_text()
    assert removed.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--form", "kustomise"],
            '--form: "kustomise" is not one of plain, kustomize, helm; did you mean kustomize?',
        ),
        (["--form", "kustomize"], "--form kustomize: is several files; give --out-dir"),
        (
            ["--form", "helm", "--patch"],
            "--patch: values have no Deployment to patch; leave out --patch or --form helm",
        ),
        (["--patch", "--only", "pdb"], "--patch: is of the Deployment, which --only leaves out"),
        (["--force"], "--force: overwrites files in a directory; give --out-dir"),
        (["--kubernetes", "new"], '--kubernetes: "new" is not a release; write one such as 1.34'),
        (["--kubernetes", "1.9"], '--kubernetes: "1.9" is below the oldest that is written for, 1.27'),
        (
            ["--only", "hpa"],
            '--only: "hpa" is not one of deployment, service, pdb, autoscaler, rules, dashboard, gitops',
        ),
        (
            ["--only", "pdb,"],
            '--only: "" is not one of deployment, service, pdb, autoscaler, rules, dashboard, gitops',
        ),
    ],
)
def test_a_wrong_option(run: Callable[..., Any], arguments: list[str], sentence: str) -> None:
    ended = run("render", f"{EXAMPLE}#code", *arguments)
    assert (ended.code, ended.out, ended.err) == (2, "", f"error: {sentence}\n")


def test_a_plan_names_the_key_that_is_missing(run: Callable[..., Any]) -> None:
    place = ROOT / "examples" / "llama-70b.yaml"
    ended = run("render", place)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"error: {place}, line 5: spec.server: is missing; write what runs in a replica, at least image, model and "
        "cache (docs/config.md)\n"
    )


def test_which_fleet_of_a_file(run: Callable[..., Any], tmp_path: Path) -> None:
    ended = run("render", f"{EXAMPLE}#chat")
    assert ended.err == f'error: {EXAMPLE}: holds no fleet "chat"; it holds llama-70b, code\n'
    values = run("render", EXAMPLE, "--form", "helm")
    assert values.code == 2
    assert f"name it, as {EXAMPLE}#llama-70b" in values.err
    fixed = tmp_path / "f.yaml"
    fixed.write_text(EXAMPLE.read_text().replace("min: 2\n    max: 24", "min: 2\n    max: 2"))
    nobody = run("render", f"{fixed}#llama-70b", "--only", "autoscaler,gitops")
    assert (nobody.code, nobody.out) == (2, "")
    assert "has no autoscaler and no gitops: nobody scales it" in nobody.err


def test_a_folder_that_cannot_be_made(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = run("render", f"{EXAMPLE}#code", "--out-dir", tmp_path / "file" / "below")
    assert ended.code == 2
    assert ended.err.startswith(f"error: {tmp_path / 'file' / 'below'}")
    assert len(ended.err.splitlines()) == 1


def test_values_of_one_fleet(run: Callable[..., Any]) -> None:
    tree = yaml.safe_load(run("render", f"{EXAMPLE}#code", "--form", "helm").out)["headrace"]
    stream = run("render", f"{EXAMPLE}#code").out
    deployment = next(d for d in yaml.safe_load_all(stream) if d["kind"] == "Deployment")["spec"]
    pod = deployment["template"]["spec"]
    assert tree["deployment"]["strategy"] == deployment["strategy"]
    assert tree["pod"]["terminationGracePeriodSeconds"] == pod["terminationGracePeriodSeconds"]
    assert {**tree["container"], "name": "server"} == pod["containers"][0]
    assert tree["volumes"] == pod["volumes"]
    assert tree["autoscaler"]["kind"] == "ScaledObject"
    assert tree["podDisruptionBudget"]["maxUnavailable"] == 1


def test_help_takes_nothing_long_to_import() -> None:
    assert main(["render", "--help"]) == 0
    assert rendered.OLDEST == (1, 27)
