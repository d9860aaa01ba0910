"""Where the real data is missing, its tests are left out by name; CI does not go without by accident."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
TESTS = """
import pytest

def test_plain():
    pass

@pytest.mark.real_data
@pytest.mark.parametrize("n", [1, 2])
def test_marked(n):
    pass

def test_reads(shared_data):
    assert (shared_data / "README.md").is_file()
"""
NAMES = "tests/test_some.py::test_marked, tests/test_some.py::test_reads"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    (root / "tests").mkdir(parents=True)
    shutil.copy(CONFTEST, root / "tests")
    (root / "tests" / "test_some.py").write_text(TESTS)
    (root / "pytest.ini").write_text("[pytest]\nmarkers = real_data: .\naddopts = -p no:cacheprovider\n")
    return root


def run(checkout: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "HEADRACE_DATA", "CI"))
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=checkout,
        env=kept | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )


def with_data(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("data")
    return folder


def test_missing_data_is_one_line_with_the_names_from_workers_too(checkout: Path) -> None:
    ended = run(checkout, "-n", "2")
    assert ended.returncode == 0, ended.stdout
    assert [line for line in ended.stdout.splitlines() if "left out" in line] == [
        f"real data (HEADRACE_DATA) not here, left out: {NAMES}"
    ]
    assert "1 passed" in ended.stdout.splitlines()[-1]


def test_data_beside_the_checkout_is_used(checkout: Path) -> None:
    with_data(checkout.parent / "shared" / "data")
    ended = run(checkout)
    assert ended.returncode == 0, ended.stdout
    assert "4 passed" in ended.stdout
    assert "left out" not in ended.stdout


def test_named_data_is_used(checkout: Path, tmp_path: Path) -> None:
    ended = run(checkout, HEADRACE_DATA=str(with_data(tmp_path / "elsewhere")), CI="true")
    assert ended.returncode == 0, ended.stdout
    assert "4 passed" in ended.stdout


def test_named_data_that_is_missing_fails(checkout: Path) -> None:
    ended = run(checkout, HEADRACE_DATA="nowhere")
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "HEADRACE_DATA=nowhere is not a folder" in ended.stderr


def test_ci_without_data_fails(checkout: Path) -> None:
    ended = run(checkout, CI="true")
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "CI needs the real data" in ended.stderr
    assert "passed" not in ended.stdout


def test_ci_goes_without_data_when_told_so(checkout: Path) -> None:
    ended = run(checkout, CI="true", HEADRACE_DATA="none")
    assert ended.returncode == 0, ended.stdout
    assert NAMES in ended.stdout
