"""A history as the simulator takes it: at ticks, from its first value on, without what was not collected."""

from __future__ import annotations

import numpy as np

from headrace.series import Series, between, resampled
from headrace.simulate import texture
from headrace.simulate.inputs import DAY_S, WEEK_S
from headrace.units import duration_text

DIP_STEP_S = 60.0
"""From this step on an almost empty value says that nothing was collected; below, a step may be empty by chance."""


def without_dips(series: Series) -> tuple[Series, str]:
    """The series without values that say that nothing was collected, and a note on them ("" where there is none)."""
    if series.step_s < DIP_STEP_S:
        return series, ""
    holes = texture.collection_holes(series)
    count = int(np.count_nonzero(holes))
    if not count:
        return series, ""
    values = (
        "1 value below 5 % of what is around it is"
        if count == 1
        else f"{count:,} values below 5 % of what is around them are"
    )
    note = f"{values} taken for holes in the collection, and simulated around (--keep-dips takes them for demand)."
    return texture.with_holes(series, holes), note


def at_ticks(series: Series, tick_s: float, how: str, seed: int) -> tuple[Series, str]:
    """The series at ticks, and a note on what was put between its values ("" where nothing was).

    Args:
        series: Any step; a finer one than the tick is thinned.
        tick_s: Seconds, > 0.
        how: What lies between two values: ``"rough"``: as rough as the history is at its own step, drawn;
            ``"line"``; ``"hold"``.
        seed: Of what is drawn.
    """
    if series.step_s <= tick_s * (1.0 + 1e-6):
        return resampled(series, tick_s), ""
    step = duration_text(series.step_s)
    if how == "rough":
        finer = texture.refined(series, tick_s, seed)
        return finer, (
            f"Between its values, {step} apart, demand is drawn as rough as it is at that step "
            f"(--between rough, seed {seed})."
        )
    if how == "line":
        return resampled(series, tick_s, "line"), (
            f"Between its values, {step} apart, demand runs straight: all policies look better than they are "
            "(--between rough does not do that)."
        )
    return resampled(
        series, tick_s, "hold"
    ), f"Each value is held for {step}, then demand jumps (--between hold)."


def from_first_value(series: Series) -> tuple[Series, str]:
    """The series without the gap that it begins with, from which nothing can be learned or judged, and a note."""
    empty = int(np.argmin(np.isnan(series.values)))
    if not empty:
        return series, ""
    empty_s = empty * series.step_s
    note = f"The first {duration_text(empty_s)} have no value: the history is taken to begin after them."
    return between(series, series.start_s + empty_s, series.start_s + series.span_s), note


def learned_s(span_s: float) -> float:
    """How much of a history's beginning is only learned from, before judging begins: a week, a day, or nothing."""
    return WEEK_S if span_s >= 2 * WEEK_S else DAY_S if span_s >= 2 * DAY_S else 0.0


def gap_s(series: Series, at_s: float) -> float:
    """What is left of the gap at a moment, in seconds after the beginning; 0 where a value is known, or none later.

    Judging can't begin in it: a policy that has seen nothing yet would hold as little as it may.
    """
    known = np.flatnonzero(~np.isnan(series.values[round(at_s / series.step_s) :]))
    return float(known[0]) * series.step_s if known.size else 0.0
