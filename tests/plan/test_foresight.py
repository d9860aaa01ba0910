"""The next hour: windows from the end of the past on, near what a day's course says, with what is not known said."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import DAY_S, MONDAY_S, OF_DAY, demand

from headrace.plan.foresight import foresight
from headrace.series import Series


def test_an_hour_of_windows_from_the_end_on() -> None:
    made = foresight(demand(8))
    assert (made.origin_s, made.step_s, made.level) == (MONDAY_S + 8 * DAY_S, 300.0, 0.95)
    assert made.expected.shape == made.upper.shape == (12,)
    assert made.newest == demand(8).values[-1]
    course = 600.0 * (1.0 - 0.5 * np.cos(np.arange(12) * 2.0 * np.pi / OF_DAY))
    assert made.expected == pytest.approx(course, rel=0.15)
    assert (made.upper > made.expected).all()


def test_a_higher_level_is_above_a_lower_one() -> None:
    high, low = (foresight(demand(8), level=level) for level in (0.99, 0.8))
    assert high.upper.mean() > low.upper.mean()


def test_a_coarse_history_has_one_window_of_its_own_step() -> None:
    hourly = Series(MONDAY_S, 7_200.0, demand(8).values[::24], "slots")
    made = foresight(hourly)
    assert (made.step_s, len(made.expected)) == (7_200.0, 1)


@pytest.mark.parametrize("days", [0.01, 0.5, 1.0, 1.5])
def test_less_than_two_days_are_said_to_be_little(days: float) -> None:
    made = foresight(demand(days))
    assert len(made.expected) == 12
    assert made.notes
    if days >= 0.5:
        assert np.isfinite(made.expected).all()


def test_nothing_but_zero_is_forecast_to_be_zero() -> None:
    made = foresight(replace(demand(4), values=np.zeros(4 * OF_DAY)))
    assert (made.expected == 0.0).all()
    assert (made.upper == 0.0).all()


def test_without_a_value_nothing_is_expected() -> None:
    made = foresight(replace(demand(4), values=np.full(4 * OF_DAY, np.nan)))
    assert math.isnan(made.newest)
    assert np.isnan(made.expected).all()


def test_the_newest_value_is_the_last_known() -> None:
    series = demand(4)
    series.values[-5:] = np.nan
    made = foresight(series)
    assert made.newest == series.values[-6]
    assert made.origin_s == MONDAY_S + 4 * DAY_S
