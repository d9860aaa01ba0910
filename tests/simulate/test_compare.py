"""Policies at equal service: the smallest headroom that keeps the target, and what is said where none does."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.simulate import compare, policies, seed_day
from headrace.simulate.inputs import Setting, Traffic, past_curve
from headrace.simulate.runner import Runner

SETTING = Setting(per_replica=1.0, accelerators=1, drain_s=60.0)


@pytest.fixture(scope="module")
def runner() -> Runner:
    return Runner()


@pytest.fixture(scope="module")
def traffic() -> Traffic:
    days = seed_day.random_days(5, 2).ravel() / seed_day.REPLICA_PER_S
    return past_curve(days, SETTING, 86_400.0)


@pytest.mark.parametrize("policy", policies.POLICIES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("over_ratio", [0.0, 1e-3])
def test_the_headroom_found_keeps_the_target_and_a_little_less_does_not(
    runner: Runner, traffic: Traffic, policy: policies.Policy, over_ratio: float
) -> None:
    found = compare.smallest_headroom(runner, policy, over_ratio, SETTING, traffic)
    assert found is not None
    score = compare.scored(runner, policy, found, SETTING, traffic)
    assert score.over_ratio <= over_ratio
    less = 1.0 if policy.is_fixed else 2e-3
    if found > policy.lowest:
        worse = compare.scored(runner, policy, found - less, SETTING, traffic)
        assert worse.over_ratio > over_ratio


def test_no_headroom_helps_where_demand_comes_faster_than_any_start(runner: Runner) -> None:
    demand = np.concatenate([np.zeros(200), np.full(50, 40.0)])
    traffic = past_curve(demand, SETTING)
    assert compare.smallest_headroom(runner, policies.HPA, 0.0, SETTING, traffic) is None
    scores = dict(compare.at_equal_service(runner, (policies.HPA, policies.FIXED), 0.0, SETTING, traffic))
    assert scores[policies.HPA] is None
    fixed = scores[policies.FIXED]
    assert fixed is not None
    assert (fixed.headroom, fixed.over_ratio) == (40.0, 0.0)


def test_a_fixed_fleet_keeps_the_limits_of_the_fleet(runner: Runner) -> None:
    traffic = past_curve(np.array([2.0, 7.0, 3.0]), SETTING)
    for least, most, expected in ((0, 7, 7.0), (0, 6, None), (9, 20, 9.0)):
        limited = SETTING._replace(least=least, most=most)
        assert compare.smallest_headroom(runner, policies.FIXED, 0.0, limited, traffic) == expected


def test_every_policy_costs_at_least_the_bound(runner: Runner, traffic: Traffic) -> None:
    bound = compare.clairvoyant(SETTING, traffic)
    for _, score in compare.at_equal_service(runner, policies.POLICIES, 0.0, SETTING, traffic):
        assert score is not None
        assert score.gpu_hours >= bound.gpu_hours


def test_cost_is_over_mean_demand_and_gaps_count_at_the_mean(runner: Runner) -> None:
    demand = np.array([2.0, np.nan, 4.0, np.nan])
    fixed = compare.scored(runner, policies.FIXED, 6.0, SETTING, past_curve(demand, SETTING))
    assert fixed.cost_ratio == pytest.approx(2.0)
    assert fixed.gpu_hours == pytest.approx(6 * 4 * 10 / 3600)
    assert fixed.events_per_hour == 0.0


def test_the_bound_keeps_the_least_too() -> None:
    demand = np.full(30, 2.0)
    assert compare.clairvoyant(SETTING, past_curve(demand, SETTING)).cost_ratio == 1.0
    assert compare.clairvoyant(SETTING._replace(least=3), past_curve(demand, SETTING)).cost_ratio == 1.5
