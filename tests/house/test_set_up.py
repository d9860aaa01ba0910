"""Setting up: the newest fitting Python is taken, and a machine without one is told so in one line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ["basename", "cat", "date", "dirname", "grep", "sh", "tail"]
# Stands in for an interpreter: says that it fits, and ends with 7 where it would make an environment.
FITS = '#!/bin/sh\ncase "$*" in *"-m venv"*) exit 7 ;; *--version*) echo "Python {version}" ;; esac\n'
TOO_OLD = '#!/bin/sh\ncase "$*" in *version_info*) exit 1 ;; esac\n'
WITHOUT_VENV = '#!/bin/sh\ncase "$*" in *ensurepip*) exit 1 ;; esac\n'
EMPTY_SHIM = "#!/bin/sh\nexit 127\n"


def install(folder: Path, pythons: dict[str, str], python: str = "") -> subprocess.CompletedProcess[str]:
    """Runs requirements/install where these programs are the only Pythons."""
    programs = folder / "bin"
    programs.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, f"the test needs {tool}"
        (programs / tool).symlink_to(found)
    for name, script in pythons.items():
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    return subprocess.run(
        [ROOT / "requirements" / "install", folder / "venv", "requirements/run.txt"],
        cwd=ROOT,
        env={"PATH": str(programs), "PYTHON": python},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    "pythons",
    [{}, {"python3": TOO_OLD}, {"python3.12": EMPTY_SHIM, "python3": TOO_OLD}],
    ids=["none", "too old", "empty shim"],
)
def test_without_a_fitting_python_one_line_says_so(tmp_path: Path, pythons: dict[str, str]) -> None:
    ended = install(tmp_path, pythons)
    assert ended.returncode == 1
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert "needs Python 3.11 to 3.14" in line


def test_python_without_venv_is_told_what_to_install(tmp_path: Path) -> None:
    ended = install(tmp_path, {"python3": WITHOUT_VENV})
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith("headrace: python3 lacks the venv module")


@pytest.mark.parametrize(
    ("pythons", "taken"),
    [
        ({"python3": "3.12.1"}, "3.12.1"),
        ({"python3": "3.11.2", "python3.13": "3.13.5"}, "3.13.5"),
        ({"python3.11": "3.11.2", "python3.14": "3.14.0", "python3.13": "3.13.5"}, "3.14.0"),
    ],
)
def test_the_newest_is_taken(tmp_path: Path, pythons: dict[str, str], taken: str) -> None:
    ended = install(tmp_path, {name: FITS.format(version=version) for name, version in pythons.items()})
    assert ended.returncode == 7
    assert ended.stdout.endswith(f"with Python {taken}\n")


def test_what_does_not_fit_is_passed_over(tmp_path: Path) -> None:
    pythons = {
        "python3.14": EMPTY_SHIM,
        "python3.13": WITHOUT_VENV,
        "python3.12": FITS.format(version="3.12.1"),
    }
    assert install(tmp_path, pythons).stdout.endswith("with Python 3.12.1\n")


def test_a_python_that_is_named_is_taken_or_refused(tmp_path: Path) -> None:
    pythons = {
        "python3.14": FITS.format(version="3.14.0"),
        "mine": FITS.format(version="3.12.1"),
        "old": TOO_OLD,
    }
    assert install(tmp_path, pythons, python="mine").stdout.endswith("with Python 3.12.1\n")
    shutil.rmtree(tmp_path / "bin")
    assert "and old is not that here" in install(tmp_path, pythons, python="old").stderr


def test_make_alone_lists_every_target() -> None:
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert phony
    # What an outer make says to its own (how many jobs, dry run) is not for this one.
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    listed = subprocess.run(["make"], cwd=ROOT, env=outside, capture_output=True, text=True, timeout=60)
    assert [line.split()[:2] for line in listed.stdout.splitlines()] == [
        ["make", name] for name in phony[1].split()
    ]
