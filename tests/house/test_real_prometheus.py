"""Where there is no Prometheus, its tests are left out by name; CI does not go without by accident."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
def test_plain():
    pass

def test_reads(prometheus_programs):
    assert prometheus_programs.is_dir()
"""
NAME = "tests/test_some.py::test_reads"
TOOLS = ["dirname", "sh"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    (root / "tests").mkdir(parents=True)
    (root / "requirements").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(ROOT / "tests" / "conftest.py", root / "tests")
    shutil.copy(ROOT / "requirements" / "prometheus", root / "requirements")
    (root / "tests" / "test_some.py").write_text(TESTS)
    (root / "pytest.ini").write_text("[pytest]\nmarkers = real_data: .\naddopts = -p no:cacheprovider\n")
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (tmp_path / "bin" / tool).symlink_to(found)
    return root


def with_programs(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("prometheus", "promtool"):
        (folder / name).write_text("#!/bin/sh\nexit 0\n")
        (folder / name).chmod(0o755)


def run(checkout: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Pytest where only `bin` is on the PATH, and the cache is empty unless a test has filled it."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "HEADRACE_", "CI", "XDG_"))
    }
    places = {"PATH": str(checkout.parent / "bin"), "XDG_CACHE_HOME": str(checkout.parent / "cache")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=checkout,
        env=kept | places | {"HEADRACE_DATA": "none"} | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_missing_prometheus_is_one_line_with_the_names_from_workers_too(checkout: Path) -> None:
    ended = run(checkout, "-n", "2")
    assert ended.returncode == 0, ended.stdout
    assert [line for line in ended.stdout.splitlines() if "left out" in line] == [
        f"real Prometheus (requirements/prometheus) not here, left out: {NAME}"
    ]
    assert "1 passed" in ended.stdout.splitlines()[-1]


def test_ci_without_it_fails_and_says_so(checkout: Path) -> None:
    ended = run(checkout, CI="true")
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "CI needs a real Prometheus" in ended.stdout


def test_ci_goes_without_it_when_told_so(checkout: Path) -> None:
    ended = run(checkout, CI="true", HEADRACE_PROMETHEUS="none")
    assert ended.returncode == 0, ended.stdout
    assert NAME in ended.stdout


@pytest.mark.parametrize("place", ["bin", "cache/headrace/debian-prometheus/usr/bin"])
def test_it_is_found_on_the_path_or_in_the_cache(checkout: Path, place: str) -> None:
    with_programs(checkout.parent / place)
    ended = run(checkout, CI="true")
    assert ended.returncode == 0, ended.stdout
    assert "2 passed" in ended.stdout
    assert "left out" not in ended.stdout


def test_a_prometheus_that_does_not_run_is_none(checkout: Path) -> None:
    folder = checkout.parent / "cache" / "headrace" / "debian-prometheus" / "usr" / "bin"
    with_programs(folder)
    (folder / "promtool").write_text("#!/bin/sh\nexit 1\n")
    assert NAME in run(checkout).stdout


APT = """#!/bin/sh
case "$*" in "download prometheus") {download} ;; esac
"""
UNPACK = """#!/bin/sh
mkdir -p "$3/usr/bin"
for name in prometheus promtool; do
    printf '#!/bin/sh\\nexit 0\\n' >"$3/usr/bin/$name"
    chmod 755 "$3/usr/bin/$name"
done
"""


def unpacked(folder: Path, download: str) -> subprocess.CompletedProcess[str]:
    """Runs the script where apt-get and dpkg-deb are ours, and nothing is on the PATH or in the cache."""
    programs = folder / "bin"
    programs.mkdir()
    for tool in [*TOOLS, "cat", "chmod", "id", "mkdir", "mktemp", "mv", "rm"]:
        found = shutil.which(tool)
        assert found
        (programs / tool).symlink_to(found)
    for name, script in (("apt-get", APT.format(download=download)), ("dpkg-deb", UNPACK)):
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    return subprocess.run(
        [ROOT / "requirements" / "prometheus"],
        env={"PATH": str(programs), "XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_debians_package_is_unpacked_into_the_cache(tmp_path: Path) -> None:
    ended = unpacked(tmp_path, "echo package >prometheus_2_amd64.deb")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == f"{tmp_path}/cache/headrace/debian-prometheus/usr/bin\n"
    assert [path.name for path in (tmp_path / "cache" / "headrace").iterdir()] == ["debian-prometheus"]


def test_a_package_that_can_not_be_had_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    ended = unpacked(tmp_path, "exit 100")
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.splitlines()[-1].startswith(
        "headrace: no Prometheus here: its tests will be left out"
    )
    assert list((tmp_path / "cache" / "headrace").iterdir()) == []
