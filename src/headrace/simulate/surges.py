"""A class of surge added to past days at every whole hour, in as few runs as keep the surges apart."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.headroom import start_delay_s
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import Setting
from headrace.spec import Rule, Surge

HOUR_S = 3_600.0
PLATEAU_S = 600.0
"""How long a surge goes on once the last replica that it called for can be there: what is to happen has happened."""
MOST_RUNS = 24
"""Surges may be at most a day apart; a fleet that takes longer to come down begins the next one with more."""


class Surged(NamedTuple):
    """Demand with surges that don't meet."""

    demand: Floats
    """In the unit of the demand, shape [ticks]."""
    during: NDArray[np.bool_]
    """Where a surge is under way, shape [ticks]."""


def lasts_s(surge: Surge, setting: Setting) -> float:
    """From a surge's first sign to its end, seconds."""
    return surge.ramp_s + start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s) + PLATEAU_S


def hours_apart(rule: Rule, surge: Surge, setting: Setting, greatest: float) -> int:
    """Whole hours from one surge to the next, so that the fleet has come down from the one before.

    Args:
        rule: How it removes.
        surge: The class of surge.
        setting: The world.
        greatest: Greatest demand, replicas.
    """
    steps = math.ceil(surge.rise_ratio * greatest / rule.down_step) if math.isfinite(rule.down_step) else 1
    down_s = rule.down_window_s + max(0, steps - 1) * rule.down_interval_s + setting.drain_s
    return min(MOST_RUNS, math.ceil((lasts_s(surge, setting) + down_s) / HOUR_S))


def surged(demand: Floats, surge: Surge, setting: Setting, first_hour: int, every: int) -> Surged:
    """Demand with a surge over what is there, at an hour and at every so many after it.

    Args:
        demand: Shape [ticks]; NaN stays NaN.
        surge: Each rises to `rise_ratio` above demand in `ramp_s`, stays, and is gone at once.
        setting: For the tick and for how long a surge stays.
        first_hour: Hour of the first, counted from the first tick.
        every: Hours from one to the next.
    """
    at_s = np.arange(len(demand)) * setting.tick_s - first_hour * HOUR_S
    since_s = np.where(at_s >= 0.0, at_s % (every * HOUR_S), np.inf)
    during = since_s < lasts_s(surge, setting)
    share = np.minimum(1.0, since_s / surge.ramp_s) if surge.ramp_s > 0.0 else 1.0
    return Surged(demand * (1.0 + np.where(during, surge.rise_ratio * share, 0.0)), during)
