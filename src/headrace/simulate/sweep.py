"""Every policy over a sweep of its one headroom number: what equal service costs, by fleet size and start-up time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from headrace.series import Series
from headrace.simulate import compare
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import Setting, after, past_curve
from headrace.simulate.policies import Policy
from headrace.simulate.runner import Runner
from headrace.simulate.score import Score
from headrace.simulate.texture import (
    collection_holes,
    filled,
    refined,
    with_holes,
    with_occupancy_noise,
)
from headrace.spec import Scale

OVER_RATIOS = (0.001, 0.0001, 0.0)
"""Shares of requests over at which policies are compared."""
STARTUPS_S = (20.0, 180.0, 720.0)
REPLICAS = (8.0, 60.0)
"""Mean demand, in replicas."""
DRAIN_S = Scale().drain_s
"""For how long each removed replica is paid in a sweep."""


SLOTS_PER_REPLICA, SERVICE_S = 150.0, 20.0
"""Requests that a replica runs at once, and how long each takes: they make the noise of `demand_at`."""
NOISE_SEED = 1_000_003
"""Keeps the draws of the noise apart from those of the roughness."""


class Cell(NamedTuple):
    """One policy in one place of the table."""

    policy: str
    replicas: float
    startup_s: float
    over_ratio: float
    score: Score | None
    """None: no headroom keeps the target."""

    @property
    def cost_ratio(self) -> float:
        """Accelerator-hours over those of mean demand; infinite where the policy fails."""
        return self.score.cost_ratio if self.score else math.inf


class Plan(NamedTuple):
    """What is swept."""

    policies: Sequence[Policy]
    replicas: Sequence[float] = REPLICAS
    startups_s: Sequence[float] = STARTUPS_S
    over_ratios: Sequence[float] = OVER_RATIOS

    @property
    def cells(self) -> int:
        """How many cells that makes, the bound's not counted."""
        return len(self.policies) * len(self.replicas) * len(self.startups_s) * len(self.over_ratios)


def swept(
    runner: Runner,
    plan: Plan,
    demand_of: Callable[[float], Floats],
    setting: Setting,
    learned_s: float,
) -> Iterator[Cell]:
    """The cells of a sweep, in order; each place ends with the bound at no request over.

    Args:
        runner: Runs them.
        plan: What is swept.
        demand_of: The whole history in replicas, shape [ticks], for a mean demand in replicas.
        setting: Lag, tick, drain; start-up and capacity are the plan's.
        learned_s: Beginning of the history that is only learned from.
    """
    for replicas in plan.replicas:
        demand = demand_of(replicas)
        for startup_s in plan.startups_s:
            here = setting._replace(startup_s=startup_s, per_replica=1.0)
            traffic = after(past_curve(demand, here), round(learned_s / here.tick_s))
            for policy in plan.policies:
                for over_ratio in plan.over_ratios:
                    headroom = compare.smallest_headroom(runner, policy, over_ratio, here, traffic)
                    score = (
                        None if headroom is None else compare.scored(runner, policy, headroom, here, traffic)
                    )
                    yield Cell(policy.name, replicas, startup_s, over_ratio, score)
            bound = compare.clairvoyant(here, traffic)
            yield Cell(bound.policy, replicas, startup_s, 0.0, bound)


def demand_at(series: Series, replicas: float, tick_s: float, seed: int) -> Floats:
    """A coarse history as a fleet of that size would see it, in replicas, shape [ticks].

    Holes in the collection are taken out and bridged by straight lines, the history's roughness is continued below
    its step, and requests come and go one by one (150 slots a replica, 20 s of service).

    Args:
        series: The history, in any unit.
        replicas: Mean demand that it is scaled to.
        tick_s: Seconds per tick.
        seed: Of what is drawn.
    """
    whole, _ = filled(with_holes(series, collection_holes(series)))
    smooth = scaled(refined(whole, tick_s, seed).values, replicas)
    return with_occupancy_noise(smooth, SLOTS_PER_REPLICA, SERVICE_S, tick_s, seed + NOISE_SEED)


def scaled(demand: Floats, replicas: float) -> Floats:
    """`demand` in units that make its mean `replicas`; holes left out of the mean."""
    return demand * (replicas / float(np.nanmean(demand)))


def geometric_mean(ratios: Sequence[float]) -> float:
    """Of positive ratios; infinite if one is."""
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
