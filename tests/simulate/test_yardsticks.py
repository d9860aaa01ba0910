"""The yardsticks are what their names say, at their best: the bar must not be low."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast.decay import Floats
from headrace.simulate.backtest import pinball
from headrace.simulate.yardsticks import BAND_DAYS, NAMES, Protocol, banded, delayed, yardsticks

SLOTS = 24
PROTOCOL = Protocol(SLOTS, ahead=2, first_day=14)


def demand(days: int = 24) -> Floats:
    draw = np.random.default_rng(6)
    at = np.arange(days * SLOTS)
    weekly = 0.5 * np.sin(2.0 * np.pi * at / SLOTS) + 0.3 * (at // SLOTS % 7 >= 5)
    return np.asarray(100.0 * np.exp(weekly + 0.05 * draw.standard_normal(len(at))))


def loss(history: Floats, upper: Floats) -> float:
    return float(np.nanmean(pinball(history, upper)[PROTOCOL.first_day * SLOTS :]))


def test_all_twelve_are_there_and_judged_from_the_first_day_on() -> None:
    found = yardsticks(demand(), PROTOCOL)
    assert [(each.name, each.band_days) for each in found] == [
        (name, days) for name in NAMES for days in BAND_DAYS
    ]
    for each in found:
        assert np.isnan(each.upper[: 14 * SLOTS]).all()
        assert not np.isnan(each.upper[14 * SLOTS :]).any()


def test_plain_ones_are_a_curve_times_a_quantile() -> None:
    history = demand()
    found = {(each.name, each.band_days): each.upper for each in yardsticks(history, PROTOCOL)}
    start = 20 * SLOTS
    softening = 0.05 * history[: start - 1].mean()
    for name, back in (("persistence", 2), ("last week", 7 * SLOTS)):
        curve = delayed(history, back)
        past = slice(start - 7 * SLOTS, start - 1)
        ratios = np.sort((history[past] + softening) / (curve[past] + softening))
        # 167 residuals: the 160th of them
        expected = ratios[159] * (curve[start : start + SLOTS] + softening) - softening
        assert found[name, 7][start : start + SLOTS] == pytest.approx(expected)


def test_a_weekly_pattern_suits_last_week_and_a_level_that_wanders_its_correction() -> None:
    history = demand()
    wander = np.exp(0.05 * np.random.default_rng(8).standard_normal(len(history)).cumsum())
    calm = {(each.name, each.band_days): loss(history, each.upper) for each in yardsticks(history, PROTOCOL)}
    wandering = history * wander
    found = {
        (each.name, each.band_days): loss(wandering, each.upper) for each in yardsticks(wandering, PROTOCOL)
    }
    assert calm["last week", 14] < 0.75 * calm["persistence", 14]
    assert found["last week + level", 14] < 0.5 * found["last week", 14]


def test_a_correction_that_does_not_help_is_not_made() -> None:
    history = demand()
    week = delayed(history, 7 * SLOTS)
    plain, chosen = (
        loss(history, banded(history, week, PROTOCOL, how, 14)) for how in ("none", "to the curve")
    )
    assert chosen < 1.03 * plain


def test_the_future_does_not_enter() -> None:
    history = demand()
    changed = history.copy()
    changed[20 * SLOTS + 5 :] *= 4.0
    for one, two in zip(yardsticks(history, PROTOCOL), yardsticks(changed, PROTOCOL), strict=True):
        seen = 20 * SLOTS + 5 + PROTOCOL.ahead
        assert one.upper[:seen] == pytest.approx(two.upper[:seen], nan_ok=True), one.name


def test_until_a_week_is_known_last_week_is_yesterday() -> None:
    history = demand(6)
    protocol = Protocol(SLOTS, ahead=1, first_day=4)
    week = next(each.upper for each in yardsticks(history, protocol) if each.name == "last week")
    yesterday = banded(history, delayed(history, SLOTS), protocol, "none", 7)
    assert week == pytest.approx(yesterday, nan_ok=True)
