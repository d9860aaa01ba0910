"""Forecasts along a history are those a live loop would have issued, and are judged as they should be."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide import forecast
from headrace.decide.forecast.decay import Floats
from headrace.simulate.backtest import Ahead, ahead_of, issued_along, learned_days, pinball, quality

SLOTS = 48


def demand(models: int, windows: int) -> Floats:
    draw = np.random.default_rng(2)
    wave = 0.8 * np.sin(2.0 * np.pi * np.arange(windows) / SLOTS)
    return np.asarray(100.0 * np.exp(wave + 0.1 * draw.standard_normal((models, windows))))


def test_along_a_history_is_what_a_live_loop_issues() -> None:
    horizons, first_day = (1, 3), 5
    history = demand(2, 8 * SLOTS)
    along = issued_along(history, SLOTS, horizons, first_day)
    state = None
    for day in (5, 6, 7):
        origin = day * SLOTS - 3
        known = history[:, : day * SLOTS].copy()
        known[:, origin + 1 :] = np.nan
        fit = forecast.fit(known, SLOTS, horizons, unseen=2)
        state = forecast.resumed(fit, state)
        for window in range(origin, min(origin + SLOTS, history.shape[1])):
            issued = forecast.issue(fit, state)
            np.testing.assert_allclose(along.upper[:, window], issued.upper, rtol=1e-9)
            np.testing.assert_allclose(along.expected[:, window], issued.expected, rtol=1e-9)
            if window + 1 < history.shape[1]:
                state = forecast.observe(fit, state, history[:, window + 1])


@pytest.mark.parametrize("windows", [8 * SLOTS, 8 * SLOTS - 1, 8 * SLOTS - 3, 7 * SLOTS + 1])
def test_every_window_from_the_first_fit_on_is_an_origin(windows: int) -> None:
    along = issued_along(demand(1, windows), SLOTS, (1, 2), first_day=5)
    issued = ~np.isnan(along.upper[0, :, 0])
    assert np.flatnonzero(issued).tolist() == list(range(5 * SLOTS - 2, windows))


def test_by_window_what_was_said_of_it() -> None:
    along = issued_along(demand(1, 7 * SLOTS), SLOTS, (1, 2), first_day=5)
    ahead = ahead_of(along, 2)
    assert (ahead.upper[0, 5 * SLOTS :] == along.upper[0, 5 * SLOTS - 2 : -2, 1]).all()
    assert np.isnan(ahead.expected[0, : 5 * SLOTS]).all()


def test_quality_by_hand() -> None:
    came = np.array([9.0, 9.0, 1.0, 2.0, np.nan, 5.0])
    upper = np.array([[0.0, 0.0, 2.0, 2.0, 9.0, 3.0]])
    found = quality(came, Ahead(upper - 1.0, upper), windows_per_day=2, first_day=1, level=0.9)
    assert found.windows == 3
    assert found.pinball_ratio == pytest.approx((0.1 * 1.0 + 0.0 + 0.9 * 2.0) / 8.0)
    assert found.error_ratio == pytest.approx((0.0 + 1.0 + 3.0) / 8.0)
    assert found.coverage_ratio == pytest.approx(2 / 3)
    assert found.worst_day_ratio == 0.0
    assert quality(np.full(6, np.nan), Ahead(upper, upper), 2, 1).windows == 0


def test_pinball_weighs_what_lies_above() -> None:
    assert pinball(np.array([3.0, 1.0, np.nan]), np.full(3, 2.0), 0.95)[:2].tolist() == pytest.approx(
        [0.95, 0.05]
    )


def test_how_much_is_only_learned_from() -> None:
    assert [learned_days(days * SLOTS, SLOTS) for days in (14, 27, 28, 200)] == [7, 7, 14, 14]


def test_on_ordinary_demand_the_band_covers_what_it_says() -> None:
    history = demand(3, 35 * SLOTS)
    ahead = ahead_of(issued_along(history, SLOTS, (2,), first_day=14), 2)
    for model in range(3):
        one = Ahead(ahead.expected[model : model + 1], ahead.upper[model : model + 1])
        found = quality(history[model], one, SLOTS, 14)
        assert 0.93 < found.coverage_ratio < 0.97
        # noise of 10 % leaves a tenth of a mean deviation and a quantile loss of 1 %: no forecast can do better
        assert found.error_ratio < 0.1
        assert found.pinball_ratio < 0.014
