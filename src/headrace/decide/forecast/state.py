"""What a live loop carries from one window to the next: a few dozen numbers a model."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.decide.forecast.decay import Floats


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Where the forecaster stands after the newest window.

    Attributes:
        at: The newest window that has been seen, counted from the start of the fit's day: -1 is the last of the day
            before.
        logs: Logarithm of the last two windows, holes filled, shape [models, 2].
        means: The running means, shape [models, 4].
        error_total: Decayed sum of surprises, for each horizon: shape [models, horizons].
        error_count: Decayed number of them, shape [models, horizons].
        tracker: How far the band is moved up or down, shape [models, horizons].
        ridge_ahead: What the ridge said of the windows to come, nearest first, shape [models, horizons, windows]; NaN:
            not said yet.
        upper_ahead: The upper quantiles issued for them, the same shape.
    """

    at: int
    logs: Floats
    means: Floats
    error_total: Floats
    error_count: Floats
    tracker: Floats
    ridge_ahead: Floats
    upper_ahead: Floats
