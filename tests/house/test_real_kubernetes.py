"""Kubernetes' own validation is built whole or not at all; where it can't be, its tests are left out by name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "requirements/kubernetes"
TESTS = """
def test_plain():
    pass

def test_asks(kubernetes_programs):
    assert (kubernetes_programs / "validate-1.34").exists()
"""
NAME = "tests/test_some.py::test_asks"
TOOLS = [
    "cat",
    "chmod",
    "cksum",
    "cp",
    "cut",
    "dirname",
    "env",
    "grep",
    "mkdir",
    "mktemp",
    "mv",
    "nice",
    "rm",
    "rmdir",
    "sed",
    "sh",
    "sleep",
    "tail",
]
# Stands in for Go: notes whom it would ask, and makes files where Go would make programs and unpack modules.
GO = """#!/bin/sh
case "$1" in
env) echo "$PROXIES"; exit 0 ;;
build)
    {build}
    shift
    while [ "$1" != -o ]; do shift; done
    echo program >"$2"
    chmod 755 "$2" ;;
mod)
    {download}
    env >>"$NOTES"
    module=$NOTES.modules/${{4%%@*}}
    mkdir -p "$module/config/crd/bases" "$module/example/prometheus-operator-crd"
    for each in scaledobjects triggerauthentications clustertriggerauthentications; do
        echo definition >"$module/config/crd/bases/keda.sh_$each.yaml"
    done
    for each in prometheusrules podmonitors servicemonitors; do
        echo definition >"$module/example/prometheus-operator-crd/monitoring.coreos.com_$each.yaml"
    done
    printf '\\t"Dir": "%s",\\n' "$module"
    case "$4" in {sums} esac ;;
