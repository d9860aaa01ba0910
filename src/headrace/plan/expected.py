"""What the rule is told to expect, tick by tick: the forecaster's paths, or past weeks where it can't be asked."""

from __future__ import annotations

from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import DAY_S, Setting, Traffic, past_curve
from headrace.simulate.outlook import WINDOW_S, forecast

MOST_HORIZONS = 24
"""Windows ahead that are forecast at most, two hours; a start that takes longer reads the curve of past weeks."""


def traffic(demand: Floats, setting: Setting) -> Traffic:
    """Demand and what was expected of it, each out of sample.

    The forecaster makes its windows of whole ticks, and its days of whole windows: with a tick that divides neither the
    curve is half last week's and half the mean of that week's days.

    Args:
        demand: The whole history, shape [ticks]; NaN: a hole.
        setting: Tick, lag and start-up.
    """
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
