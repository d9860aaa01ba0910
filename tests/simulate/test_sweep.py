"""The sweep: every policy in every place of the table, on demand of the size that the place names."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.series import Series
from headrace.simulate import compare, policies, sweep
from headrace.simulate.inputs import Setting, after, past_curve
from headrace.simulate.runner import Runner

SETTING = Setting(drain_s=60.0, per_replica=7.5, accelerators=1, tick_s=300.0)
DAY_TICKS = 288


def wave(replicas: float) -> np.ndarray:
    """Three days in replicas; the first has a peak that the others lack."""
    at = np.arange(3 * DAY_TICKS)
    demand = 1.0 + 0.4 * np.sin(2 * np.pi * at / DAY_TICKS)
    demand[40:52] += 5.0
    return np.asarray(replicas * demand)


def test_each_place_is_what_the_comparison_alone_finds_there() -> None:
    runner = Runner(interpret=True)
    plan = sweep.Plan((policies.FIXED, policies.HPA), (4.0, 9.0), (60.0, 720.0), (0.01, 0.0))
    cells = list(sweep.swept(runner, plan, wave, SETTING, 86_400.0))
    bounds = [cell for cell in cells if cell.score is not None and cell.score.is_bound]
    assert len(bounds) == 4
    assert len(cells) - len(bounds) == plan.cells == 16
    for cell in cells:
        here = SETTING._replace(startup_s=cell.startup_s, per_replica=1.0)
        traffic = after(past_curve(wave(cell.replicas), here), DAY_TICKS)
        assert cell.score is not None
        if cell in bounds:
            assert cell.score.gpu_hours == compare.clairvoyant(here, traffic).gpu_hours
            continue
        policy = next(each for each in plan.policies if each.name == cell.policy)
        headroom = compare.smallest_headroom(runner, policy, cell.over_ratio, here, traffic)
        assert headroom is not None
        assert cell.score == compare.scored(runner, policy, headroom, here, traffic)


def test_the_peak_of_what_is_only_learned_from_is_not_paid_for() -> None:
    plan = sweep.Plan((policies.FIXED,), (10.0,), (300.0,), (0.0,))
    fixed, _ = sweep.swept(Runner(interpret=True), plan, wave, SETTING, 86_400.0)
    assert fixed.score is not None
    assert fixed.score.headroom == 14.0  # without the first day's peak of 60 and more


def test_a_policy_that_fails_costs_without_end() -> None:
    assert sweep.Cell("p", 8.0, 20.0, 0.0, None).cost_ratio == math.inf


def coarse() -> Series:
    """Ten days of hours with a hole in the collection: lone values near zero."""
    at = np.arange(240)
    values = 50.0 + 20.0 * np.sin(2 * np.pi * at / 24)
    values[[100, 101, 170]] = 0.2
    return Series(0.0, 3_600.0, values, "requests/s")


def test_a_history_becomes_demand_of_the_size_asked_without_its_holes() -> None:
    demand = sweep.demand_at(coarse(), 60.0, 60.0, 11)
    assert len(demand) == 240 * 60
    assert float(demand.mean()) == pytest.approx(60.0, rel=0.01)
    # 0.2 of 50 requests/s would be a quarter of a replica
    assert float(demand.min()) > 20.0
    assert np.array_equal(demand, sweep.demand_at(coarse(), 60.0, 60.0, 11))
    assert not np.array_equal(demand, sweep.demand_at(coarse(), 60.0, 60.0, 12))


def test_single_requests_scatter_a_small_fleet_more() -> None:
    """At n replicas the sd is sqrt(n / 150) of one: 2.9 % of 8, 1.05 % of 60."""
    flat = Series(0.0, 3_600.0, np.full(240, 50.0), "requests/s")
    for replicas in (8.0, 60.0):
        demand = sweep.demand_at(flat, replicas, 60.0, 11)
        assert float(demand.std()) == pytest.approx(math.sqrt(replicas / 150.0), rel=0.05)


def test_holes_do_not_count_in_the_mean_that_is_scaled() -> None:
    np.testing.assert_allclose(sweep.scaled(np.array([1.0, np.nan, 3.0]), 4.0), [2.0, np.nan, 6.0])


def test_the_mean_of_ratios_is_geometric() -> None:
    assert sweep.geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert sweep.geometric_mean([1.0, math.inf]) == math.inf
