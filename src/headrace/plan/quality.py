"""How well the demand can be forecast one start-up time ahead, tried on its own past."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from headrace.decide.forecast import coverage_words, what_is_unknown
from headrace.plan.windows import LEAST_MEAN, Calendar, day_windows, utc
from headrace.series import Series
from headrace.simulate import backtest
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import DAY_S
from headrace.simulate.yardsticks import Protocol, yardsticks

LEVEL = 0.95
"""Quantile of the upper end of the band."""
LEAST_LEARNED_DAYS = 2


class Rival(NamedTuple):
    """A simple forecast on the same windows."""

    name: str
    loss_ratio: float
    """As `Quality.loss_ratio`."""


class Quality(NamedTuple):
    """A forecast of the judged windows, each issued `ahead_s` before its end."""

    times_s: Floats
    """Start of each window, shape [n]."""
    step_s: float
    came: Floats
    expected: Floats
    upper: Floats
    level: float
    ahead_s: float
    loss_ratio: float
    """Pinball loss of the band's upper end over mean demand."""
    coverage_ratio: float
    worst_day_ratio: float
    rivals: tuple[Rival, ...]
    """Persistence and last week, each with its level corrected or not, the best first."""
    notes: tuple[str, ...]
    """On coverage, and on what the history is too short for."""

    @property
    def days(self) -> float:
        """Days that were forecast."""
        return len(self.came) * self.step_s / DAY_S

    @property
    def gain_ratio(self) -> float:
        """How much smaller the loss is than the best rival's, 0 to 1; negative: greater; NaN: that one has none."""
        best = self.rivals[0].loss_ratio
        return 1.0 - self.loss_ratio / best if best > 0.0 else math.nan


def quality(
    demand: Series, ahead_s: float, *, calendar: Calendar = utc, level: float = LEVEL
) -> Quality | None:
    """The forecast on the later part of a past; None: there is too little of it.

    Args:
        demand: The past, holes NaN.
        ahead_s: How far ahead; rounded up to whole windows.
        calendar: Whose days.
        level: Of the upper end of the band.
    """
    series = day_windows(demand, calendar)
    values, of_day = series.values, series.of_day
    first_day = min(
        backtest.learned_days(len(values), of_day), max(LEAST_LEARNED_DAYS, len(values) // of_day // 2)
    )
    ahead = max(1, math.ceil(ahead_s / series.step_s - 1e-9))
    enough = len(values) >= (first_day + 1) * of_day and 2 * ahead < of_day
    if not enough or not np.nanmax(values, initial=0.0) >= LEAST_MEAN:
        return None
    along = backtest.issued_along(values[None, :], of_day, (ahead,), first_day, level)
    issued = backtest.ahead_of(along, ahead)
    judged = slice(first_day * of_day, len(values))
    came, upper = values[judged], issued.upper[0, judged]
    found = backtest.quality(values, issued, of_day, first_day, level)
    rivals = _rivals(values, came, Protocol(of_day, ahead, first_day, level))
    if not found.windows or not math.isfinite(found.pinball_ratio) or not rivals:
        return None
    return Quality(
        times_s=series.times_s[judged],
        step_s=series.step_s,
        came=came,
        expected=issued.expected[0, judged],
        upper=upper,
        level=level,
        ahead_s=ahead * series.step_s,
        loss_ratio=found.pinball_ratio,
        coverage_ratio=found.coverage_ratio,
        worst_day_ratio=found.worst_day_ratio,
        rivals=rivals,
        notes=(coverage_words(came, upper, of_day, level), *what_is_unknown(values, of_day, ahead, level)),
    )


def _rivals(demand: Floats, came: Floats, protocol: Protocol) -> tuple[Rival, ...]:
    """Each with the days of its band that were best in hindsight, which nobody has beforehand."""
    mean = float(np.nanmean(came))
    best: dict[str, float] = {}
    with np.errstate(divide="ignore", invalid="ignore"):  # a past of nothing but zero has no logarithm
        bands = yardsticks(demand, protocol)
    for rival in bands:
        upper = rival.upper[len(demand) - len(came) :]
        loss = float(np.nanmean(backtest.pinball(came, upper, protocol.level))) / mean
        if math.isfinite(loss):
            best[rival.name] = min(loss, best.get(rival.name, math.inf))
    return tuple(
        sorted((Rival(name, loss) for name, loss in best.items()), key=lambda rival: rival.loss_ratio)
    )
