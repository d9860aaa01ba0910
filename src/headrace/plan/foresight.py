"""What is expected of the next hour."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from headrace.decide.forecast import what_is_unknown
from headrace.plan.windows import LEAST_MEAN, Calendar, day_windows, utc
from headrace.series import Series
from headrace.simulate.backtest import issued_along
from headrace.simulate.fluid import Floats

FURTHEST_S = 3_600.0


class Foresight(NamedTuple):
    """A forecast from the end of a past."""

    newest: float
    """The last known window."""
    origin_s: float
    """End of the past."""
    step_s: float
    expected: Floats
    """Mean demand of each of the next windows, shape [n]."""
    upper: Floats
    level: float
    notes: tuple[str, ...]
    """What the past is too short or too full of holes for."""


def foresight(demand: Series, *, calendar: Calendar = utc, level: float = 0.95) -> Foresight:
    """The next hour, window by window (at least one).

    Args:
        demand: The past, holes NaN.
        calendar: Whose days.
        level: Of the upper end of the band.
    """
    series = day_windows(demand, calendar)
    values, of_day = series.values, series.of_day
    windows = max(1, math.floor(FURTHEST_S / series.step_s + 1e-9))
    horizons = tuple(range(1, min(windows, max(1, (of_day - 1) // 2)) + 1))
    # Yesterday's fit and today's: the band's tracker has a day to settle.
    first_day = max(1, len(values) // of_day - 1)
    if len(values) < of_day * first_day:  # less than a day: holes in front, up to a whole one
        values = np.concatenate([np.full(of_day * first_day - len(values), np.nan), values])
    along = issued_along(values[None, :], of_day, horizons, first_day, level)
    known = values[~np.isnan(values)]
    return Foresight(
        newest=float(known[-1]) if known.size else math.nan,
        origin_s=float(series.times_s[-1]) + series.step_s,
        step_s=series.step_s,
        expected=_something(along.expected[0, -1]),
        upper=_something(along.upper[0, -1]),
        level=level,
        notes=what_is_unknown(values, of_day, 1, level),
    )


def _something(demand: Floats) -> Floats:
    """Demand, or zero where it is no more than rounding."""
    return np.where(demand < LEAST_MEAN, 0.0, demand)
