"""What a forecast has to beat: the newest value and last week, each as it is and with its level corrected.

The band of a yardstick is conformal: the quantile of log((y + c) / (f + c)) over the last 7, 14 or 28 days, c = 5 % of
the mean. The bar is the best of all twelve in hindsight, which nobody has beforehand.

*With its level corrected* a curve gets a running mean of the newest log residuals added, damped; gain and damping are
chosen each day by the loss of the past, and so is whether to correct at all. For last week the curve is last week's,
for persistence it is the mean of two weeks: with a gain and damping of 1 that is the newest value again, with less it
is drawn towards the mean.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from headrace.decide.forecast.band import rank
from headrace.decide.forecast.decay import Floats, decayed_sums, filled_forward
from headrace.simulate.backtest import pinball

BAND_DAYS = (7, 14, 28)
GAINS = (0.1, 0.3, 0.6, 1.0)
DAMPINGS = (0.7, 0.9, 1.0)
MEAN_DAYS = 14
WEEK_DAYS = 7
SOFTENING = 0.05
NAMES = ("persistence", "persistence + level", "last week", "last week + level")
Correction = Literal["none", "to the curve", "to the mean"]


class Protocol(NamedTuple):
    """How forecasts are made and judged on one history."""

    windows_per_day: int
    ahead: int
    """Windows from the newest one seen to the one forecast."""
    first_day: int
    """Days that are only learned from."""
    level: float = 0.95


class Yardstick(NamedTuple):
    """One of the four, with its band measured over so many days."""

    name: str
    band_days: int
    upper: Floats
    """As issued for each window, shape [windows]; NaN where not judged."""


def yardsticks(demand: Floats, protocol: Protocol) -> list[Yardstick]:
    """All twelve on one history, shape [windows]; NaN: a hole."""
    filled = filled_forward(demand[None], np.full(1, np.nan))[0]
    newest = delayed(filled, protocol.ahead)
    week = delayed(demand, WEEK_DAYS * protocol.windows_per_day)
    week = np.where(np.isnan(week), delayed(filled, protocol.windows_per_day), week)
    curves: tuple[tuple[Floats, Correction], ...] = (
        (newest, "none"),
        (newest, "to the mean"),
        (week, "none"),
        (week, "to the curve"),
    )
    return [
        Yardstick(name, days, banded(demand, curve, protocol, correction, days))
        for name, (curve, correction) in zip(NAMES, curves, strict=True)
        for days in BAND_DAYS
    ]


def banded(
    demand: Floats, curve: Floats, protocol: Protocol, correction: Correction, band_days: int
) -> Floats:
    """The upper quantiles that a curve of point forecasts would have issued, shape [windows].

    Args:
        demand: Shape [windows]; NaN: a hole.
        curve: What had been forecast for each window by its origin, in the unit of demand; NaN: nothing.
        protocol: How it is judged.
        correction: Of the level; with one, the curve as it is stays among what is chosen from.
        band_days: Over how many past days the quantile is taken.
    """
    slots, ahead, _, level = protocol
    upper = np.full(len(demand), np.nan)
    for start in range(protocol.first_day * slots, len(demand), slots):
        end = min(start + slots, len(demand))
        read = slice(max(0, start - (max(band_days, MEAN_DAYS) + 1) * slots), end)
        past = slice(max(0, start - band_days * slots) - read.start, start - ahead + 1 - read.start)
        softening = SOFTENING * float(np.nanmean(demand[: start - ahead + 1]))
        came, logs = demand[read], np.log(demand[read] + softening)
        least = np.inf
        for points in _candidates(logs, np.log(curve[read] + softening), past.stop, protocol, correction):
            said = np.exp(points + _quantile((logs - points)[past], level)) - softening
            losses = pinball(came[past], said[past], level)
            loss = float(np.nanmean(losses)) if np.isfinite(losses).any() else np.inf
            if loss < least:
                least, upper[start:end] = loss, said[start - read.start :]
    return upper


def _candidates(
    logs: Floats, curve: Floats, known: int, protocol: Protocol, correction: Correction
) -> list[Floats]:
    """Point forecasts to choose from, as logarithms; the first `known` windows are the past."""
    if correction == "none":
        return [curve]
    base = curve
    if correction == "to the mean":
        base = np.full(
            len(logs), np.nanmean(logs[max(0, known - MEAN_DAYS * protocol.windows_per_day) : known])
        )
    residuals = filled_forward((logs - base)[None], np.zeros(1))
    found = [curve]
    for gain in GAINS:
        level = delayed(decayed_sums(gain * residuals, 1.0 - gain)[0], protocol.ahead)
        found += [base + damping * np.where(np.isnan(level), 0.0, level) for damping in DAMPINGS]
    return found


def _quantile(residuals: Floats, level: float) -> float:
    """Conformal quantile; NaN where nothing is known."""
    known = residuals[~np.isnan(residuals)]
    if not len(known):
        return np.nan
    place = rank(len(known), level)
    return float(np.partition(known, place)[place])


def delayed(values: Floats, windows: int) -> Floats:
    """`values` so many windows later; NaN before."""
    moved = np.full(len(values), np.nan)
    moved[windows:] = values[: max(0, len(values) - windows)]
    return moved
