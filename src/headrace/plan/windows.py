"""Demand in the windows that a forecast is made in, on the days of the people who cause it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.forecast import day_grid
from headrace.series import Series, between, tick_means
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import DAY_S

LEAST_STEP_S = 300.0
"""Finer windows are joined: a forecast over five minutes is of use, one over ten seconds is noise."""
MINUTES_A_DAY = 1_440
LEAST_MEAN = 1e-9
"""Of demand: far below a request a year, and far from where floats end."""

Calendar = Callable[[Floats, int], NDArray[np.int64]]
"""Window of the local week of each moment, by the number of windows in a day (0: Monday 0:00)."""


def utc(at_s: Floats, windows_per_day: int) -> NDArray[np.int64]:
    """The calendar of those whose days begin at midnight UTC, and of times that count from a midnight."""
    since = np.floor(at_s / DAY_S * windows_per_day + 1e-6).astype(np.int64)
    monday = 3 * windows_per_day  # 1 January 1970 was a Thursday
    return (since + monday) % (7 * windows_per_day)


class DayWindows(NamedTuple):
    """A past by windows of local days."""

    values: Floats
    """Shape [windows]; NaN: a hole, or an hour that the clocks left out. It begins with a day."""
    times_s: Floats
    """Start of each; NaN where the clocks left it out."""
    of_day: int
    """Windows in a day."""
    step_s: float


def day_windows(series: Series, calendar: Calendar = utc) -> DayWindows:
    """Means over windows of five minutes or more that divide a day, from the first local midnight on.

    A history without a whole day begins where it begins, with holes before it.

    Args:
        series: Demand.
        calendar: Whose days.
    """
    step_s = _window_s(series.step_s)
    minute = int(calendar(np.array([series.start_s]), MINUTES_A_DAY)[0]) % MINUTES_A_DAY
    first_s = series.start_s + (-(minute * 60.0 + series.start_s % 60.0)) % DAY_S
    whole = between(series, first_s, series.start_s + series.span_s)
    means = whole if whole.span_s >= DAY_S else series
    joined = step_s / series.step_s
    if abs(joined - round(joined)) < 1e-6:
        means = tick_means(means, round(joined))
    of_day = max(1, round(DAY_S / step_s))
    at_s: Floats = means.start_s + np.arange(len(means), dtype=np.float64) * means.step_s
    grid = day_grid(at_s, calendar(at_s, of_day), means.values, of_day)
    place = grid.row * of_day + grid.column
    times_s = np.full(grid.values.size, np.nan)
    times_s[place] = means.start_s + np.floor((at_s - means.start_s) / step_s + 1e-9) * step_s
    last = int(place[-1]) + 1
    return DayWindows(grid.values.ravel()[:last], times_s[:last], of_day, step_s)


def _window_s(step_s: float) -> float:
    """The length of a window: a few whole steps where they divide a day, else the next length that divides an hour.

    Steps of seven minutes fall into windows of seven and a half: one in most, two in some.
    """
    fewest = max(1, math.ceil(LEAST_STEP_S / step_s - 1e-9))
    for joined in range(fewest, 2 * fewest + 1):
        if _divides(joined * step_s):
            return joined * step_s
    least_s = math.ceil(max(LEAST_STEP_S, step_s))
    lengths_s = (length for length in range(least_s, int(DAY_S) + 1) if _is_even(length))
    return float(next(lengths_s, step_s))


def _is_even(length_s: int) -> bool:
    return 3_600 % length_s == 0 or (length_s > 3_600 and int(DAY_S) % length_s == 0)


def _divides(step_s: float) -> bool:
    over = DAY_S % step_s
    return min(over, step_s - over) < 1e-6
