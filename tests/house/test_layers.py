"""Every import contract holds, and is broken by an import that it forbids: by that one alone.

Each case adds one module (or one line) to a copy of the sources and runs the import linter on the copy.
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from importlinter import cli

ROOT = Path(__file__).resolve().parents[2]
CONTRACTS: dict[str, str] = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}


class Offence(NamedTuple):
    """One forbidden line in one module, which is made where it is not there yet."""

    contract: str
    module: str
    line: str


# What the design keeps from the core, module by module: none may get lost from the contract.
WORLD = [
    *(
        "time",
        "datetime",
        "asyncio",
        "threading",
        "multiprocessing",
        "subprocess",
        "signal",
        "os",
        "logging",
        "random",
    ),
    *(
        "socket",
        "ssl",
        "http",
        "urllib",
        "aiohttp",
        "httpx",
        "requests",
        "grpc",
        "kubernetes",
        "lightkube",
        "sqlite3",
    ),
]
OFFENCES = [
    # down only
    Offence("layers", "spec.py", "import headrace.decide"),
    Offence("layers", "errors.py", "from headrace import series"),
    Offence("layers", "snapshot.py", "import headrace.verdict"),
    Offence("layers", "memory.py", "import headrace.journal"),
    Offence("layers", "decide/offence.py", "import headrace.simulate"),
    Offence("layers", "decide/offence.py", "import headrace.engines.vllm"),
    Offence("layers", "manifest/offence.py", "import headrace.engines.vllm"),
    Offence("layers", "manifest/offence.py", "import headrace.journal"),
    Offence("layers", "hook.py", "import headrace.manifest"),
    Offence("layers", "documents/offence.py", "import headrace.engine"),
    Offence("layers", "documents.py", "import headrace.hook"),
    Offence("layers", "engines/offence.py", "import headrace.decide"),
    Offence("layers", "lint/offence.py", "import headrace.render"),
    Offence("layers", "render/offence.py", "import headrace.config"),
    Offence("layers", "simulate/offence.py", "import headrace.config"),
    Offence("layers", "simulate/offence.py", "import headrace.observe"),
    Offence("layers", "report/offence.py", "import headrace.observe"),
    Offence("layers", "host/offence.py", "import headrace.act"),
    Offence("layers", "controller/offence.py", "import headrace.gateway"),
    Offence("layers", "testbed/offence.py", "def late() -> None:\n    import headrace.cli"),
    Offence("layers", "helpers.py", "import math"),
    # pure
    *(Offence("pure", "decide/offence.py", f"import {module}") for module in WORLD),
    Offence("pure", "decide/offence.py", "def late() -> None:\n    import asyncio"),
    Offence("pure", "decide/offence.py", "from datetime import datetime"),
    Offence("pure", "simulate/offence.py", "import logging"),
    Offence("pure", "simulate/offence.py", "from os import environ"),
    Offence("pure", "simulate/offence.py", "import os.path"),
    Offence("pure", "spec.py", "import socket"),
    Offence("pure", "verdict.py", "from http.client import HTTPConnection"),
    Offence("pure", "series.py", "import httpx"),
    Offence("pure", "memory.py", "import kubernetes"),
    Offence("pure", "journal.py", "from time import monotonic"),
    Offence("pure", "engines/offence.py", "import urllib.request"),
    Offence("pure", "render/offence.py", "import lightkube"),
    Offence("pure", "lint/offence.py", "import subprocess"),
    Offence("pure", "manifest/offence.py", "import os"),
    Offence("pure", "hook.py", "import time"),
    Offence("pure", "config.py", "import time"),
    # one importer each
    Offence("pydantic", "decide/offence.py", "import pydantic"),
    Offence("pydantic", "spec.py", "from pydantic import BaseModel"),
    Offence("pydantic", "cli/offence.py", "import pydantic_core"),
    Offence("numba", "decide/offence.py", "from numba import njit"),
    Offence("numba", "simulate/fluid.py", "import numba"),
    Offence("numba", "cli/offence.py", "def late() -> None:\n    import llvmlite.binding"),
    Offence("duckdb", "observe/offence.py", "import duckdb"),
    Offence("duckdb", "cli/offence.py", "import duckdb"),
    # independent siblings
    Offence("engines", "engines/offence.py", "import headrace.engines.other"),
    Offence("rules", "lint/rules/offence.py", "import headrace.lint.rules.other"),
]
# What the same contracts must let through: without these, a contract that forbids everything would pass.
ALLOWED = [
    ("config.py", "import pydantic"),
    ("simulate/compiled.py", "import numba"),
    ("simulate/offence.py", "import random"),
    ("observe/database.py", "import duckdb, datetime, os"),
    (
        "cli/offence.py",
        "import asyncio, logging, time, headrace.observe, headrace.simulate.compiled, headrace.config",
    ),
    ("decide/offence.py", "import headrace.memory, headrace.journal, numpy"),
    ("controller/offence.py", "import aiohttp, headrace.act, headrace.decide"),
    ("lint/rules/offence.py", "import headrace.engine, headrace.decide, headrace.manifest, headrace.hook"),
    ("manifest/offence.py", "import headrace.hook, headrace.documents, headrace.engine, headrace.registry"),
    ("hook.py", "import headrace.engine, headrace.documents"),
]

Broken = Callable[[], list[str]]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, with the rooms of the cases that are still to be built."""
    package = tmp_path / "src" / "headrace"
    shutil.copytree(
        ROOT / "src" / "headrace", package, ignore=shutil.ignore_patterns("__pycache__", "assets")
    )
    for room in (
        "act",
        "controller",
        "engines",
        "gateway",
        "host",
        "lint",
        "lint/rules",
        "manifest",
        "render",
        "testbed",
    ):
        (package / room).mkdir(exist_ok=True)
        (package / room / "__init__.py").touch()
    for module in (
        "config",
        "engine",
        "engines/other",
        "engines/vllm",
        "hook",
        "journal",
        "lint/rules/other",
        "memory",
    ):
        source_of(package, f"{module}.py").touch()
    return package


