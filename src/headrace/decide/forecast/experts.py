"""Twenty-four point forecasts of a window, from the boldest to the most careful; the past decides whom to believe."""

from __future__ import annotations

import numpy as np

from headrace.decide.forecast.decay import Floats, decayed_sums

LEVEL_SMOOTHINGS = (0.6, 0.3)
"""Weight of the newest value in the two running means of demand."""
RESIDUAL_SMOOTHINGS = (0.3, 0.1)
"""…of the newest residual in the two running means of what demand is above the shape of recent days."""
TEMPERS = (1.0, 0.85, 0.7)
"""How much of a forecast's distance from the mean of two weeks is believed."""
MEANS = len(LEVEL_SMOOTHINGS) + len(RESIDUAL_SMOOTHINGS)
BOLD = 8
COUNT = BOLD * len(TEMPERS)
LAST_WEEK, DAYS = 0, 2
"""Which seasonals are carried on with the newest residual."""


def running_means(logs: Floats, usually: Floats, before: Floats | None = None) -> Floats:
    """The running means after each window, shape [models, 4, n]: two of demand, two of its residual.

    Args:
        logs: Filled, shape [models, n].
        usually: Seasonals, shape [models, 3, n].
        before: The running means before the first window, shape [models, 4]; None: the first value.
    """
    residuals = logs - usually[:, DAYS]
    read = [(logs, new) for new in LEVEL_SMOOTHINGS] + [(residuals, new) for new in RESIDUAL_SMOOTHINGS]
    means = np.empty((len(logs), MEANS, logs.shape[1]))
    for index, (values, new) in enumerate(read):
        start = values[:, :1] if before is None else before[:, index, None]
        # relative to the start, so that a level far from zero costs no digits
        np.add(decayed_sums((values - start) * new, 1.0 - new), start, out=means[:, index])
    return means


def forecasts(
    ridge: Floats, newest: Floats, means: Floats, at: Floats, ahead: Floats, centre: Floats
) -> Floats:
    """Logarithms forecast by each expert, shape [models, 24, n].

    The ridge, the newest value, two running means, last week and the recent days each with the newest residual, the
    recent days with two running means of the residual; all of them again drawn towards the centre.

    Args:
        ridge: Its forecast, shape [models, n].
        newest: Logarithm at the origin, shape [models, n].
        means: Running means at the origin, shape [models, 4, n].
        at: Seasonals at the origin, shape [models, 3, n].
        ahead: …at the window that is forecast.
        centre: Mean logarithm of two weeks, shape [models, n].
    """
    out = np.empty((newest.shape[0], COUNT, newest.shape[1]))
    bold = out[:, :BOLD]
    bold[:, 0] = ridge
    bold[:, 1] = newest
    bold[:, 2:4] = means[:, :2]
    for row, seasonal in ((4, LAST_WEEK), (5, DAYS)):
        np.subtract(ahead[:, seasonal], at[:, seasonal], out=bold[:, row])
        bold[:, row] += newest
    np.add(means[:, 2:], ahead[:, None, DAYS], out=bold[:, 6:])
    bold -= centre[:, None]
    for index, temper in enumerate(TEMPERS[1:], start=1):
        np.multiply(bold, temper, out=out[:, index * BOLD : (index + 1) * BOLD])
    out += centre[:, None]
    return out
