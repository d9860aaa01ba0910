"""Compares policies at equal service: each at the smallest headroom that keeps the share over within a target.

A headroom number means something else to each policy, so policies are compared where they fail equally few requests.
The number is found on the very history that is judged, for all alike: what is compared is the best that each could
have done, not what it would have promised.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from headrace.simulate import bound
from headrace.simulate.fluid import Inputs, Tally
from headrace.simulate.inputs import Setting, Traffic, inputs
from headrace.simulate.policies import Policy
from headrace.simulate.runner import Runner
from headrace.simulate.score import Score, bound_score, score
from headrace.spec import Rule

HALVINGS = 18
"""Steps of the search; the headroom is found to within a thousandth of a replica-share."""


class Trial(NamedTuple):
    """A policy at one headroom number, ready to run."""

    rule: Rule
    setting: Setting
    inputs: Inputs


def trial(policy: Policy, headroom: float, setting: Setting, traffic: Traffic) -> Trial:
    """The rule, limits and inputs of a policy at a headroom number."""
    rule = policy.rule(headroom, setting)
    if policy.is_fixed:
        count = int(headroom)
        setting = setting._replace(least=count, most=count)
    return Trial(rule, setting, inputs(rule, setting, traffic))


def tally(runner: Runner, policy: Policy, headroom: float, setting: Setting, traffic: Traffic) -> Tally:
    """What the policy comes to at a headroom number."""
    return runner.tally(*trial(policy, headroom, setting, traffic))


def smallest_headroom(
    runner: Runner, policy: Policy, over_ratio: float, setting: Setting, traffic: Traffic
) -> float | None:
    """The smallest headroom number with at most that share of requests over; None: not even the largest does.

    Found by bisection, as if more headroom never failed more requests; where it does (removals fall differently),
    the number found still keeps the target.

    Args:
        runner: Runs it.
        policy: Which.
        over_ratio: Largest share over that is allowed, 0 to 1.
        setting: The world.
        traffic: What comes.
    """
    if policy.is_fixed:
        count = max(setting.least, _fixed_count(over_ratio, setting, traffic))
        return float(count) if count <= setting.most else None
    total = float(np.nansum(traffic.demand)) / setting.per_replica
    prepared = trial(policy, policy.lowest, setting, traffic)

    def keeps(headroom: float) -> bool:
        again = prepared._replace(rule=policy.rule(headroom, setting))
        return runner.tally(*again).over <= over_ratio * total

    if keeps(policy.lowest):
        return policy.lowest
    low, high = policy.lowest, policy.lowest + 1.0
    while not keeps(high):
        if high >= policy.highest:
            return None
        low, high = high, min(policy.highest, policy.lowest + 2.0 * (high - policy.lowest))
    for _ in range(HALVINGS):
        if high - low < 1e-4:
            break
        middle = (low + high) / 2.0
        low, high = (low, middle) if keeps(middle) else (middle, high)
    return high


def _fixed_count(over_ratio: float, setting: Setting, traffic: Traffic) -> int:
    demand = np.nan_to_num(traffic.demand, nan=0.0) / setting.per_replica
    allowed = over_ratio * float(demand.sum())
    low, high = 0, int(np.ceil(demand.max(initial=0.0)))
    while low < high:
        middle = (low + high) // 2
        if float(np.maximum(0.0, demand - middle).sum()) <= allowed:
            high = middle
        else:
            low = middle + 1
    return high


def scored(runner: Runner, policy: Policy, headroom: float, setting: Setting, traffic: Traffic) -> Score:
    """The score of a policy at a headroom number."""
    outcome = tally(runner, policy, headroom, setting, traffic)
    return score(policy.name, outcome, traffic.demand, setting, headroom)


def at_equal_service(
    runner: Runner, policies: tuple[Policy, ...], over_ratio: float, setting: Setting, traffic: Traffic
) -> Iterator[tuple[Policy, Score | None]]:
    """Each policy's score where it just keeps the target; None for one that cannot."""
    for policy in policies:
        headroom = smallest_headroom(runner, policy, over_ratio, setting, traffic)
        yield policy, None if headroom is None else scored(runner, policy, headroom, setting, traffic)


def clairvoyant(setting: Setting, traffic: Traffic) -> Score:
    """The bound for one who knows the future and is never over; the setting's least holds for it too."""
    demand = traffic.demand / setting.per_replica
    needed = np.maximum(bound.whole_demand(demand), setting.least)
    paid = bound.least_paid(needed, setting.timing)
    return bound_score("bound: knows the future", paid, traffic.demand, setting)
