"""Sentences on what a plan comes to."""

from __future__ import annotations

import math

import numpy as np

from headrace.plan.holdout import Promise, Proof
from headrace.plan.outcome import Outcome
from headrace.plan.pooled import Pooled
from headrace.plan.proposal import Proposal
from headrace.simulate.inputs import DAY_S
from headrace.units import duration_text, span_text

ALIKE = 0.005
"""Differences below half a percent are none."""


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}" if text else ""


def differences(made: Proposal) -> tuple[str, ...]:
    """What changes from today to what is proposed, and how far it is from the bound."""
    told = []
    proposed, best = made.proposed.outcome, made.bound.outcome
    if made.today is not None:
        unseen_ratio = float(np.isnan(made.today.replicas[0]).mean())
        if unseen_ratio > ALIKE:
            told.append(
                f"Replicas were seen in {100 * (1 - unseen_ratio):.0f} % of this time: today's figures are of that "
                "alone, and can't be set against those of the plan."
            )
        else:
            told.append(_difference(made.today.outcome, proposed))
        if _is_full_sooner(made):
            told.append(
                "No samples say where backlog begins: what is proposed counts a replica as full at its target, today "
                "at all of its slots, so the two are not at the same service (--occupancy measures it, --target "
                "sets it)."
            )
    above = proposed.gpu_hours / best.gpu_hours - 1.0 if best.gpu_hours > 0 else math.nan
    if above >= ALIKE:
        less = f"{100 * above / (1 + above):.0f} % less, and never be over"
        told.append(f"Somebody who knew the future would pay {less}.")
    elif math.isfinite(above):
        told.append("Not even somebody who knew the future would pay less and never be over.")
    return tuple(told)


def _is_full_sooner(made: Proposal) -> bool:
    """Whether what is proposed counts a replica as full at another share of its slots than today's."""
    today, goal = made.ask.today, made.base.goal
    if goal.sees_backlog or made.ask.target_ratio is not None:
        return False
    return today is None or today.target_ratio != goal.ratio


def _difference(today: Outcome, proposed: Outcome) -> str:
    parts = [
        _change("minutes over", today.minutes_over, proposed.minutes_over, 1),
        _change("share of requests over", 100 * today.over_ratio, 100 * proposed.over_ratio, 4, " %"),
        _change("GPU-hours", today.gpu_hours, proposed.gpu_hours, 0),
    ]
    if math.isfinite(today.cut_streams) and math.isfinite(proposed.cut_streams):
        parts.append(_change("cut streams", today.cut_streams, proposed.cut_streams, 0))
    if proposed.gpu_hours < today.gpu_hours * (1 - ALIKE):
        saved = f"{100 * (1 - proposed.gpu_hours / today.gpu_hours):.0f} % fewer GPU-hours"
    elif proposed.gpu_hours > today.gpu_hours * (1 + ALIKE):
        saved = f"{100 * (proposed.gpu_hours / today.gpu_hours - 1):.0f} % more GPU-hours"
    else:
        saved = "as many GPU-hours"
    return f"From today to the plan: {saved}; {'; '.join(parts)}."


def _change(what: str, before: float, after: float, digits: int, unit: str = "") -> str:
    return f"{what} {before:,.{digits}f}{unit} to {after:,.{digits}f}{unit}"


def verdict(made: Proposal, proven: Proof | None) -> str:
    """One sentence for somebody who reads only one."""
    scale, judged = made.fleet.scale, made.proposed.outcome
    head = (
        f"Run {scale.min_replicas:,} to {scale.max_replicas:,} replicas with headroom {scale.rule.headroom:.2f} and a "
        f"drain of {duration_text(scale.drain_s)}: over the {span_text(judged.days * DAY_S)} that were run again, "
        f"{judged.gpu_hours:,.0f} GPU-hours with {100 * judged.over_ratio:.3g} % of requests over"
    )
    if proven is None:
        return head + "."
    kept = "kept every promise" if proven.held else "missed a promise"
    return f"{head}. On the {span_text(proven.kept.outcome.days * DAY_S)} held out it {kept}."


def holdout_notes(proven: Proof) -> tuple[str, ...]:
    """What a proof knew of the days that it was to be proven on."""
    if proven.planned.ask.past.durations is None:
        return ()
    note = (
        "Demand, samples and replicas of these days were kept from the plan. Durations carry no time: N, and what a "
        "replica serves where that comes from them, rest on all that were given."
    )
    return (note,)


def promise_text(promise: Promise, value: float) -> str:
    """A promised figure in its unit."""
    if "share" in promise.what:
        return f"{100 * value:.4f} %"
    return f"{value:,.0f}" if value >= 1_000 else f"{value:,.1f}"


def pool_notes(shared: Pooled) -> tuple[str, ...]:
    """What a pool comes to."""
    told = [sentence(shared.pool.why)]
    told += [
        f"{lack.why}." for lack in shared.pool.lacks if lack.short_ratio > 0
    ]  # a model's name stays as it is
    if not shared.aligned:
        told.append("The histories are of different times: their last days were laid over one another.")
    return tuple(told)


def length_text(seconds: float) -> str:
    """A length in a cell: ``12m``, ``–`` for none."""
    return duration_text(round(seconds)) if seconds > 0 else "–"
