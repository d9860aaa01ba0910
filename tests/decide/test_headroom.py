"""Headroom from growth and from surges, with the worked figures of the seed day."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.decide.headroom import growth_headroom, growth_quantile, start_delay_s, surge_gain
from headrace.spec import Surge

SURGE = Surge(rise_ratio=0.35, ramp_s=300.0)


def test_forty_in_five_minutes_with_twelve_minutes_of_start_up_needs_forty() -> None:
    growth_per_s = 40.0 / 300.0
    assert growth_headroom(growth_per_s, 40.0, 720.0) == 40.0
    assert growth_per_s * 720.0 == pytest.approx(96.0)


def test_thirty_in_four_minutes_with_ten_minutes_of_start_up_needs_thirty() -> None:
    assert growth_headroom(30.0 / 240.0, 30.0, 600.0) == 30.0


def test_a_wake_of_twenty_seconds_needs_a_fraction() -> None:
    assert growth_headroom(40.0 / 300.0, 40.0, 20.0) == pytest.approx(2.667, abs=0.001)


def test_falling_demand_needs_none() -> None:
    assert growth_headroom(-1.0, 40.0, 720.0) == 0.0


@pytest.mark.parametrize(
    ("lag_s", "startup_s", "gain"),
    [
        (60.0, 180.0, 1.0 + 0.35 * 250 / 300),
        (60.0, 20.0, 1.105),
        (60.0, 720.0, 1.35),
        (10.0, 180.0, 1.0 + 0.35 * 200 / 300),
    ],
)
def test_gain_for_the_surge_of_the_seed_day(lag_s: float, startup_s: float, gain: float) -> None:
    assert surge_gain(SURGE, start_delay_s(lag_s, startup_s, 10.0)) == pytest.approx(gain)


def test_gain_rounds_to_the_figures_that_were_found_by_simulation() -> None:
    assert [round(surge_gain(SURGE, start_delay_s(60.0, s, 10.0)), 2) for s in (180.0, 20.0, 720.0)] == [
        1.29,
        1.10,
        1.35,
    ]


def test_a_surge_at_once_needs_its_whole_rise() -> None:
    assert surge_gain(Surge(0.35, 0.0), 0.0) == 1.35


class TestGrowthQuantile:
    def test_of_a_straight_rise(self) -> None:
        # 10 to 20 by ones; two steps ahead of 10 is 12: the greatest ratio
        values = np.arange(10.0, 21.0)
        assert growth_quantile(values, 2, 1.0) == pytest.approx(0.2)
        assert growth_quantile(values, 2, 0.0) == pytest.approx(20.0 / 18.0 - 1.0)

    def test_takes_the_greatest_value_on_the_way(self) -> None:
        assert growth_quantile(np.array([10.0, 15.0, 10.0, 10.0]), 3, 1.0) == pytest.approx(0.5)

    def test_a_fall_is_no_rise(self) -> None:
        assert growth_quantile(np.array([10.0, 5.0, 4.0]), 1, 1.0) == 0.0

    def test_holes_are_not_zero_demand(self) -> None:
        values = np.array([10.0, math.nan, 11.0, math.nan, math.nan, 12.0])
        # 10 sees 11 behind the hole; 11 sees only holes; the hole itself says nothing
        assert growth_quantile(values, 2, 1.0) == pytest.approx(0.1)

    def test_a_rise_from_nothing_has_no_ratio(self) -> None:
        assert growth_quantile(np.array([0.0, 10.0, 11.0]), 1, 1.0) == pytest.approx(0.1)

    @pytest.mark.parametrize(
        ("values", "steps"),
        [([], 1), ([1.0], 1), ([1.0, 2.0], 2), ([math.nan] * 5, 1), ([0.0] * 5, 1), ([1.0, 2.0], 0)],
    )
    def test_what_says_nothing_is_not_a_number(self, values: list[float], steps: int) -> None:
        assert math.isnan(growth_quantile(np.array(values), steps, 0.99))
