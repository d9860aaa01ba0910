"""Forecasts by tick: which one is known, what it says of a moment, and the greatest until another."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headrace.simulate.paths import Paths, expected, greatest, paths_at

POINTS = np.array([[10.0, 20.0, 40.0], [30.0, 20.0, 10.0], [5.0, 5.0, 50.0]])


def test_an_issue_is_known_one_lag_after_its_window() -> None:
    paths = paths_at(POINTS, window_ticks=4, ticks=14, lag_ticks=2)
    # the window of ticks 0 to 3 is seen whole at tick 5
    assert paths.issue.tolist() == [-1] * 5 + [0] * 4 + [1] * 4 + [2]
    assert np.isnan(expected(paths, 0)[:5]).all()


def test_a_window_stands_at_its_middle_and_lines_join_them() -> None:
    paths = paths_at(POINTS, window_ticks=4, ticks=14, lag_ticks=0)
    # at tick 3 the window 0 is known; its middle is at 1.5, the next one's at 5.5
    assert paths.place[3] == 0.375
    assert expected(paths, 0)[3] == 13.75
    assert expected(paths, 2.5)[3] == 20.0
    assert expected(paths, 6.5)[3] == 40.0
    # beyond the ends it stays level
    assert expected(paths, 60)[3] == 40.0
    assert expected(paths, -3)[3] == 10.0


def test_the_greatest_may_lie_between_the_ends() -> None:
    paths = paths_at(np.array([[1.0, 9.0, 2.0]]), window_ticks=4, ticks=5, lag_ticks=0)
    assert greatest(paths, 8)[3] == 9.0
    assert greatest(paths, 1)[3] == expected(paths, 1)[3]


@given(st.integers(1, 9), st.integers(0, 5), st.integers(0, 40), st.integers(0, 1_000))
def test_the_greatest_is_that_of_all_ticks_until_then(window: int, lag: int, ahead: int, seed: int) -> None:
    points = np.random.default_rng(seed).uniform(0.0, 9.0, (6, 4))
    paths = paths_at(points, window, 6 * window + lag, lag)
    steps = np.array([expected(paths, step / 8) for step in range(8 * ahead + 1)])
    known = paths.issue >= 0
    found = greatest(paths, ahead)
    assert np.all(found[known] >= steps.max(axis=0)[known] - 1e-9)
    # a point may fall between the steps that are looked at here
    assert np.all(found[known] <= steps.max(axis=0)[known] + 9.0 / (8 * window) + 1e-9)
    assert np.isnan(found[~known]).all()


def test_a_path_of_one_point_is_level() -> None:
    paths = Paths(np.array([[7.0]]), np.zeros(3, dtype=np.int64), np.arange(3.0), 2)
    assert greatest(paths, 5).tolist() == [7.0] * 3
