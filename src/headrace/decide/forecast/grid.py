"""Samples on a grid of local days: what people do at nine o'clock stands in one column, summer and winter."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.forecast.decay import Floats, ratio

DAY_S = 86_400.0
WEEK_DAYS = 7


class Grid(NamedTuple):
    """Demand by local day and time of day."""

    values: Floats
    """Shape [days, windows_per_day]; NaN: a hole."""
    first_slot: int
    """`slot_of_week` of the grid's first window, a whole number of days after Monday, 0:00."""
    row: NDArray[np.int64]
    """Of each sample, shape [n]."""
    column: NDArray[np.int64]
    """Of each sample."""


def day_grid(
    at_s: NDArray[np.floating[Any]],
    slot_of_week: NDArray[np.integer[Any]],
    values: NDArray[np.floating[Any]],
    windows_per_day: int,
) -> Grid:
    """Places samples by the local time they carry; means where several fall into one window.

    On the day the clocks go forward an hour of the grid stays a hole; on the day they go back one hour is the mean of
    both. Samples may be finer than a window, irregular, in any order, and may leave out weeks.

    Args:
        at_s: Epoch seconds, shape [n].
        slot_of_week: Window of the local week, 0 = Monday 0:00, below 7 * `windows_per_day`, shape [n].
        values: Demand, shape [n]; NaN: a hole.
        windows_per_day: S.
    """
    slots = np.asarray(slot_of_week, np.int64)
    if not len(slots):
        nothing = np.zeros(0, np.int64)
        return Grid(np.full((0, windows_per_day), np.nan), 0, nothing, nothing)
    week = WEEK_DAYS * windows_per_day
    elapsed = np.asarray(at_s, np.float64) * (windows_per_day / DAY_S) - slots
    # Local time differs from epoch time by a constant and, across a change of clocks, by an hour or so of a week.
    weeks = np.rint((elapsed - elapsed[np.argmin(at_s)]) / week).astype(np.int64)
    day = weeks * WEEK_DAYS + slots // windows_per_day
    first = int(day.min())
    row, column = day - first, slots % windows_per_day
    shape = (int(row.max()) + 1, windows_per_day)
    known = ~np.isnan(values)
    place = row[known] * windows_per_day + column[known]
    size = shape[0] * shape[1]
    total = np.bincount(place, weights=values[known], minlength=size)
    count = np.bincount(place, minlength=size)
    return Grid(ratio(total, count).reshape(shape), first % WEEK_DAYS * windows_per_day, row, column)
