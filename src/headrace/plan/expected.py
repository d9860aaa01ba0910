"""What the rule is told to expect, tick by tick: the forecaster's paths, or past weeks where it can't be asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.plan.windows import MINUTES_A_DAY, Calendar, utc
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import DAY_S, Setting, Traffic, past_curve
from headrace.simulate.outlook import WINDOW_S, forecast

MOST_HORIZONS = 24
"""Windows ahead that are forecast at most, two hours; a start that takes longer reads the curve of past weeks."""
LEAST_CHANGE_MINUTES = 15
"""Clocks are put on or back by half an hour or more."""


def traffic(demand: Floats, setting: Setting, *, start_s: float = 0.0, calendar: Calendar = utc) -> Traffic:
    """Demand and what was expected of it, each out of sample.

    Days are those of the people who cause it: what came at nine is expected at nine, also after clocks were put back.
    An hour that they left out is a hole in the past, and of an hour that came twice the first is remembered.

    The forecaster makes its windows of whole ticks, and its days of whole windows: with a tick that divides neither the
    curve is half last week's and half the mean of that week's days.

    Args:
        demand: The whole history, shape [ticks]; NaN: a hole.
        setting: Tick, lag and start-up.
        start_s: Time of the first tick, as the calendar takes it.
        calendar: Whose days.
    """
    local = local_ticks(len(demand), setting.tick_s, start_s, calendar)
    if local is None:
        return _traffic(demand, setting)
    by_clock = np.full(int(local.max()) + 1, np.nan)
    by_clock[local[::-1]] = demand[::-1]
    made = _traffic(by_clock, setting)
    rest = np.arange(len(made.curve) - len(by_clock)) + local[-1] + 1
    paths = made.paths and made.paths._replace(issue=made.paths.issue[local], place=made.paths.place[local])
    return Traffic(demand, made.curve[np.concatenate([local, rest])], made.mean[local], paths)


def local_ticks(ticks: int, tick_s: float, start_s: float, calendar: Calendar) -> NDArray[np.int64] | None:
    """The tick of the clock on the wall at each tick, from 0 on, shape [ticks]; None: the clocks were never changed."""
    at_s: Floats = start_s + np.arange(ticks, dtype=np.float64) * tick_s
    week = 7 * MINUTES_A_DAY
    ahead = (calendar(at_s, MINUTES_A_DAY) - np.floor(at_s / 60.0).astype(np.int64)) % week
    change = (np.diff(ahead, prepend=ahead[:1]) + week // 2) % week - week // 2
    change = np.where(np.abs(change) < LEAST_CHANGE_MINUTES, 0, change)
    if not change.any():
        return None
    moved = np.arange(ticks) + np.cumsum(np.rint(change * 60.0 / tick_s).astype(np.int64))
    return np.asarray(moved - moved.min(), dtype=np.int64)


def _traffic(demand: Floats, setting: Setting) -> Traffic:
    """The same, where all days are of one length."""
    ticks = WINDOW_S / setting.tick_s
    if setting.tick_s <= WINDOW_S and abs(ticks - round(ticks)) < 1e-9:
        window_s = WINDOW_S
    elif setting.tick_s > WINDOW_S and abs(DAY_S / setting.tick_s - round(DAY_S / setting.tick_s)) < 1e-9:
        window_s = setting.tick_s
    else:
        return past_curve(demand, setting)
    ahead_s = setting.startup_s + 2.0 * setting.lag_s
    if ahead_s > MOST_HORIZONS * window_s:
        return past_curve(demand, setting)
    return forecast(demand, setting, window_s)
