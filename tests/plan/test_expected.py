"""The curve of a plan: the forecaster's where its windows fit the ticks, else that of past weeks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from headrace.decide.rules import real_demand
from headrace.observe.calendar import slots_of_week
from headrace.plan.expected import local_ticks, traffic
from headrace.plan.windows import utc
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import Setting, inputs, past_curve
from headrace.simulate.outlook import forecast

DAYS, TICK_S = 4, 60.0


def demand(tick_s: float) -> Floats:
    at: Floats = np.arange(int(DAYS * 86_400 / tick_s), dtype=np.float64) * tick_s
    wave: Floats = 10.0 + 4.0 * np.sin(at * math.tau / 86_400.0) + np.sin(at / 977.0)
    return wave


def test_the_forecaster_s_paths_are_read() -> None:
    setting = Setting(startup_s=180.0, tick_s=TICK_S)
    found = traffic(demand(TICK_S), setting)
    assert found.paths is not None
    expected = forecast(demand(TICK_S), setting)
    assert expected.paths is not None
    np.testing.assert_array_equal(found.paths.points, expected.paths.points)
    np.testing.assert_array_equal(found.paths.place, expected.paths.place)


@pytest.mark.parametrize(
    ("tick_s", "startup_s"),
    [
        (7.0, 180.0),  # 300 s are no whole number of ticks
        (700.0, 180.0),  # nor is a day
        (60.0, 7_200.0),  # further than anything is forecast
    ],
)
def test_else_it_is_the_curve_of_past_weeks(tick_s: float, startup_s: float) -> None:
    setting = Setting(startup_s=startup_s, tick_s=tick_s)
    found, expected = traffic(demand(tick_s), setting), past_curve(demand(tick_s), setting)
    assert found.paths is None
    np.testing.assert_array_equal(found.curve, expected.curve)


def test_a_coarse_tick_is_its_own_window() -> None:
    assert traffic(demand(600.0), Setting(startup_s=720.0, tick_s=600.0)).paths is not None


def test_what_comes_later_changes_nothing_before() -> None:
    setting = Setting(startup_s=180.0, tick_s=TICK_S)
    whole, cut = demand(TICK_S), 3 * 1_440
    other = whole.copy()
    other[cut:] *= 3.0
    rule = real_demand(setting.startup_s)
    one, two = (inputs(rule, setting, traffic(values, setting)) for values in (whole, other))
    for before, after in zip(one, two, strict=True):
        np.testing.assert_array_equal(before[:cut], after[:cut])
    assert (one.peak[cut + 60 :] != two.peak[cut + 60 :]).all()


def berlin(at_s: Floats, windows_per_day: int) -> NDArray[np.int64]:
    return slots_of_week(at_s, "Europe/Berlin", windows_per_day)


BACK_S, ON_S = 1_792_890_000.0, 1_774_746_000.0
"""25 October 2026, 1:00 UTC: clocks in Berlin go back an hour; 29 March: they go on."""
LOCAL_S = {BACK_S: 7_200.0, ON_S: 3_600.0}
"""How far they are ahead of UTC until then."""


def by_the_clock(change_s: float, tick_s: float = 300.0, days: int = 5) -> tuple[Floats, float, Floats]:
    """Demand that follows the clock on the wall: its values, their start two local days before, and local seconds."""
    start_s = change_s - 2.0 * 86_400.0 - LOCAL_S[change_s]
    at_s = np.asarray(start_s + np.arange(int(days * 86_400 / tick_s)) * tick_s, dtype=np.float64)
    minute = berlin(at_s, 1_440) % 1_440
    clock_s = np.asarray(minute * 60.0, dtype=np.float64)
    return 10.0 + 4.0 * np.sin(clock_s * math.tau / 86_400.0), start_s, clock_s


@pytest.mark.parametrize("change_s", [BACK_S, ON_S])
@pytest.mark.parametrize("startup_s", [180.0, 20_000.0])
def test_what_came_at_nine_is_expected_at_nine_after_the_clocks_were_changed(
    change_s: float, startup_s: float
) -> None:
    setting = Setting(startup_s=startup_s, tick_s=300.0, lag_s=0.0)
    values, start_s, clock_s = by_the_clock(change_s)
    with_zone = traffic(values, setting, start_s=start_s, calendar=berlin)
    without = traffic(values, setting, start_s=start_s)
    days = [round((change_s - start_s) / 300.0) + hours * 12 for hours in (6, 12, 18, 30)]
    for tick in days:
        assert with_zone.curve[tick] == pytest.approx(values[tick], rel=0.03), clock_s[tick] / 3_600.0
    assert max(abs(without.curve[tick] / values[tick] - 1.0) for tick in days) > 0.05
    assert (with_zone.paths is None) == (without.paths is None)
    np.testing.assert_array_equal(with_zone.demand, values)
    assert len(with_zone.mean) == len(values)


@pytest.mark.parametrize("change_s", [BACK_S, ON_S])
def test_no_local_hour_is_known_before_it_came(change_s: float) -> None:
    setting = Setting(startup_s=180.0, tick_s=300.0)
    values, start_s, _ = by_the_clock(change_s)
    rule = real_demand(setting.startup_s)
    for hours in (-1, 0, 1, 2, 30):
        cut = round((change_s - start_s) / 300.0) + 12 * hours + 5
        other = values.copy()
        other[cut:] *= 3.0
        one, two = (
            inputs(rule, setting, traffic(each, setting, start_s=start_s, calendar=berlin))
            for each in (values, other)
        )
        for before, after in zip(one, two, strict=True):
            np.testing.assert_array_equal(before[:cut], after[:cut])


def test_clocks_that_never_change_leave_all_as_it_is() -> None:
    assert local_ticks(10_000, 10.0, BACK_S - 200_000.0, utc) is None
    assert local_ticks(1_000, 7.3, 0.1, utc) is None
    on = local_ticks(100, 600.0, ON_S - 6_000.0, berlin)
    back = local_ticks(100, 600.0, BACK_S - 6_000.0, berlin)
    assert on is not None
    assert back is not None
    assert on.tolist() == [*range(10), *range(16, 106)]
    assert back.tolist() == [*range(10), *range(4, 94)]
