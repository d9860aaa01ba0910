"""Scores as text for eyes and as JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence

from headrace.simulate.policies import POLICIES
from headrace.simulate.score import NOT_APPLICABLE, Score
from headrace.units import ratio_text

NONE = "–"
_NUMBERS = {policy.name: policy.number for policy in POLICIES}


def unreached(policy: str) -> Score:
    """The row of a policy that keeps the target at no headroom."""
    none = NOT_APPLICABLE
    return Score(policy, none, none, none, none, none, none)


def row(score: Score, **more: float | bool | str | None) -> dict[str, object]:
    """A row of ``--json``, with whatever else places it; NaN and infinity are null."""
    figures: Mapping[str, object] = {**score._asdict(), **more}
    return {name: speakable(value) for name, value in figures.items()}


def print_json(rows: Sequence[dict[str, object]], notes: Sequence[str], conclusion: Sequence[str]) -> None:
    """Write the one document of ``--json``."""
    json.dump(
        {"rows": rows, "notes": list(notes), "conclusion": list(conclusion)},
        sys.stdout,
        indent=2,
        allow_nan=False,
    )
    sys.stdout.write("\n")


def count_text(value: float, digits: int = 0) -> str:
    """A figure in a cell: ``3,225``; never 0 for what is not, ``–`` for what does not apply."""
    if not math.isfinite(value):
        return NONE
    digits = 0 if value >= 10_000 else digits
    smallest = 10.0**-digits
    if 0.0 < value < smallest / 2:
        return f"<{smallest:.{digits}f}"
    return f"{value:,.{digits}f}"


def share_text(value: float) -> str:
    """A small share in a cell: ``0.0998%``, ``0%``."""
    if not math.isfinite(value):
        return NONE
    if value == 0.0:
        return "0%"
    return (
        "<0.0001%" if value < 0.000_001 else f"{100 * value:.4f}%" if value < 0.01 else f"{100 * value:.2f}%"
    )


def target_text(over_ratio: float) -> str:
    """A share as it was asked for: ``0.1%``, ``0%``."""
    return ratio_text(over_ratio)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: ``a, b and c``."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def headroom_text(score: Score) -> str:
    """The policy's one number in its own words: ``47 replicas``, ``target 83%``, ``x 0.50``."""
    value, number = score.headroom, _NUMBERS.get(score.policy, "x")
    if not math.isfinite(value):
        return NONE
    if number == "replicas":
        return f"{value:,.0f} replicas"
    if number == "1/target - 1":
        return f"target {100 / (1 + value):.0f}%"
    if number == "rise of the surge to survive":
        return f"surge {100 * value:+.0f}%"
    return f"{number} {value:.2f}"


def speakable(value: object) -> object:
    """Plain Python numbers: numpy's are floats too, and JSON has no NaN."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
