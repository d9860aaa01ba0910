"""Fading sums without a loop are those of the loop; holes are filled with what was known, not with what came later."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast.decay import (
    BLOCK,
    day_weights,
    decayed_sums,
    filled_forward,
    known_means,
    ratio,
)


@pytest.mark.parametrize("windows", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 7, BLOCK * BLOCK + 1])
@pytest.mark.parametrize("keep", [0.4, 0.9, 0.9995])
def test_decayed_sums_are_those_of_the_loop(windows: int, keep: float) -> None:
    values = np.random.default_rng(windows).standard_normal((3, windows))
    before = np.array([5.0, -1.0, 0.0])
    running, expected = before.copy(), []
    for column in values.T:
        running = keep * running + column
        expected.append(running.copy())
    assert decayed_sums(values, keep, before) == pytest.approx(np.array(expected).T, rel=1e-12)
    from_zero = decayed_sums(values, keep)
    assert from_zero + before[:, None] * keep ** np.arange(1, windows + 1) == pytest.approx(
        decayed_sums(values, keep, before), rel=1e-12
    )


def test_day_weights_are_of_earlier_days_only() -> None:
    assert day_weights(3, 4, 0.5).tolist() == [[0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.25, 0.5, 1]]
    weekly = day_weights(15, 16, 0.75, every=7)
    assert np.flatnonzero(weekly[15]).tolist() == [1, 8]
    assert weekly[15, [1, 8]].tolist() == [0.75, 1.0]


def test_filled_forward_holds_the_newest_known_value() -> None:
    nan = np.nan
    values = np.array([[nan, 1.0, nan, nan, 2.0], [nan, nan, nan, nan, nan]])
    assert filled_forward(values, np.array([9.0, 7.0])).tolist() == [[9, 1, 1, 1, 2], [7, 7, 7, 7, 7]]
    whole = np.ones((1, 3))
    assert filled_forward(whole, np.zeros(1)) is whole


def test_means_of_nothing_are_not_known() -> None:
    values = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]])
    assert known_means(values, axis=1)[0] == 2.0
    assert np.isnan(known_means(values, axis=1)[1])
    assert np.isnan(ratio(np.zeros(2), np.array([0, 0]))).all()
