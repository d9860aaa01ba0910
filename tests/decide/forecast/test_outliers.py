"""A day or a spike that nothing around it resembles is unusual; what returns, stays or repeats each week is not."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast.decay import Floats
from headrace.decide.forecast.outliers import usual

SLOTS = 48


def demand(days: int) -> Floats:
    """A calm daily wave with a little noise, shape [1, days, slots]."""
    wave = 100.0 * np.exp(0.8 * np.sin(2.0 * np.pi * np.arange(SLOTS) / SLOTS))
    noise = np.random.default_rng(3).standard_normal((1, days, SLOTS))
    return np.asarray(wave * np.exp(0.05 * noise))


def unusual_days(values: Floats) -> list[int]:
    marked = ~usual(np.log(values + 5.0))[0]
    assert set(marked.mean(axis=1)) <= {0.0, 1.0}, "a day is left out whole or not at all"
    return np.flatnonzero(marked.all(axis=1)).tolist()


def test_an_ordinary_history_is_usual_throughout() -> None:
    assert usual(np.log(demand(28) + 5.0)).all()


@pytest.mark.parametrize("factor", [5.0, 0.2, 0.0])
@pytest.mark.parametrize("day", [0, 5, 12, 20])
def test_a_one_off_day_is_not(factor: float, day: int) -> None:
    values = demand(21)
    values[0, day] *= factor
    assert unusual_days(values) == [day]


def test_a_weekday_that_is_always_dead_is_usual_once_it_has_come_twice() -> None:
    values = demand(20)
    values[0, 6::7] = 0.0
    assert unusual_days(values[:, :10]) == [6]
    assert unusual_days(values) == []


def test_a_weekend_is_usual_at_once() -> None:
    values = demand(10)
    values[0, 5:7] *= 0.2
    assert unusual_days(values) == []


def test_a_new_level_is_believed_on_its_second_day() -> None:
    values = demand(15)
    values[0, 13:] *= 4.0
    assert unusual_days(values[:, :14]) == [13]
    assert unusual_days(values) == []


def test_a_spike_is_unusual_and_a_nightly_job_is_not() -> None:
    values = demand(14)
    values[0, 6, 20:22] *= 20.0
    values[0, :, 40] *= 20.0
    marked = ~usual(np.log(values + 5.0))[0]
    assert np.argwhere(marked).tolist() == [[6, 20], [6, 21]]


def test_a_nightly_job_may_start_a_window_later() -> None:
    values = demand(14)
    for day in range(14):
        values[0, day, 40 + day % 2] *= 20.0
    assert usual(np.log(values + 5.0)).all()


def test_of_the_newest_day_single_windows_are_believed() -> None:
    values = demand(14)
    values[0, -1, 20:30] *= 20.0
    assert usual(np.log(values + 5.0)).all()


def test_holes_are_no_companions_and_not_unusual() -> None:
    values = demand(14)
    values[0, 5] = np.nan
    values[0, 6, 10:20] = np.nan
    values[0, 8] *= 5.0
    assert unusual_days(np.nan_to_num(values, nan=100.0)) == [8]
    marked = ~usual(np.log(values + 5.0))[0]
    assert np.flatnonzero(marked.any(axis=1)).tolist() == [8]


def test_two_days_cannot_judge_each_other() -> None:
    values = demand(2)
    values[0, 1] *= 9.0
    assert usual(np.log(values + 5.0)).all()
