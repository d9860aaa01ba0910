"""A day in one go is the day window by window; a new fit goes on where the old one was; clocks may move."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from headrace.decide import forecast
from headrace.decide.forecast import State
from headrace.decide.forecast.decay import Floats

SLOTS = 48


def demand(models: int, days: int) -> Floats:
    draw = np.random.default_rng(11)
    wave = 0.8 * np.sin(2.0 * np.pi * np.arange(days * SLOTS) / SLOTS)
    return np.asarray(100.0 * np.exp(wave + 0.1 * draw.standard_normal((models, days * SLOTS))))


def assert_same(first: State, second: State) -> None:
    for field in fields(State):
        one, other = getattr(first, field.name), getattr(second, field.name)
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9, nan_ok=True), field.name


@pytest.mark.parametrize("unseen", [0, 2])
def test_a_day_in_one_go_is_the_day_window_by_window(unseen: int) -> None:
    history = demand(3, 21)
    values = history[:, 20 * SLOTS - unseen : 20 * SLOTS - unseen + SLOTS].copy()
    values[1, 10:14] = np.nan
    past = history[:, : 20 * SLOTS].copy()
    past[:, 20 * SLOTS - unseen :] = np.nan
    fit = forecast.fit(past, SLOTS, (1, 2, 3), unseen=unseen)
    day = forecast.run(fit, fit.start, values)
    state = fit.start
    for window in range(SLOTS):
        issued = forecast.issue(fit, state)
        assert issued.expected == pytest.approx(day.issued.expected[:, window], rel=1e-9)
        assert issued.upper == pytest.approx(day.issued.upper[:, window], rel=1e-9)
        state = forecast.observe(fit, state, values[:, window])
    assert_same(state, day.state)


def test_a_new_fit_keeps_the_tracker_and_what_is_pending() -> None:
    history = demand(2, 22)
    first = forecast.fit(history[:, : 20 * SLOTS], SLOTS, (1, 3))
    before = forecast.run(first, first.start, history[:, 20 * SLOTS : 21 * SLOTS]).state
    second = forecast.fit(history[:, : 21 * SLOTS], SLOTS, (1, 3))
    state = forecast.resumed(second, before)
    assert (state.tracker == before.tracker).all()
    assert np.abs(state.tracker).max() > 0.0
    assert np.array_equal(state.upper_ahead, before.upper_ahead, equal_nan=True)
    assert not np.isnan(state.ridge_ahead[:, 1, :2]).any()
    assert state.at == -1
    assert state.logs == pytest.approx(before.logs, abs=0.05), (
        "the same two windows, with a slightly other softening"
    )
    assert forecast.resumed(second, None) is second.start


def test_a_fit_that_is_a_day_late_still_knows_the_time_of_day() -> None:
    history = demand(1, 26)
    fit = forecast.fit(history[:, : 20 * SLOTS], SLOTS, (2,))
    late = forecast.run(fit, fit.start, history[:, 20 * SLOTS : 25 * SLOTS])
    said = late.issued.expected[0, 4 * SLOTS : 5 * SLOTS - 2, 0]
    came = history[0, 24 * SLOTS + 1 : 25 * SLOTS - 1]
    assert np.abs(np.log(said / came)).mean() < 0.15


def test_after_the_clocks_moved_the_time_of_day_is_that_of_the_clock() -> None:
    history = demand(1, 21)
    fit = forecast.fit(history[:, : 20 * SLOTS], SLOTS, (1,))
    before = forecast.run(fit, fit.start, history[:, 20 * SLOTS : 20 * SLOTS + 4]).state
    # an hour of the night is left out, as when clocks go forward
    rest = history[:, 20 * SLOTS + 6 :]
    moved = forecast.run(fit, forecast.wall_clock_moved(before, 2), rest).issued.expected[0, 1:, 0]
    still = forecast.run(fit, before, rest).issued.expected[0, 1:, 0]
    came = rest[0, 1:]
    assert np.abs(np.log(moved / came)).mean() < np.abs(np.log(still / came)).mean()


def test_a_batch_resumes_as_a_whole() -> None:
    history = demand(2, 20)
    fit = forecast.fit(history, SLOTS, (1,))
    state = forecast.observe(fit, forecast.resumed(fit, None), history[:, 0])
    assert state.at == 0
    assert state.logs.shape == (2, 2)
