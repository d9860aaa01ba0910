"""The ridge finds what increments are made of, from earlier days only, and is steady where nothing can be told."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast import ridge

SLOTS, DAYS = 48, 20


def explained(seed: int = 0) -> np.ndarray:
    draw = np.random.default_rng(seed)
    table = np.zeros((2, ridge.REGRESSORS + 1, DAYS * SLOTS))
    table[:, :-1] = draw.standard_normal((2, ridge.REGRESSORS, DAYS * SLOTS))
    return table


def test_regressors_are_the_steps_and_the_gaps() -> None:
    one = np.ones((1, 1))
    at, before, ahead = (np.array([[[a], [b], [c]]]) for a, b, c in ((1, 2, 3), (0.5, 1, 1.5), (10, 20, 30)))
    row = ridge.regressors(7.0 * one, 5.0 * one, at, before, ahead)[0, :, 0]
    assert row.tolist() == [2, 9, 18, 27, -6, -5, -4, 0.5, 1, 1.5, 0]


def test_coefficients_are_found() -> None:
    true = np.linspace(-1.0, 1.0, ridge.REGRESSORS)
    table = explained()
    increments = np.einsum("mkn,k->mn", table[:, :-1], true)
    solved = ridge.coefficients(table, increments, SLOTS, 5)
    assert solved.shape == (2, 6, ridge.REGRESSORS)
    # ten windows' worth of shrinkage
    assert solved[0, -1] == pytest.approx(true, abs=0.03)


def test_only_earlier_days_enter() -> None:
    increments = np.random.default_rng(1).standard_normal((2, DAYS * SLOTS))
    changed = increments.copy()
    changed[:, 17 * SLOTS :] *= -3.0
    first, second = (ridge.coefficients(explained(), each, SLOTS, 5) for each in (increments, changed))
    # days 15, 16, 17 are solved from days before 15, 16, 17
    assert first[:, :3] == pytest.approx(second[:, :3])
    assert np.abs(first[:, 3:] - second[:, 3:]).max() > 0.01


def test_a_hole_counts_as_nothing() -> None:
    draw = np.random.default_rng(2)
    increments = draw.standard_normal((2, DAYS * SLOTS))
    holed = increments.copy()
    holed[:, 3 * SLOTS : 4 * SLOTS] = np.nan
    table = explained()
    table[:, :, 3 * SLOTS : 4 * SLOTS] = 0.0
    increments[:, 3 * SLOTS : 4 * SLOTS] = 0.0
    expected = ridge.coefficients(table, increments, SLOTS, 2)
    # the count of windows enters the shrinkage, and is one day less
    assert ridge.coefficients(explained(), holed, SLOTS, 2) == pytest.approx(expected, abs=2e-3)


def test_nothing_seen_is_no_step() -> None:
    nothing = np.full((2, DAYS * SLOTS), np.nan)
    assert (ridge.coefficients(explained(), nothing, SLOTS, 5) == 0.0).all()
