"""The curve of a plan: the forecaster's where its windows fit the ticks, else that of past weeks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.decide.rules import real_demand
from headrace.plan.expected import traffic
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
