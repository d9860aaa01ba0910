"""A plan for programs: one JSON document, or a ModelFleet file."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from headrace.cli.figures import speakable
from headrace.plan import words
from headrace.plan.holdout import Proof
from headrace.plan.outcome import Outcome
from headrace.plan.pooled import Pooled
from headrace.plan.proposal import Number, Proposal
from headrace.spec import ModelFleet, Scale
from headrace.units import duration_text, printable


def write(
    proposals: Sequence[Proposal], proofs: Sequence[Proof], shared: Pooled | None, notes: Sequence[str]
) -> None:
    """Write the one document of ``--json``."""
    models = [_model(made, proofs[at] if at < len(proofs) else None) for at, made in enumerate(proposals)]
    document = {"models": models, "pool": None if shared is None else _pool(shared), "notes": list(notes)}
    json.dump(document, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def documents(proposals: Sequence[Proposal]) -> str:
    """The ModelFleet file, one document a model, with its reasons as comments."""
    from headrace.config import document  # pydantic: only where a file is written

    return "---\n".join(_comments(made) + document(_in_file(made.fleet)) for made in proposals)


def _in_file(fleet: ModelFleet) -> ModelFleet:
    """The fleet as far as a file says it: how often is decided, and on how old samples, is the controller's."""
    usual = Scale()
    return replace(fleet, scale=replace(fleet.scale, lag_s=usual.lag_s, tick_s=usual.tick_s))


def _comments(made: Proposal) -> str:
    lines = [f"# {printable(made.name)}: proposed by headrace plan"]
    if _in_file(made.fleet) != made.fleet:
        every, old = (
            duration_text(length_s) for length_s in (made.fleet.scale.tick_s, made.fleet.scale.lag_s)
        )
        lines.append(
            f"# found for decisions every {every} on samples {old} old (--tick, --lag), which no file says"
        )
    lines += [
        f"# {number.name}: {printable(number.text)}: {printable(number.why)}" for number in made.numbers
    ]
    return "\n".join(lines) + "\n"


def _model(made: Proposal, proven: Proof | None) -> dict[str, Any]:
    return {
        "name": made.name,
        "numbers": [_number(number) for number in made.numbers],
        "outcomes": [_outcome(run.outcome) for run in made.runs],
        "differences": list(words.differences(made)),
        "holdout": None if proven is None else _proof(proven),
        "notes": list(made.notes),
    }


def _number(number: Number) -> dict[str, Any]:
    return {name: speakable(value) for name, value in number._asdict().items()}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {name: speakable(value) for name, value in outcome._asdict().items()}


def _proof(proven: Proof) -> dict[str, Any]:
    runs = [run for run in (proven.today, proven.kept, proven.bound) if run is not None]
    return {
        "held": proven.held,
        "promises": [
            {**{name: speakable(value) for name, value in promise._asdict().items()}, "held": promise.held}
            for promise in proven.promises
        ],
        "outcomes": [_outcome(run.outcome) for run in runs],
        "headroom": proven.planned.fleet.scale.rule.headroom,
        "notes": list(words.holdout_notes(proven)),
    }


def _pool(shared: Pooled) -> dict[str, Any]:
    return {
        "accelerators": shared.accelerators,
        "days": shared.days,
        "tight_ratio": shared.pool.tight_ratio,
        "enough_accelerators": shared.pool.enough,
        "models": [
            {name: speakable(value) for name, value in lack._asdict().items()} for lack in shared.pool.lacks
        ],
        "notes": list(words.pool_notes(shared)),
    }
