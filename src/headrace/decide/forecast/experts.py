"""Eighteen point forecasts of a window, from the boldest to the most careful; the past decides whom to believe."""

from __future__ import annotations

import numpy as np

from headrace.decide.forecast.decay import Floats, decayed_sums

SMOOTHINGS = (0.6, 0.3)
"""Weight of the newest value in the two running means."""
TEMPERS = (1.0, 0.85, 0.7)
"""How much of a forecast's distance from the mean of two weeks is believed."""
COUNT = 6 * len(TEMPERS)
LAST_WEEK, DAYS = 0, 2
"""Which seasonals are carried on with the newest residual."""


def running_means(logs: Floats, before: Floats | None = None) -> Floats:
    """The running means after each window, shape [models, 2, n].

    Args:
        logs: Filled, shape [models, n].
        before: The running means before the first window, shape [models, 2]; None: the first value.
    """
    means = []
    for index, new in enumerate(SMOOTHINGS):
        start = logs[:, 0] if before is None else before[:, index]
        # relative to the start, so that a level far from zero costs no digits
        means.append(decayed_sums((logs - start[:, None]) * new, 1.0 - new) + start[:, None])
    return np.stack(means, axis=1)


def forecasts(ridge: Floats, newest: Floats, means: Floats, at: Floats, ahead: Floats, centre: Floats) -> Floats:
    """Logarithms forecast by each expert, shape [models, 18, n].

    The ridge, the newest value, two running means, last week and the recent days each with the newest residual; all
    of them again drawn towards the centre.

    Args:
        ridge: Its forecast, shape [models, n].
        newest: Logarithm at the origin, shape [models, n].
        means: Running means at the origin, shape [models, 2, n].
        at: Seasonals at the origin, shape [models, 3, n].
        ahead: …at the window that is forecast.
        centre: Mean logarithm of two weeks, shape [models, n].
    """
    bold = np.empty((newest.shape[0], COUNT // len(TEMPERS), newest.shape[1]))
    bold[:, 0] = ridge
    bold[:, 1] = newest
    bold[:, 2:4] = means
    for row, seasonal in ((4, LAST_WEEK), (5, DAYS)):
        bold[:, row] = newest + (ahead[:, seasonal] - at[:, seasonal])
    bold -= centre[:, None]
    out = np.empty((newest.shape[0], COUNT, newest.shape[1]))
    for index, temper in enumerate(TEMPERS):
        rows = slice(index * bold.shape[1], (index + 1) * bold.shape[1])
        np.multiply(bold, temper, out=out[:, rows])
    out += centre[:, None]
    return out
