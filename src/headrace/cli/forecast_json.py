"""A forecast for programs: one JSON document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from headrace.cli import figures
from headrace.past import Past
from headrace.plan.foresight import Foresight
from headrace.plan.quality import Quality


class Tried(NamedTuple):
    """One model, one horizon."""

    name: str
    quality: Quality


def write_next(found: Sequence[Past], ahead: Sequence[Foresight]) -> None:
    """Write what is expected of the next hour, by model."""
    _write({"models": [_next(past, made) for past, made in zip(found, ahead, strict=True)]})


def write_backtest(tried: Sequence[Tried], notes: Sequence[str]) -> None:
    """Write how the forecasts of the past did."""
    _write({"rows": [_row(each) for each in tried], "notes": list(notes)})


def windows(made: Foresight) -> Iterator[tuple[float, float, float]]:
    """Each of the next windows: seconds from now to its start, what is expected, and the upper end."""
    for at, (expected, upper) in enumerate(zip(made.expected.tolist(), made.upper.tolist(), strict=True)):
        yield at * made.step_s, expected, upper


def _next(past: Past, made: Foresight) -> dict[str, Any]:
    return {
        "name": past.name,
        "unit": past.demand.unit,
        "origin_s": made.origin_s,
        "step_s": made.step_s,
        "level": made.level,
        "newest": figures.speakable(made.newest),
        "windows": [
            {
                "start_s": made.origin_s + start_s,
                "expected": figures.speakable(mid),
                "upper": figures.speakable(top),
            }
            for start_s, mid, top in windows(made)
        ],
        "notes": [*past.notes, *made.notes],
    }


def _row(each: Tried) -> dict[str, Any]:
    made = each.quality
    named = (
        "ahead_s",
        "step_s",
        "level",
        "loss_ratio",
        "coverage_ratio",
        "worst_day_ratio",
        "gain_ratio",
        "days",
    )
    return {
        "name": each.name,
        **{name: figures.speakable(getattr(made, name)) for name in named},
        "rivals": {rival.name: figures.speakable(rival.loss_ratio) for rival in made.rivals},
        "notes": list(made.notes),
    }


def _write(document: dict[str, Any]) -> None:
    json.dump(document, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")
