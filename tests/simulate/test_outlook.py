"""Other curves for the rule: none, last week, the forecaster's; each tells only what was known."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide import rules
from headrace.simulate import outlook
from headrace.simulate.inputs import Setting, Traffic, after, inputs, past_curve
from headrace.simulate.seed_day import random_days

SETTING = Setting(startup_s=720.0, lag_s=60.0, tick_s=60.0, per_replica=2.0)
DAY = 1_440
RULE = rules.real_demand(720.0, 0.5)


def demand(days: int = 4) -> np.ndarray:
    """Random days, one value a minute."""
    return random_days(8, days).ravel()[::6]


def test_of_persistence_nothing_is_expected() -> None:
    traffic = outlook.persistence(demand(), SETTING)
    read = inputs(RULE, SETTING, traffic)
    np.testing.assert_allclose(read.peak, read.at_seen)
    np.testing.assert_allclose(read.peak[1:], read.mean[1:])


def test_last_week_is_the_same_time_then_and_yesterday_before() -> None:
    history = demand(4)
    traffic = outlook.last_week(history, SETTING, period_s=2 * 86_400.0)
    at = 3 * DAY + 500
    assert traffic.curve[at] == pytest.approx(history[at - 2 * DAY - 5 : at - 2 * DAY + 6].mean())
    early = DAY + 500
    assert traffic.curve[early] == pytest.approx(history[early - DAY - 5 : early - DAY + 6].mean())
    assert np.isnan(traffic.curve[500])


def test_the_forecast_stands_for_the_curve_once_it_is_issued() -> None:
    history = demand()
    traffic = outlook.forecast(history, SETTING)
    past = inputs(RULE, SETTING, past_curve(history, SETTING))
    read = inputs(RULE, SETTING, traffic)
    np.testing.assert_allclose(read.peak[: 2 * DAY - 30], past.peak[: 2 * DAY - 30])
    assert traffic.paths is not None
    later = slice(3 * DAY, 4 * DAY)
    assert np.abs(read.peak[later] / past.peak[later] - 1.0).max() > 0.01
    # about what comes: the rise from the sample to the peak is foretold better than not at all
    coming = np.array([history[at : at + 14].max() for at in range(3 * DAY, 4 * DAY - 14)]) / 2.0
    seen = read.seen[3 * DAY : 4 * DAY - 14]
    said = seen * (read.peak / read.at_seen)[3 * DAY : 4 * DAY - 14]
    assert np.abs(said - coming).mean() < 0.9 * np.abs(seen - coming).mean()


@pytest.mark.parametrize("cut", [2 * DAY + 777, 3 * DAY + 13])
def test_changing_the_future_changes_nothing_that_was_read(cut: int) -> None:
    history = demand()
    other = history.copy()
    other[cut:] *= 3.0
    for made in (outlook.persistence, outlook.last_week, outlook.forecast):
        one, two = (inputs(RULE, SETTING, made(values, SETTING)) for values in (history, other))
        # at the tick of the cut the sample is one lag old
        for column in ("seen", "at_seen", "peak", "mean"):
            np.testing.assert_array_equal(getattr(one, column)[: cut + 1], getattr(two, column)[: cut + 1])


def test_a_hole_in_the_newest_window_is_what_had_been_expected_of_it() -> None:
    history = demand()
    history[3 * DAY + 100 : 3 * DAY + 160] = np.nan
    traffic = outlook.forecast(history, SETTING)
    read = inputs(RULE, SETTING, traffic)
    assert not np.isnan(read.peak[DAY:]).any()
    assert not np.isnan(read.at_seen[DAY:]).any()
    around = read.peak[3 * DAY + 100 : 3 * DAY + 170]
    assert around.max() / around.min() < 1.5


def test_what_is_learned_from_can_be_cut_off() -> None:
    history = demand()
    traffic = outlook.forecast(history, SETTING)
    whole = inputs(RULE, SETTING, traffic)
    part = inputs(RULE, SETTING, after(traffic, 3 * DAY))
    np.testing.assert_array_equal(part.peak, whole.peak[3 * DAY :])


def test_too_little_to_fit_leaves_the_curve_of_past_days() -> None:
    history = demand(2)
    traffic = outlook.forecast(history, SETTING)
    assert isinstance(traffic, Traffic)
    assert traffic.paths is None
