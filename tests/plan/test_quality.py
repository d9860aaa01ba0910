"""A forecast tried on its own past: against rivals on the same windows, and none where nothing can be tried."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import OF_DAY, demand

from headrace.plan.quality import LEVEL, Quality, quality
from headrace.series import Series
from headrace.simulate.backtest import pinball


def tried(series: Series, ahead_s: float = 600.0) -> Quality:
    found = quality(series, ahead_s)
    assert found is not None
    return found


def test_the_loss_is_that_of_the_band_on_the_judged_windows() -> None:
    series = demand(6)
    found = tried(series)
    assert found.ahead_s == 600.0
    assert found.days == 3.0
    assert np.array_equal(found.came, series.values[3 * OF_DAY :])
    loss = np.nanmean(pinball(found.came, found.upper, LEVEL)) / np.nanmean(found.came)
    assert found.loss_ratio == pytest.approx(loss)
    assert 0.8 < found.coverage_ratio <= 1.0
    assert found.coverage_ratio == pytest.approx(np.mean(found.came <= found.upper), abs=0.01)


def test_rivals_are_each_named_once_and_the_best_comes_first() -> None:
    found = tried(demand(6))
    losses = [rival.loss_ratio for rival in found.rivals]
    assert losses == sorted(losses)
    assert {rival.name for rival in found.rivals} == {
        f"{name}{level}" for name in ("persistence", "last week") for level in ("", " + level")
    }
    assert found.gain_ratio == pytest.approx(1.0 - found.loss_ratio / losses[0])


def test_how_far_ahead_is_whole_windows() -> None:
    assert tried(demand(6), 301.0).ahead_s == 600.0
    assert tried(demand(6), 1.0).ahead_s == 300.0


@pytest.mark.parametrize("days", [0.1, 1.0, 2.9])
def test_too_short_a_history_is_not_tried(days: float) -> None:
    assert quality(demand(days), 600.0) is None


@pytest.mark.parametrize("value", [0.0, 5e-324, math.nan])
def test_no_demand_is_not_tried(value: float) -> None:
    nothing = replace(demand(6), values=np.full(6 * OF_DAY, value))
    assert quality(nothing, 600.0) is None


def test_half_a_day_ahead_is_too_far() -> None:
    assert quality(demand(6), 12 * 3_600.0) is None


def test_three_days_are_enough_and_it_says_what_they_are_too_few_for() -> None:
    found = tried(demand(3))
    assert found.days == 1.0
    assert any("weekday" in note for note in found.notes)


def test_demand_that_never_moves_is_forecast_without_loss_and_beats_nobody() -> None:
    found = tried(replace(demand(6), values=np.full(6 * OF_DAY, 50.0)))
    assert found.loss_ratio == pytest.approx(0.0, abs=1e-9)
    assert math.isnan(found.gain_ratio) or found.gain_ratio < 1.0


def test_mostly_holes_are_judged_where_something_came() -> None:
    series = demand(8)
    series.values[np.random.default_rng(3).random(len(series)) < 0.6] = np.nan
    found = tried(series)
    assert math.isfinite(found.loss_ratio)
    assert np.isnan(found.came).mean() == pytest.approx(0.6, abs=0.05)


def test_one_request_after_days_of_nothing_raises_no_warning() -> None:
    values = np.zeros(4 * OF_DAY)
    values[700] = 1.0
    found = quality(replace(demand(4), values=values), 600.0)
    assert found is None or all(math.isfinite(rival.loss_ratio) for rival in found.rivals)
