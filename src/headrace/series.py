"""A time series at a fixed step; holes are NaN and stay NaN."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Evenly spaced values.

    Attributes:
        start_s: Time of the first value (epoch seconds, or 0 for relative times).
        step_s: Seconds between values, > 0.
        values: shape [n], float64; NaN = not known (never zero).
        unit: What one value counts, e.g. ``"requests/s"`` or ``"slots"``; for people only.
    """

    start_s: float
    step_s: float
    values: NDArray[np.float64]
    unit: str = ""

    @property
    def span_s(self) -> float:
        """Seconds covered, the last step included."""
        return self.step_s * len(self.values)

    def __len__(self) -> int:
        """Number of values, holes included."""
        return len(self.values)


def gaps(series: Series) -> tuple[tuple[float, float], ...]:
    """The stretches without a value, ascending, as (start_s, end_s); the last hole's step is within."""
    hole = np.isnan(series.values)
    edge = np.flatnonzero(
        np.diff(hole, prepend=False, append=False)
    )  # a hole's first index, the one after its last
    return tuple(
        (series.start_s + first * series.step_s, series.start_s + after * series.step_s)
        for first, after in zip(edge[::2].tolist(), edge[1::2].tolist(), strict=True)
    )


def known_ratio(series: Series) -> float:
    """Share of the values that are known, 0 to 1; 0 for an empty series."""
    return float(np.count_nonzero(~np.isnan(series.values))) / len(series) if len(series) else 0.0


def known_mean(series: Series) -> float:
    """Mean of the known values; NaN if none is (a hole counts as nothing, not as zero)."""
    known = series.values[~np.isnan(series.values)]
    return float(known.mean()) if known.size else math.nan


def between(series: Series, start_s: float, end_s: float) -> Series:
    """The steps that begin within [start_s, end_s); a view, no copy. It may be empty.

    The ends need not fall on the grid, and may lie outside the series.
    """
    # 1e-9 of a step: 0.1 + 0.2 is meant to be the third step of 0.1, not the fourth
    first, after = (
        min(max(math.ceil((at_s - series.start_s) / series.step_s - 1e-9), 0), len(series))
        for at_s in (start_s, end_s)
    )
    return replace(
        series,
        start_s=series.start_s + first * series.step_s,
        values=series.values[first : max(first, after)],
    )


def resampled(series: Series, tick_s: float, how: Literal["hold", "line"] = "hold") -> Series:
    """The series read at ticks of `tick_s`, from its start to its end (in whole ticks, at least one).

    Args:
        series: Any step, finer or coarser than the tick.
        tick_s: Seconds between the values of the result, > 0.
        how: ``"hold"``: a tick has the value of the step it falls in. ``"line"``: a straight line from each
            value to the next, each at the beginning of its step; the last, and one before a hole, is held.

    Holes stay holes, in both ways: a tick is known exactly where the step it falls in is known.
    With a tick coarser than the step values between ticks are left out; for means per tick see `tick_means`.
    """
    _require_positive(tick_s)
    if not len(series):
        return replace(series, step_s=tick_s)
    ticks = max(1, round(series.span_s / tick_s))
    position = np.arange(ticks, dtype=np.float64) * (tick_s / series.step_s)
    # the nudge keeps a tick that falls on a step's beginning from being rounded into the step before
    step = np.minimum((position + 1e-9).astype(np.int64), len(series) - 1)
    values = series.values[step]
    if how == "line":
        following = series.values[np.minimum(step + 1, len(series) - 1)]
        rise = np.where(np.isnan(following), 0.0, following - values)
        values = values + rise * np.clip(position - step, 0.0, 1.0)
    return replace(series, step_s=tick_s, values=values)


def tick_means(series: Series, every: int) -> Series:
    """Means over each `every` neighbouring values, holes left out; NaN where all of them are holes.

    The last mean may be over fewer values. A mean is right for rates and for concurrency, not for counts.
    """
    if every < 1:
        raise ValueError(f"every = {every}, must be at least 1")
    whole = -(-len(series) // every) * every
    padded = np.concatenate([series.values, np.full(whole - len(series), np.nan)]).reshape(-1, every)
    known = ~np.isnan(padded)
    counts = known.sum(axis=1)
    sums = np.where(known, padded, 0.0).sum(axis=1)
    means = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return replace(series, step_s=series.step_s * every, values=means)


def _require_positive(tick_s: float) -> None:
    if not (tick_s > 0.0 and math.isfinite(tick_s)):
        raise ValueError(f"tick_s = {tick_s}, must be above 0 and finite")
