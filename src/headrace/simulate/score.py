"""What a run is judged by, side by side: whom it failed, for how long, what it cost, how often it changed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.simulate.fluid import Floats, Tally
from headrace.simulate.inputs import Setting

NOT_APPLICABLE = float("nan")


class Score(NamedTuple):
    """One policy on one history. Minutes alone mislead (a steeper ramp fails more requests in fewer minutes)."""

    policy: str
    minutes_over: float
    """Minutes in which demand was above what was ready."""
    requests_over: float
    """Demand above what was ready, in the unit of the demand times seconds (requests, for requests/s)."""
    gpu_hours: float
    """Accelerator-hours paid, those of starting and draining replicas included."""
    events_per_hour: float
    """Changes of the replica count; NaN for a bound, which has none."""
    over_ratio: float
    """`requests_over` over all requests, 0 to 1."""
    cost_ratio: float
    """`gpu_hours` over those of a fleet that is always exactly what demand needs, fractions included."""
    headroom: float = NOT_APPLICABLE
    """The policy's one number, where it has been swept."""
    is_bound: bool = False


def score(
    policy: str, tally: Tally, demand: Floats, setting: Setting, headroom: float = NOT_APPLICABLE
) -> Score:
    """The score of a run.

    Args:
        policy: Its name.
        tally: From `fluid.run`.
        demand: What came, in the unit of the demand, shape [ticks]; gaps count as nothing.
        setting: The world that it ran in.
        headroom: The policy's one number.
    """
    hours = len(demand) * setting.tick_s / 3600.0
    total = float(np.nansum(demand)) * setting.tick_s
    over = tally.over * setting.per_replica * setting.tick_s
    return Score(
        policy,
        minutes_over=tally.over_ticks * setting.tick_s / 60.0,
        requests_over=over,
        gpu_hours=tally.paid * setting.accelerators * setting.tick_s / 3600.0,
        events_per_hour=tally.events / hours,
        over_ratio=over / total if total > 0 else 0.0,
        cost_ratio=cost_ratio(tally.paid, demand, setting),
        headroom=headroom,
    )


def bound_score(name: str, paid: float, demand: Floats, setting: Setting) -> Score:
    """The score of a bound: never over, nothing cheaper is possible."""
    tally = Tally(0.0, 0.0, paid, NOT_APPLICABLE)
    return score(name, tally, demand, setting)._replace(is_bound=True)


def cost_ratio(paid: float, demand: Floats, setting: Setting) -> float:
    """Replica-ticks paid over those of mean demand; gaps count at the mean of what is known."""
    known = demand[~np.isnan(demand)]
    mean = float(known.mean()) / setting.per_replica if known.size else 0.0
    return paid / (mean * len(demand)) if mean > 0 else NOT_APPLICABLE
