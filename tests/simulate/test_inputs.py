"""What the rule reads: windows of the curve, lags, past weeks, gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.decide import rules
from headrace.simulate import inputs as made
from headrace.simulate.inputs import Setting
from headrace.spec import Surge

NAN = np.nan


@given(
    values=st.lists(st.one_of(st.floats(0, 100), st.just(NAN)), min_size=1, max_size=60),
    first=st.integers(-15, 20),
    size=st.integers(1, 30),
)
def test_a_window_peak_is_the_greatest_known_value_in_the_window(
    values: list[float], first: int, size: int
) -> None:
    curve = np.array(values)
    last = first + size - 1
    peaks = made.window_peak(curve, first, last, len(curve))
    for i, peak in enumerate(peaks):
        window = curve[max(0, i + first) : max(0, i + last + 1)]
        known = window[~np.isnan(window)]
        if len(known):
            assert peak == known.max()
        elif len(window):
            assert np.isnan(peak)


def test_a_window_outside_altogether_reads_the_nearest_value() -> None:
    curve = np.array([1.0, 2.0, 3.0])
    assert made.window_peak(curve, -3, -2, 3).tolist() == [1.0, 1.0, 1.0]
    assert made.window_peak(curve, 5, 6, 3).tolist() == [3.0, 3.0, 3.0]


def test_a_curve_that_runs_on_is_read_beyond_the_demand() -> None:
    assert made.window_peak(np.array([1.0, 2.0, 3.0, 9.0]), 1, 2, 2).tolist() == [3.0, 9.0]


def test_before_the_first_sample_the_first_is_seen() -> None:
    assert made.lagged(np.array([5.0, 6.0, 7.0]), 2).tolist() == [5.0, 5.0, 5.0]
    assert made.lagged(np.array([5.0, 6.0]), 7).tolist() == [5.0, 5.0]
    assert made.lagged(np.array([5.0, 6.0]), 0).tolist() == [5.0, 6.0]


def test_past_curve_is_last_period_smoothed_and_knows_nothing_before() -> None:
    setting = Setting(tick_s=300.0)
    demand = np.array([1.0, 4.0, 7.0, NAN, 5.0, 6.0])
    traffic = made.past_curve(demand, setting, 600.0)
    assert np.isnan(traffic.curve[0])
    np.testing.assert_allclose(traffic.curve[1:], [1.0, 2.5, 4.0, 5.5, 6.0, 5.5, 5.5])


def test_the_curve_is_half_last_week_and_half_the_mean_of_its_days() -> None:
    setting = Setting(tick_s=21_600.0)  # four ticks a day, so that smoothing does nothing
    demand = np.repeat(np.arange(1.0, 10.0), 4)  # day n brings n
    curve = made.past_curve(demand, setting).curve
    assert np.isnan(curve[:4]).all()
    assert curve[4] == 1.0  # the second day knows the first
    assert curve[4 * 3] == 2.0  # the fourth the mean of three
    assert curve[4 * 7] == (1.0 + 4.0) / 2  # the eighth: last week brought 1, its days 4 on average
    assert curve[4 * 9] == (3.0 + 6.0) / 2  # it runs on for a day after the demand
    assert len(curve) == 4 * 10


def test_the_past_mean_uses_nothing_that_is_not_yet_seen() -> None:
    setting = Setting(tick_s=10.0, lag_s=20.0)
    demand = np.array([2.0, 4.0, 6.0, 100.0])
    traffic = made.past_curve(demand, setting, 600.0)
    assert traffic.mean.tolist() == [2.0, 2.0, 2.0, 3.0]


def test_an_unknown_curve_leaves_what_is_seen() -> None:
    setting = Setting(per_replica=1.0, lag_s=0.0, startup_s=20.0)
    rule = rules.real_demand(20.0, 0.0)._replace(floor_gain=0.8)
    demand = np.array([3.0, 4.0, 5.0, 4.0, 3.0])
    read = made.inputs(rule, setting, made.past_curve(demand, setting))
    assert np.isnan(read.floor_peak).all()
    np.testing.assert_array_equal(read.at_seen, read.peak)


def test_the_seeds_floor_reads_one_point_two_minutes_after_a_start() -> None:
    setting = Setting(per_replica=1.0, startup_s=180.0)
    curve = np.arange(100.0)
    rule = rules.predictive(0.9, setting.lag_s, setting.tick_s)
    read = made.inputs(rule, setting, made.Traffic(curve[:50], curve, curve[:50]))
    assert read.floor_peak[0] == 30.0


def test_a_known_curve_is_read_until_an_order_of_the_next_tick_is_ready() -> None:
    setting = Setting(per_replica=1.0, startup_s=180.0)
    curve = np.arange(100.0)
    rule = rules.known_curve(Surge(0.35, 300.0), 250.0)
    read = made.inputs(rule, setting, made.Traffic(curve[:50], curve + 1.0, curve[:50]))
    assert read.floor_peak[0] == read.peak[0] == 26.0


@pytest.mark.parametrize(
    ("startup_s", "drain_s", "lag_s", "expected"),
    [
        (180.0, 0.0, 60.0, (6, 18, 0)),
        (185.0, 15.0, 65.0, (6, 19, 2)),
        (1.0, 300.0, 5.0, (0, 1, 30)),
        (0.0, 0.0, 0.0, (0, 1, 0)),  # what is ordered at a tick is ready at the next at the earliest
    ],
)
def test_seconds_become_whole_ticks(
    startup_s: float, drain_s: float, lag_s: float, expected: tuple[int, int, int]
) -> None:
    assert tuple(Setting(startup_s, lag_s, drain_s).timing)[1:] == expected


def test_the_past_mean_forgets_after_a_week() -> None:
    setting = Setting(tick_s=21_600.0, lag_s=0.0)  # four ticks a day
    demand = np.concatenate([np.full(4, 100.0), np.full(4 * 8, 2.0)])
    mean = made.past_curve(demand, setting).mean
    assert mean[4 * 7 - 1] == (100.0 + 6 * 2.0) / 7  # the seventh day still knows the first
    assert mean[-1] == 2.0


def test_the_curve_is_smoothed_by_five_minutes_each_way() -> None:
    setting = Setting(tick_s=100.0)
    demand = np.zeros(60)
    demand[20] = 7.0
    curve = made.past_curve(demand, setting, 1_000.0).curve
    assert np.flatnonzero(np.nan_to_num(curve) > 0.0).tolist() == list(range(30 - 3, 30 + 4))
    assert curve[30] == pytest.approx(1.0)


def test_a_curve_without_weight_is_still_read_for_the_headroom() -> None:
    setting = Setting(per_replica=1.0, lag_s=0.0, startup_s=20.0, tick_s=10.0)
    curve = np.arange(1.0, 20.0)
    traffic = made.Traffic(curve[:5], curve, np.full(5, 9.0))
    rule = rules.real_demand(20.0)._replace(curve_weight=0.0)
    assert made.inputs(rule, setting, traffic).peak.tolist() == [4.0, 5.0, 6.0, 7.0, 8.0]
    off = made.inputs(rule._replace(on_curve=False), setting, traffic)
    assert off.peak.tolist() == [9.0] * 5  # nothing reads it


def test_a_curve_of_zero_has_no_ratio() -> None:
    setting = Setting(per_replica=1.0, lag_s=0.0, startup_s=20.0)
    rule = rules.known_curve(Surge(0.35, 300.0), 30.0)
    curve = np.array([0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    read = made.inputs(rule, setting, made.Traffic(curve[:4], curve, np.zeros(4)))
    assert read.at_seen[0] == read.peak[0] > 0.0
    assert (read.at_seen[2], read.peak[2]) == (2.0, 2.0)
