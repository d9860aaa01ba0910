"""Surges added to a past: where, how high, for how long, and how far apart."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide import rules
from headrace.simulate import surges
from headrace.simulate.inputs import Setting
from headrace.spec import Surge

SURGE = Surge(0.35, 300.0)
SETTING = Setting(startup_s=180.0, lag_s=60.0, drain_s=300.0, tick_s=10.0)


def test_a_surge_rises_stays_and_is_gone() -> None:
    """It lasts ramp + lag + start-up + tick + ten minutes: 1,150 s."""
    made = surges.surged(np.full(2_000, 10.0), SURGE, SETTING, 2, 3)
    assert surges.lasts_s(SURGE, SETTING) == 1_150.0
    begin = 720  # two hours
    np.testing.assert_allclose(made.demand[:begin], 10.0)
    np.testing.assert_allclose(made.demand[begin : begin + 31], 10.0 + 3.5 * np.arange(31) / 30)
    np.testing.assert_allclose(made.demand[begin + 30 : begin + 115], 13.5)
    assert made.demand[begin + 115] == 10.0
    assert np.flatnonzero(np.diff(made.during.astype(int)) == 1).tolist() == [719, 1_799]
    assert int(made.during[:1_800].sum()) == 115


def test_a_hole_stays_a_hole_and_a_surge_may_come_at_once() -> None:
    demand = np.full(500, 4.0)
    demand[370] = np.nan
    made = surges.surged(demand, Surge(1.0, 0.0), SETTING, 1, 1)
    assert np.isnan(made.demand[370])
    assert made.demand[360] == 8.0
    assert made.demand[359] == 4.0


@pytest.mark.parametrize("first_hour", [1, 2, 3])
def test_all_hours_but_the_first_are_covered_once(first_hour: int) -> None:
    hours = np.zeros(24, dtype=int)
    for first in range(1, 4):
        made = surges.surged(np.ones(24 * 360), SURGE, SETTING, first, 3)
        starts = np.flatnonzero(np.diff(made.during.astype(int)) == 1) + 1
        assert np.all(starts % 360 == 0)
        hours[starts // 360] += 1
    assert hours.tolist() == [0] + [1] * 23


def test_they_are_as_far_apart_as_the_fleet_takes_to_come_down() -> None:
    fast = rules.real_demand(180.0)
    # 1,150 s of surge, 300 s of window and 300 s of drain are under an hour
    assert surges.hours_apart(fast, SURGE, SETTING, 60.0) == 1
    slow = rules.known_curve(SURGE, 250.0)
    # 35 % of 60 replicas are 21 steps of 120 s: 1,150 + 600 + 2,400 + 300 s
    assert surges.hours_apart(slow, SURGE, SETTING, 60.0) == 2
    assert surges.hours_apart(slow, SURGE, SETTING, 1e6) == 24
