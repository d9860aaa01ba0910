"""Forecasts as they would have been issued along a history, each from what was known then, and how good they were."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.decide import forecast
from headrace.decide.forecast.decay import Floats
from headrace.decide.forecast.words import coverage

LEARNED_DAYS, SHORT_LEARNED_DAYS, LONG_DAYS = 14, 7, 28
"""Two weeks are only learned from; one week where the history is shorter than four."""


class Along(NamedTuple):
    """What was issued once each window had been seen, for the windows after it."""

    expected: Floats
    """Shape [models, windows, horizons]: row t for the windows t + horizons; NaN before the first fit."""
    upper: Floats
    horizons: tuple[int, ...]


class Ahead(NamedTuple):
    """The same for one horizon, by the window that was forecast: shape [models, windows]."""

    expected: Floats
    upper: Floats


class Quality(NamedTuple):
    """How good issued bands were; ratios of 1 unless said."""

    pinball_ratio: float
    """Mean pinball loss of the upper quantile over mean demand."""
    error_ratio: float
    """Mean distance of the expected value from what came, over mean demand."""
    coverage_ratio: float
    worst_day_ratio: float
    """Coverage of the worst day; NaN without a day that is known for half or more."""
    windows: int
    """Windows that were judged."""


def learned_days(windows: int, windows_per_day: int) -> int:
    """How many days of a history are only learned from."""
    return LEARNED_DAYS if windows >= LONG_DAYS * windows_per_day else SHORT_LEARNED_DAYS


def issued_along(
    history: Floats,
    windows_per_day: int,
    horizons: tuple[int, ...] = (1,),
    first_day: int = LEARNED_DAYS,
    level: float = 0.95,
) -> Along:
    """Forecasts from the end of `first_day` on, refitted each day; none uses anything later than its row.

    A day's fit is made when `max(horizons) - 1` windows of the day before are still to come, so that every window of
    the day is forecast from it, over all horizons.

    Args:
        history: Demand, shape [models, windows]; NaN: a hole. It begins with a day; a last day that is cut off counts.
        windows_per_day: S, more than twice the greatest horizon.
        horizons: Windows ahead.
        first_day: Days that are only learned from, >= 1.
        level: Of the upper quantile.
    """
    windows = history.shape[1]
    expected = np.full((*history.shape, len(horizons)), np.nan)
    upper = expected.copy()
    furthest = max(horizons)
    state = None
    for day_start in range(first_day * windows_per_day, windows + furthest, windows_per_day):
        origin = day_start - furthest
        known = np.full((len(history), day_start), np.nan)
        known[:, : origin + 1] = history[:, : origin + 1]
        fit = forecast.fit(known, windows_per_day, horizons, level, unseen=furthest - 1)
        seen = history[:, origin + 1 : origin + 1 + windows_per_day]
        # one row more than there are values, where the history ends: the last window is an origin too
        last = np.full((len(history), 1), np.nan) if origin + windows_per_day >= windows else seen[:, :0]
        issued, state = forecast.run(fit, forecast.resumed(fit, state), np.concatenate([seen, last], axis=1))
        rows = slice(origin, origin + issued.expected.shape[1])
        expected[:, rows], upper[:, rows] = issued
    return Along(expected, upper, horizons)


def ahead_of(along: Along, horizon: int) -> Ahead:
    """What was issued `horizon` windows before each window; NaN where nothing was."""
    index = along.horizons.index(horizon)
    moved = []
    for values in (along.expected, along.upper):
        shifted = np.full(values.shape[:2], np.nan)
        shifted[:, horizon:] = values[:, : values.shape[1] - horizon, index]
        moved.append(shifted)
    return Ahead(*moved)


def pinball(came: Floats, upper: Floats, level: float = 0.95) -> Floats:
    """Loss of each quantile, in the unit of demand; NaN in holes."""
    short = came - upper
    return np.maximum(level * short, (level - 1.0) * short)


def quality(came: Floats, ahead: Ahead, windows_per_day: int, first_day: int, level: float = 0.95) -> Quality:
    """How good the forecasts of one model were, from the end of `first_day` on.

    Args:
        came: Demand, shape [windows]; NaN: a hole, not judged.
        ahead: From `ahead_of`, of one model: shape [1, windows].
        windows_per_day: S.
        first_day: Days that are not judged.
        level: As issued.
    """
    judged = slice(first_day * windows_per_day, len(came))
    demand, upper, expected = came[judged], ahead.upper[0, judged], ahead.expected[0, judged]
    known = ~np.isnan(demand) & ~np.isnan(upper)
    if not known.any():
        return Quality(np.nan, np.nan, np.nan, np.nan, 0)
    mean = float(demand[known].mean())
    covered, worst = coverage(demand, upper, windows_per_day)
    return Quality(
        float(pinball(demand[known], upper[known], level).mean()) / mean,
        float(np.abs(demand[known] - expected[known]).mean()) / mean,
        covered,
        worst,
        int(known.sum()),
    )
