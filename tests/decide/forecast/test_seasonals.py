"""The three expectations of a window: each from earlier days only, each with what stands in for it."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast.seasonals import DAY_KEEP, WEEK_KEEP, seasonals

SLOTS = 4


def by_row(logs: np.ndarray, rows: int) -> np.ndarray:
    """Shape [3, rows, slots] for one model."""
    return np.asarray(seasonals(logs[None], range(rows))[0].reshape(3, rows, SLOTS))


def test_what_repeats_each_day_is_expected_exactly() -> None:
    logs = np.tile([1.0, 2.0, 4.0, 3.0], (20, 1))
    said = by_row(logs, 22)
    assert np.isnan(said[:, 0]).all()
    assert said[:, 1:] == pytest.approx(np.broadcast_to(logs[0], (3, 21, SLOTS)))


def test_last_week_is_the_value_seven_days_before() -> None:
    logs = np.random.default_rng(0).standard_normal((16, SLOTS))
    said = by_row(logs, 18)
    assert (said[0, 7:18] == logs[: 18 - 7]).all()


def test_days_have_yesterdays_level_and_the_recent_shape() -> None:
    shapes = np.array([[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, -2.0]])
    logs = shapes + np.array([[3.0], [7.0]])
    expected = 7.0 + (DAY_KEEP * shapes[0] + shapes[1]) / (DAY_KEEP + 1.0)
    assert by_row(logs, 3)[2, 2] == pytest.approx(expected)


def test_weeks_are_relative_to_the_seven_days_that_end_with_them() -> None:
    logs = np.random.default_rng(1).standard_normal((14, SLOTS))
    seven = [logs[max(0, day - 6) : day + 1].mean() for day in range(14)]
    expected = seven[13] + (WEEK_KEEP * (logs[0] - seven[0]) + (logs[7] - seven[7])) / (WEEK_KEEP + 1.0)
    assert by_row(logs, 15)[1, 14] == pytest.approx(expected)


def test_weeks_stand_for_last_week_and_days_for_weeks() -> None:
    logs = np.random.default_rng(2).standard_normal((16, SLOTS))
    logs[8, 1] = np.nan
    said = by_row(logs, 16)
    assert said[0, 15, 1] == said[1, 15, 1] != said[2, 15, 1]
    assert (said[0, 1:7] == said[2, 1:7]).all()
    assert (said[1, 1:7] == said[2, 1:7]).all()


def test_only_earlier_days_enter() -> None:
    logs = np.random.default_rng(3).standard_normal((20, SLOTS))
    changed = logs.copy()
    changed[12:] += 5.0
    assert (by_row(logs, 22)[:, 1:13] == by_row(changed, 22)[:, 1:13]).all()
    later = by_row(logs, 22)[:, 13] != by_row(changed, 22)[:, 13]
    assert later.all(axis=1).tolist() == [False, True, True], "last week is not changed yet"


def test_a_day_of_holes_leaves_shape_and_level_as_they_were() -> None:
    logs = np.tile([1.0, 2.0, 4.0, 3.0], (10, 1))
    logs[9] = np.nan
    assert by_row(logs, 11)[:, 10] == pytest.approx(np.broadcast_to([1.0, 2.0, 4.0, 3.0], (3, SLOTS)))


@pytest.mark.parametrize("first", [1, 5, 7, 12, 16])
def test_later_days_alone_are_the_same(first: int) -> None:
    logs = np.random.default_rng(4).standard_normal((16, SLOTS))
    part = seasonals(logs[None], range(first, 18))[0].reshape(3, 18 - first, SLOTS)
    assert np.array_equal(part, by_row(logs, 18)[:, first:], equal_nan=True)