@pytest.fixture
def broken(package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Broken:
    """Ids of the contracts that the import linter finds broken in the copy."""
    # The linter finds the package by name, without an import: put the copy first, forget the real one.
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.delitem(sys.modules, "headrace", raising=False)
    monkeypatch.setenv("COLUMNS", "200")

    def found() -> list[str]:
        passed = (
            cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True) == 0
        )
        printed = capsys.readouterr().out
        states = {key: _state(printed, name) for key, name in CONTRACTS.items()}
        assert None not in states.values(), printed
        assert passed == ("BROKEN" not in states.values()), printed
        return [key for key, state in states.items() if state == "BROKEN"]

    return found


def _state(printed: str, name: str) -> str | None:
    words = [
        line.removeprefix(f"{name} ").split() for line in printed.splitlines() if line.startswith(f"{name} ")
    ]
    return words[0][0] if words and words[0][0] in ("KEPT", "BROKEN") else None


def source_of(package: Path, module: str) -> Path:
    """File that holds the module; one that has grown into a package is meant as well."""
    inside = (package / module).with_suffix("") / "__init__.py"
    return inside if inside.exists() else package / module


def write(package: Path, module: str, line: str) -> None:
    with source_of(package, module).open("a") as file:
        file.write(f"\n{line}\n")


@pytest.mark.parametrize(
    "offence", OFFENCES, ids=lambda offence: f"{offence.module}: {offence.line.split(':')[-1].strip()}"
)
def test_an_offence_breaks_its_contract_alone(package: Path, broken: Broken, offence: Offence) -> None:
    write(package, offence.module, offence.line)
    assert broken() == [offence.contract]


def test_what_the_design_allows_breaks_nothing(package: Path, broken: Broken) -> None:
    for module, line in ALLOWED:
        write(package, module, line)
    assert broken() == []


def test_every_contract_is_tested_by_breaking_it() -> None:
    assert {offence.contract for offence in OFFENCES} == set(CONTRACTS)
