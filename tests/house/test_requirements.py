"""Requirement files: every package pinned with hashes, no address, in step with pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
FILES = ["run.txt", "develop.txt", "lock.txt"]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
GROUPS = PYPROJECT["dependency-groups"]
EXTRAS = [line for name, lines in PROJECT["optional-dependencies"].items() if name != "all" for line in lines]
# What each file must hold, as asked for in pyproject.toml.
ASKED = {
    "run.txt": PROJECT["dependencies"] + EXTRAS + GROUPS["build"] + PYPROJECT["build-system"]["requires"],
    "develop.txt": PROJECT["dependencies"] + EXTRAS + GROUPS["build"] + GROUPS["develop"],
    "lock.txt": GROUPS["lock"],
}
PIN = re.compile(r"[a-z0-9-]+==[0-9][\w.]*( ; [\w '\"=!<>.()]+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def lines_of(name: str) -> list[str]:
    """Lines that pip acts on: everything but comments."""
    text = (ROOT / "requirements" / name).read_text()
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def pins_of(name: str) -> dict[str, Version]:
    """Version of each package in a file."""
    pins = [Requirement(line.rstrip(" \\")) for line in lines_of(name) if PIN.fullmatch(line)]
    return {canonicalize_name(pin.name): Version(next(iter(pin.specifier)).version) for pin in pins}


@pytest.mark.parametrize("name", FILES)
def test_a_file_holds_pins_and_hashes_and_nothing_else(name: str) -> None:
    assert [line for line in lines_of(name) if not (PIN.fullmatch(line) or HASH.fullmatch(line))] == []


@pytest.mark.parametrize("name", FILES)
def test_each_pin_is_followed_by_a_hash(name: str) -> None:
    lines = lines_of(name)
    pins = [number for number, line in enumerate(lines) if PIN.fullmatch(line)]
    assert pins
    assert [lines[number] for number in pins if not HASH.fullmatch([*lines, ""][number + 1])] == []


@pytest.mark.parametrize("name", FILES)
def test_no_address_stands_in_a_file(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text()
    assert re.findall(r"\w+://\S*|^-{1,2}\w\S*|.*@ .*", text, flags=re.MULTILINE) == []


@pytest.mark.parametrize("name", FILES)
def test_what_pyproject_asks_for_is_pinned_within_its_bounds(name: str) -> None:
    pins = pins_of(name)
    for asked in map(Requirement, ASKED[name]):
        assert asked.specifier.contains(pins[canonicalize_name(asked.name)]), f"{asked}: run make lock"


def test_tests_run_on_the_very_versions_that_users_get() -> None:
    assert pins_of("run.txt").items() <= pins_of("develop.txt").items()


def test_the_build_backend_is_pinned_with_what_it_builds() -> None:
    assert "hatchling" in pins_of("run.txt")


def test_the_extra_all_is_all_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    (every,) = map(Requirement, extras["all"])
    assert every.extras == set(extras) - {"all"}
