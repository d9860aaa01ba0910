"""A past by windows of local days: what divides a day, where days begin, what clocks leave out and repeat."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.plan.asks import DAY_S, MONDAY_S, demand

from headrace.observe.calendar import slots_of_week
from headrace.plan.windows import Calendar, day_windows, utc
from headrace.series import Series


def of_zone(zone: str) -> Calendar:
    return lambda at_s, of_day: slots_of_week(at_s, zone, of_day)


def ramp(step_s: float, days: float, start_s: float = MONDAY_S) -> Series:
    return Series(start_s, step_s, np.arange(math.ceil(days * DAY_S / step_s), dtype=np.float64))


@pytest.mark.parametrize(
    ("step_s", "window_s"),
    [
        (10.0, 300.0),
        (45.0, 360.0),
        (60.0, 300.0),
        (300.0, 300.0),
        (420.0, 450.0),  # seven minutes divide no day
        (700.0, 720.0),
        (900.0, 900.0),
        (3_600.0, 3_600.0),
        (7_000.0, 7_200.0),
        (86_400.0, 86_400.0),
        (604_800.0, 604_800.0),
    ],
)
def test_windows_are_five_minutes_or_longer_and_divide_a_day(step_s: float, window_s: float) -> None:
    found = day_windows(ramp(step_s, 21))
    assert found.step_s == window_s
    assert found.of_day == max(1, round(DAY_S / window_s))


@pytest.mark.parametrize("step_s", [45.0, 420.0, 700.0, 3_600.0])
def test_no_window_is_empty_and_each_is_the_mean_of_what_begins_in_it(step_s: float) -> None:
    series = ramp(step_s, 3)
    found = day_windows(series)
    at_s = MONDAY_S + np.arange(len(series)) * step_s
    for window, start_s in enumerate(found.times_s):
        assert start_s == MONDAY_S + window * found.step_s
        within = (at_s > start_s - 1e-6) & (at_s < start_s + found.step_s - 1e-6)
        assert found.values[window] == pytest.approx(series.values[within].mean())


def test_it_begins_with_the_first_midnight() -> None:
    found = day_windows(demand(4, start_s=MONDAY_S + 10 * 3_600.0))
    assert found.times_s[0] == MONDAY_S + DAY_S
    assert len(found.values) == 4 * 288 - 14 * 12


def test_without_a_whole_day_nothing_is_left_out() -> None:
    found = day_windows(demand(1, start_s=MONDAY_S + 10 * 3_600.0))
    assert np.isnan(found.values[: 10 * 12]).all()
    assert not np.isnan(found.values[10 * 12 :]).any()
    assert len(found.values) == 10 * 12 + 288


def test_a_hole_stays_a_hole() -> None:
    series = demand(2)
    series.values[100:110] = np.nan
    assert np.flatnonzero(np.isnan(day_windows(series).values)).tolist() == list(range(100, 110))


def test_days_are_those_of_the_zone() -> None:
    kathmandu = day_windows(demand(4), of_zone("Asia/Kathmandu"))
    assert kathmandu.times_s[0] == MONDAY_S + DAY_S - 5.75 * 3_600.0


def test_an_hour_that_the_clocks_left_out_is_a_hole_and_one_that_came_twice_is_a_mean() -> None:
    # Europe/Berlin: 31 March 2024, 2:00 to 3:00 is missing; 27 October 2024, 2:00 to 3:00 comes twice
    for midnight_s, hour in ((1_711_753_200.0, "missing"), (1_729_893_600.0, "twice")):
        found = day_windows(ramp(3_600.0, 3, midnight_s), of_zone("Europe/Berlin"))
        second = found.values[24:48]
        if hour == "missing":
            assert np.flatnonzero(np.isnan(second)).tolist() == [2]
            assert second[3] == 26.0
        else:
            assert second[2] == 26.5
            assert second[3] == 28.0
        assert found.of_day == 24


def test_times_that_count_from_a_midnight_are_a_thursday_s() -> None:
    assert utc(np.array([0.0, 3_600.0, DAY_S, 4 * DAY_S]), 24).tolist() == [72, 73, 96, 0]
