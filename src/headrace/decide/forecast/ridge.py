"""A ridge regression on increments: how much of the last step, of the seasonals' steps and of the gap to them comes."""

from __future__ import annotations

import numpy as np

from headrace.decide.forecast.decay import Floats, day_weights

DAY_KEEP = 0.95
"""A day counts 0.95 times the day after it."""
SHRINK = 10.0
"""Each regressor's own sum of squares is raised by ten windows' worth."""
REGRESSORS = 10


def regressors(newest: Floats, before: Floats, at: Floats, at_before: Floats, ahead: Floats) -> Floats:
    """What an increment is explained by, shape [models, 11, n]; the last row is room for the increment itself.

    The newest step, and for each seasonal: its own step to the window ahead, the gap from the newest value to it, and
    its newest step.

    Args:
        newest: Logarithm at the origin, shape [models, n].
        before: …one window earlier.
        at: Seasonals at the origin, shape [models, 3, n].
        at_before: …one window earlier.
        ahead: …at the window that is forecast.
    """
    out = np.empty((newest.shape[0], REGRESSORS + 1, newest.shape[1]))
    np.subtract(newest, before, out=out[:, 0])
    np.subtract(ahead, at, out=out[:, 1:4])
    np.subtract(at, newest[:, None], out=out[:, 4:7])
    np.subtract(at, at_before, out=out[:, 7:10])
    out[:, 10] = 0.0
    return out


def coefficients(explained: Floats, increments: Floats, slots: int, solved_days: int) -> Floats:
    """Coefficients for each of the last days and for the day after, each from earlier days only.

    Args:
        explained: From `regressors`, shape [models, 11, days * slots]; the increments are written into it.
        increments: What came, shape [models, days * slots]; NaN: a hole, left out.
        slots: Windows a day.
        solved_days: For how many of the last days.

    Returns:
        Shape [models, solved_days + 1, 10].
    """
    models, _, windows = explained.shape
    days = windows // slots
    known = ~np.isnan(increments)
    explained[:, REGRESSORS] = np.where(known, increments, 0.0)
    if not known.all():
        holed = np.zeros_like(explained)
        np.copyto(holed, explained, where=known[:, None])
        explained = holed
    by_day = explained.reshape(models, REGRESSORS + 1, days, slots).transpose(0, 2, 1, 3)
    products = (by_day @ by_day.transpose(0, 1, 3, 2)).reshape(models, days, -1)
    counts = known.reshape(models, days, slots).sum(axis=2)
    weights = day_weights(days, days + 1, DAY_KEEP)[days - solved_days :]
    sums = (weights @ products).reshape(models, solved_days + 1, REGRESSORS + 1, REGRESSORS + 1)
    effective = counts @ weights.T
    squares = sums[..., :REGRESSORS, :REGRESSORS]
    own = np.arange(REGRESSORS)
    # the last term keeps two seasonals that are the same, or never move, from being told apart
    squares[..., own, own] *= (1.0 + SHRINK / np.maximum(effective, 1.0))[..., None]
    squares[..., own, own] += 1e-9
    return np.asarray(np.linalg.solve(squares, sums[..., :REGRESSORS, REGRESSORS:])[..., 0], np.float64)
