"""The built-in day: a consumer curve, business traffic at 09:00, an unannounced surge at 15:00; and days of its kind.

A weekday of 120 requests/s at the evening peak, sampled every 10 s, served by replicas of 7.5 requests/s on eight
accelerators. `random_days` draws others of the kind, to choose parameters on some and to judge them on others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import DAY_S
from headrace.simulate.texture import autoregressive

TICK_S = 10.0
PEAK_PER_S = 120.0
"""Requests per second at the peak of the consumer curve."""
BUSINESS_PER_S = 40.0
"""Requests per second that come in the five minutes after 09:00 and leave at 18:00."""
REPLICA_PER_S = 7.5
"""Requests per second that one replica serves within its SLO."""
ACCELERATORS = 8
WANDER_S = 7_200.0
"""Over which a random day's slow wander forgets itself."""


class DaySurge(NamedTuple):
    """One surge of a day."""

    at_s: float = 54_000.0
    """When it begins, seconds after midnight (15:00)."""
    rise_ratio: float = 0.35
    ramp_s: float = 300.0
    lasts_s: float = 3_600.0
    """Until it is gone at once, the ramp included."""


SEED_SURGE = DaySurge()
"""+35 % over five minutes at 15:00, for an hour."""


def times_s() -> Floats:
    """Seconds after midnight of each tick, shape [8640]."""
    return np.arange(0.0, DAY_S, TICK_S, dtype=np.float64)


def day_curve() -> Floats:
    """What every weekday brings, requests/s, shape [8640]."""
    hour = times_s() / 3600.0
    consumer = PEAK_PER_S * (0.6 - 0.4 * np.cos(2 * np.pi * (hour - 4) / 24))
    arrived = np.minimum(1.0, np.maximum(0.0, (hour - 9) * 12))
    return np.asarray(
        consumer + np.where((hour >= 9) & (hour < 18), BUSINESS_PER_S * arrived, 0.0), np.float64
    )


def with_surge(demand: Floats, surge: DaySurge, tick_s: float = TICK_S) -> Floats:
    """`demand` with a surge on top; one that begins late in the day is cut at midnight.

    Args:
        demand: Shape [ticks], any unit.
        surge: Begins `at_s` after the first tick.
        tick_s: Seconds per tick.
    """
    since_s = np.arange(len(demand)) * tick_s - surge.at_s
    risen = np.minimum(1.0, since_s / surge.ramp_s) if surge.ramp_s > 0 else np.ones(len(demand))
    here = (since_s >= 0) & (since_s < surge.lasts_s)
    return np.where(here, demand * (1.0 + surge.rise_ratio * risen), demand)


def seed_day(surge: DaySurge | None = SEED_SURGE) -> Floats:
    """The day as it comes, requests/s, shape [8640]; without a surge it is `day_curve`."""
    curve = day_curve()
    return curve if surge is None else with_surge(curve, surge)


def random_days(seed: int, count: int) -> Floats:
    """Days of the seed day's kind, requests/s, shape [count, 8640].

    Each has a surge at a random moment (+10 to 60 %, ramp of 30 s to 15 min, one hour), a level within 3 %, a slow
    wander of 2 % (correlated over two hours) and noise of 1 % at each tick.
    """
    random = np.random.default_rng(seed)
    curve, ticks = day_curve(), len(times_s())
    days = np.empty((count, ticks))
    for row in range(count):
        surge = DaySurge(random.uniform(0, DAY_S - 3600), random.uniform(0.1, 0.6), random.uniform(30, 900))
        shocks = random.standard_normal(ticks)
        shocks[0] = random.standard_normal()
        wander = 0.02 * autoregressive(shocks, TICK_S / WANDER_S)
        level = 1 + random.uniform(-0.03, 0.03)
        noise = 1 + 0.01 * random.standard_normal(ticks)
        days[row] = with_surge(curve * level * (1 + wander) * noise, surge)
    return days