esac
"""
PINNED = re.findall(r"^(\S+@v\S+) (h1:\S+)$", (ROOT / SCRIPT).read_text(), flags=re.MULTILINE)
SUMS = " ".join(f"""{module}) printf '\\t"Sum": "%s"\\n' '{pinned}' ;;""" for module, pinned in PINNED)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    (root / "requirements").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    shutil.copy(ROOT / SCRIPT, root / "requirements")
    (root / "tests" / "kubernetes").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "conftest.py", root / "tests")
    shutil.copytree(ROOT / "tests" / "kubernetes" / "validate", root / "tests" / "kubernetes" / "validate")
    (root / "tests" / "test_some.py").write_text(TESTS)
    (root / "pytest.ini").write_text("[pytest]\nmarkers = real_data: .\naddopts = -p no:cacheprovider\n")
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, f"the test needs {tool}"
        (tmp_path / "bin" / tool).symlink_to(found)
    return root


def put_go(checkout: Path, *, build: str = "", download: str = "", sums: str = SUMS) -> None:
    program = checkout.parent / "bin" / "go"
    program.write_text(GO.format(build=build, download=download, sums=sums))
    program.chmod(0o755)


def places(checkout: Path) -> dict[str, str]:
    folder = checkout.parent
    return {
        "PATH": str(folder / "bin"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "NOTES": str(folder / "notes"),
        "PROXIES": "",
    }


def run(checkout: Path, *arguments: str, proxies: str = "proxy") -> subprocess.CompletedProcess[str]:
    """The script where only `bin` is on the PATH."""
    return subprocess.run(
        [checkout / SCRIPT, *arguments],
        env=places(checkout) | {"PROXIES": proxies},
        capture_output=True,
        text=True,
        timeout=60,
    )


def run_tests(checkout: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "HEADRACE_", "CI", "XDG_"))
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=checkout,
        env=kept | places(checkout) | {"HEADRACE_DATA": "none", "HEADRACE_PROMETHEUS": "none"} | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )


def cached(checkout: Path) -> list[str]:
    folder = checkout.parent / "cache" / "headrace"
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) if folder.exists() else []


def test_what_is_pinned_is_found() -> None:
    assert len(PINNED) == 2


def test_it_is_built_whole_into_the_cache_and_found_there(checkout: Path) -> None:
    assert run(checkout, "where").returncode == 1
    put_go(checkout)
    ended = run(checkout)
    assert ended.returncode == 0, ended.stderr
    (folder,) = (checkout.parent / "cache" / "headrace").iterdir()
    assert ended.stdout == f"{folder}\n"
    assert sorted(path.name for path in folder.iterdir()) == [
        "complete",
        "definitions",
        "validate-1.34",
        "validate-1.37",
    ]
    assert len(list((folder / "definitions").iterdir())) == 6
    put_go(checkout, build="exit 1")
    assert run(checkout, "where").stdout == ended.stdout
    assert run(checkout).stdout == ended.stdout, "and is not built again"


@pytest.mark.parametrize(
    "edited", [SCRIPT, "tests/kubernetes/validate/create.go", "tests/kubernetes/validate/oldest.sum"]
)
def test_an_edit_of_what_it_is_built_from_builds_it_again(checkout: Path, edited: str) -> None:
    put_go(checkout)
    before = run(checkout).stdout
    with (checkout / edited).open("a") as file:
        file.write("\n")
    assert run(checkout, "where").returncode == 1
    assert run(checkout).stdout not in ("", before)


@pytest.mark.parametrize(
    ("go", "said"),
    [
        (None, "put Go 1.26 or newer on the PATH"),
        (
            {"build": "echo 'go.mod requires go >= 1.27' >&2; exit 1"},
            "go build for 1.37: go.mod requires go >= 1.27",
        ),
        ({"build": "case $* in *oldest*) echo no >&2; exit 1 ;; esac"}, "go build for 1.34: no"),
        (
            {"download": "echo refused; exit 1"},
            "go mod download github.com/kedacore/keda/v2@v2.21.0: refused",
        ),
        ({"sums": """*) printf '\\t"Sum": "h1:other="\\n' ;;"""}, "is not what it was"),
    ],
    ids=["no Go", "too old", "second fails", "no proxy", "other content"],
)
def test_what_can_not_be_had_is_one_sentence_and_leaves_nothing(
    checkout: Path, go: dict[str, str] | None, said: str
) -> None:
    if go is not None:
        put_go(checkout, **go)
    ended = run(checkout)
    assert ended.returncode == 1
    assert ended.stdout == ""
    last = ended.stderr.splitlines()[-1]
    assert last.startswith(
        "headrace: no validation by Kubernetes' own code here: its tests will be left out; "
    )
    assert said in last
    assert cached(checkout) == []


@pytest.mark.parametrize(
    ("proxies", "asked"),
    [
        ("https://proxy,direct", "https://proxy"),
        ("https://one|https://two|direct", "https://one|https://two"),
        ("direct", "off"),
        ("", "off"),
    ],
)
def test_only_the_proxy_is_asked(checkout: Path, proxies: str, asked: str) -> None:
    put_go(checkout)
    assert run(checkout, proxies=proxies).returncode == 0
    noted = (checkout.parent / "notes").read_text().splitlines()
    assert {line for line in noted if line.startswith("GOPROXY=")} == {f"GOPROXY={asked}"}
    assert {"GOVCS=*:off", "GONOPROXY=none", "GOPRIVATE=", "GOSUMDB=off"} <= set(noted)


def test_two_at_once_end_with_one_whole_folder(checkout: Path) -> None:
    put_go(checkout, build="sleep 0.2")
    with ThreadPoolExecutor(4) as callers:
        ended = list(callers.map(lambda _: run(checkout), range(4)))
    assert {each.returncode for each in ended} == {0}, [each.stderr for each in ended]
    assert len({each.stdout for each in ended}) == 1
    assert len(cached(checkout)) == 1 + 4 + 6
    assert (Path(ended[0].stdout.strip()) / "validate-1.37").read_text() == "program\n"


def test_one_that_is_stopped_leaves_nothing_that_would_be_used(checkout: Path) -> None:
    put_go(checkout, build="kill -TERM $PPID; sleep 0.1; exit 1")
    assert run(checkout).returncode == 1
    assert run(checkout, "where").returncode == 1
    assert cached(checkout) == []


def test_without_it_its_tests_are_one_line_with_the_names_from_workers_too(checkout: Path) -> None:
    ended = run_tests(checkout, "-n", "2")
    assert ended.returncode == 0, ended.stdout
    assert [line for line in ended.stdout.splitlines() if "left out" in line] == [
        f"Kubernetes' own validation ({SCRIPT}) not here, left out: {NAME}"
    ]
    assert "1 passed" in ended.stdout.splitlines()[-1]


def test_ci_does_not_go_without_it_unless_told_so(checkout: Path) -> None:
    ended = run_tests(checkout, CI="true")
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "CI needs Kubernetes' own validation" in ended.stdout
    told = run_tests(checkout, CI="true", HEADRACE_KUBERNETES="none")
    assert told.returncode == 0, told.stdout
    assert NAME in told.stdout


def test_where_it_is_its_tests_run(checkout: Path) -> None:
    put_go(checkout)
    assert run(checkout).returncode == 0
    ended = run_tests(checkout, CI="true")
    assert ended.returncode == 0, ended.stdout
    assert "2 passed" in ended.stdout
    assert "left out" not in ended.stdout
