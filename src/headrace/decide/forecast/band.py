"""How far a forecast may be off: a scale by time of day and by recent errors, quantiles of what was, and a tracker."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.forecast.decay import Floats

CAP = 6.0
"""No single error enters the scale with more than six times the mean one."""
PSEUDO_WINDOWS = 100.0
"""Each slot's scale is drawn towards the mean as if by so many windows."""
ERROR_KEEP = 0.7
"""An error counts 0.7 times the next one in what the last hour was like."""
ERROR_PRIOR = 3.0
"""…drawn towards an ordinary hour as if by three windows."""
MOST_SURPRISE = 8.0
LEAST_HOUR, MOST_HOUR = 0.3, 4.0
"""Between a third of and four times an ordinary hour."""
DAY_KEEP = 0.95
"""A day counts 0.95 times the day after it in an expert's loss."""
SHARPNESS = 2.0
"""An expert whose loss is 1 % above the best one's loses 2 % of its weight for each day of evidence."""
LEAST_LOSS = 1e-6
"""In shares of demand; what is less is rounding, and where demand stands still it must not choose the experts."""
TRACK_STEP = 0.05
TRACK_LEAST, TRACK_MOST = -1.0, 4.0
LEAST_UNIT = 0.1
MOST_LOG = 80.0
"""Of a quantile over what came, so that single precision holds it."""
MOST_RISE = math.log(4.0)
"""No forecast is over four times the greatest demand seen, no quantile over four times the greatest forecast.

From a few known windows a regression may learn that the smallest step comes a thousandfold: of four days of which
three are holes it once forecast 1e61 times the greatest demand. On the histories of the benchmark little changes.
"""
Singles = NDArray[np.float32]


class Opinion(NamedTuple):
    """What the experts say about one level, and how much each is believed."""

    quantiles: Floats
    """Of (what came - forecast) / scale, shape [models, experts]; NaN where nothing was seen."""
    weights: Floats
    """Shape [models, experts], sum 1."""


