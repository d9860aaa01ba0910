"""How the tests of the command line run it: in this process, with a kernel cache of their own that stays empty."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from headrace.cli import main


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Ended]:
    """Runs ``headrace ARGUMENT…``; small jobs are interpreted, since no compiled kernel is kept here."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def ended(*arguments: object) -> Ended:
        code = main([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return ended


def demand_at(step: int) -> float:
    """A day's wave with a little unrest, 5 to 15 requests/s, five minutes a step."""
    return 10.0 + 4.0 * math.sin(step * math.tau / 288) + math.sin(step * 1.7)


@pytest.fixture
def history(tmp_path: Path) -> Callable[..., Path]:
    """Writes a history: four days of five-minute rows unless `rows` are given."""

    def written(rows: Sequence[Any] | None = None, name: str = "demand.csv", head: str = "ts,rps") -> Path:
        path = tmp_path / name
        if rows is None:
            rows = [f"{1_700_000_000 + 300 * step},{demand_at(step):.4f}" for step in range(4 * 288)]
        path.write_text("\n".join([head, *rows]) + "\n")
        return path

    return written
