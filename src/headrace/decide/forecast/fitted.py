"""What a fit is: all that the forecasts of one day need, and nothing of the history it was made from."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.decide.forecast.band import Opinion
from headrace.decide.forecast.decay import Floats
from headrace.decide.forecast.state import State


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What is fitted for one horizon.

    Attributes:
        ahead: Windows from the newest one seen to the one forecast, >= 1.
        ridge: Coefficients, shape [models, 10].
        scale: By slot of the day, in logarithms, shape [models, slots].
        middle: The experts on the median.
        upper: The experts on the upper quantile.
        unit: What one of the tracker is worth, in scales, shape [models].
    """

    ahead: int
    ridge: Floats
    scale: Floats
    middle: Opinion
    upper: Opinion
    unit: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What the forecasts of the day after a history need.

    Attributes:
        windows_per_day: S.
        level: Of the upper quantile, e.g. 0.95.
        offset: Added to demand before its logarithm is taken, in its unit, shape [models].
        centre: Mean logarithm of the last two weeks, shape [models].
        most: Greatest logarithm in the history, shape [models]; NaN where nothing is known.
        seasonals: Of the last day of the history, of the day after it, and of the one after that in case the next fit
            is late; shape [models, 3, 3 * S].
        steps: One for each horizon asked for, in that order.
        start: Where a run begins that has seen the history and nothing else; the tracker at 0.
    """

    windows_per_day: int
    level: float
    offset: Floats
    centre: Floats
    most: Floats
    seasonals: Floats
    steps: tuple[Step, ...]
    start: State

    @property
    def horizons(self) -> tuple[int, ...]:
        """Windows ahead, as asked for."""
        return tuple(step.ahead for step in self.steps)