def slot_scale(errors: Floats) -> Floats:
    """Mean distance between forecast and truth by slot of the day, shape [models, slots], above 0.

    Args:
        errors: In logarithms, shape [models, days, slots]; NaN: a hole.
    """
    slots = errors.shape[2]
    known = ~np.isnan(errors)
    size = np.where(known, np.abs(errors), 0.0)
    count = known.sum(axis=(1, 2))
    mean = size.sum(axis=(1, 2)) / np.maximum(count, 1)
    size = np.minimum(size, CAP * mean[:, None, None])
    mean = size.sum(axis=(1, 2)) / np.maximum(count, 1)
    reach = max(1, slots // 24)
    total = _around(size.sum(axis=1), reach) + PSEUDO_WINDOWS * mean[:, None]
    scale = total / (_around(known.sum(axis=1).astype(np.float64), reach) + PSEUDO_WINDOWS)
    return np.asarray(np.maximum(scale, 1e-6))


def _around(by_slot: Floats, reach: int) -> Floats:
    """Sum over each slot and `reach` to both sides, around midnight too."""
    ring = np.concatenate([by_slot[:, -reach:], by_slot, by_slot[:, :reach]], axis=1)
    sums = np.concatenate([np.zeros((len(ring), 1)), np.cumsum(ring, axis=1)], axis=1)
    around: Floats = sums[:, 2 * reach + 1 :] - sums[:, : -2 * reach - 1]
    return around


def surprise(error: Floats, scale: Floats) -> Floats:
    """An error in units of its slot's scale, at most 8; NaN stays NaN."""
    return np.minimum(np.abs(error) / scale, MOST_SURPRISE)


def hour_factor(total: Floats, count: Floats) -> Floats:
    """What the scale is multiplied with after the last errors: the root of their mean surprise, within limits.

    Args:
        total: Decayed sum of surprises.
        count: Decayed number of them.
    """
    mean = (total + ERROR_PRIOR) / (count + ERROR_PRIOR)
    return np.sqrt(np.clip(mean, LEAST_HOUR, MOST_HOUR))


def rank(count: int, level: float) -> int:
    """0-based place, among `count` ascending residuals, of the one that covers `level` of what comes (conformal)."""
    return min(count, math.ceil(level * (count + 1) - 1e-9)) - 1


def residual_quantiles(residuals: Singles, counts: NDArray[np.int64], level: float) -> Floats:
    """The conformal quantile of each expert's residuals, shape [models, experts]; NaN where nothing is known.

    Args:
        residuals: Shape [models, experts, n]; infinite in the windows that are holes. They may be left in another
            order along the last axis.
        counts: Windows that are none, shape [models].
        level: Within 0 and 1.
    """
    found = np.full(residuals.shape[:2], np.nan)
    for count in np.unique(counts):
        place = rank(int(count), level)
        if place < 0:
            continue
        same = counts == count
        part = residuals if same.all() else residuals[same]
        # one place at a time: numpy's vectorised selection does not do several
        part.partition(place, axis=2)
        found[same] = part[..., place]
    return found


def day_counts(days: int, slots: int) -> Floats:
    """How much each window counts in a loss, newest days most; shape [days * slots]."""
    return np.repeat(DAY_KEEP ** np.arange(days - 1.0, -1.0, -1.0), slots)


def upper_losses(
    residuals: Singles, quantiles: Floats, sigma: Singles, counted: Singles, level: float, scratch: Singles
) -> Floats:
    """Pinball loss of each expert's quantile on softened demand, summed over what counts; shape [models, experts].

    Pinball: `level` for each unit that came above it, `1 - level` for each below.

    Args:
        residuals: (what came - forecast) / sigma in logarithms, shape [models, experts, n]; finite.
        quantiles: Shape [models, experts].
        sigma: Shape [models, n].
        counted: Weight of each window times its softened demand, shape [models, n].
        level: Of the quantile.
    """
    # the quantile over what came: exp(forecast + quantile * sigma - came)
    over = np.subtract(quantiles.astype(np.float32)[:, :, None], residuals, out=scratch)
    over *= sigma[:, None]
    np.minimum(over, MOST_LOG, out=over)
    np.exp(over, out=over)
    # less one: how far over, as a share of what came; sums of small numbers, so that single precision does
    over -= np.float32(1.0)
    net = _weighted(over, counted)
    np.maximum(over, 0.0, out=over)
    losses = _weighted(over, counted) - level * net
    # a sum of nothing but zeros may come out below zero by a rounding
    return np.maximum(losses, 0.0).astype(np.float64)


def middle_losses(
    residuals: Singles, quantiles: Floats, sigma: Singles, counted: Singles, scratch: Singles
) -> Floats:
    """Distance of each expert's median from softened demand, to first order, summed over what counts.

    Args:
        residuals: As for `upper_losses`.
        quantiles: As for `upper_losses`.
        sigma: As for `upper_losses`.
        counted: As for `upper_losses`.
        scratch: As for `upper_losses`.
    """
    distance = np.subtract(residuals, quantiles.astype(np.float32)[:, :, None], out=scratch)
    np.abs(distance, out=distance)
    return _weighted(distance, sigma * counted).astype(np.float64)


def _weighted(values: Singles, weights: Singles) -> Singles:
    """Weighted sums over the last axis; a product of matrices would wake the BLAS library's threads."""
    return np.asarray(np.einsum("mkn,mn->mk", values, weights))


def beliefs(losses: Floats, evidence_days: Floats) -> Floats:
    """Weights of the experts by their past loss, shape [models, experts], sum 1.

    Args:
        losses: In shares of demand, shape [models, experts], not below 0.
        evidence_days: How many days they are over, old ones counting less, shape [models].
    """
    losses = np.maximum(losses, LEAST_LOSS)
    best = losses.min(axis=1, keepdims=True)
    worse = losses / best - 1.0
    raw = np.exp(-SHARPNESS * evidence_days[:, None] * np.minimum(worse, 1e3))
    return np.asarray(raw / raw.sum(axis=1, keepdims=True))


def tracker_unit(upper: Opinion, ridge_middle: Floats) -> Floats:
    """What one step of the tracker is worth, in scales: from the middle to the upper quantile, at least 0.1."""
    distance = (upper.weights * upper.quantiles).sum(axis=1) - ridge_middle
    return np.asarray(np.fmax(distance, LEAST_UNIT))


def tracked(tracker: Floats, came: Floats, upper: Floats, level: float) -> Floats:
    """The tracker after a window: up by 0.05 times the level if it came above the band, else down a little.

    In the long run this is still only where the share above is 1 - level, whatever the quantiles of the past were.
    """
    moved = np.clip(tracker + TRACK_STEP * ((came > upper) - (1.0 - level)), TRACK_LEAST, TRACK_MOST)
    return np.where(np.isnan(came) | np.isnan(upper), tracker, moved)
