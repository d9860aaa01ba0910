"""What a day is usually like: last week itself, and the newest level with the shape of recent weeks or days."""

from __future__ import annotations

import numpy as np

from headrace.decide.forecast.decay import Floats, day_weights, filled_forward, known_means, ratio

DAY_KEEP = 0.7
"""A day counts 0.7 times the day after it in the shape of a day."""
WEEK_KEEP = 0.75
"""A week counts 0.75 times the week after it in the shape of a weekday."""
COUNT = 3


def seasonals(logs: Floats, rows: range) -> Floats:
    """Three expectations for each window, each from earlier days only: last week, weeks, days.

    *last week*: the value seven days before. *weeks*: the same slot 7, 14, … days before, each relative to the mean of
    the seven days that end there, on the mean of the last seven days. *days*: slots relative to their day's mean, on
    the newest day's mean. Where last week is not known the weeks stand for it, and for those the days; NaN is left
    where nothing is known.

    Args:
        logs: Logarithms of demand, shape [models, days, slots]; NaN: a hole or unusual.
        rows: Days to answer for, one after the other, counted in those of `logs`; those past its end repeat its newest
            level.

    Returns:
        Shape [models, 3, len(rows) * slots].
    """
    models, days, slots = logs.shape
    known = ~np.isnan(logs)
    counts = None if known.all() else known.astype(np.float64)
    level = known_means(logs, axis=2)
    level = filled_forward(level, known_means(logs, axis=(1, 2)))
    week = _means_of_seven(level)
    out = np.empty((models, COUNT, len(rows), slots))
    last_week, by_weeks, by_days = (out[:, index] for index in range(COUNT))
    deviations = np.where(known, logs - level[:, :, None], 0.0)
    shape = _shape(deviations, counts, day_weights(days, rows.stop, DAY_KEEP)[rows.start :])
    np.add(shape, _day_before(level, rows)[:, :, None], out=by_days)
    np.subtract(logs, week[:, :, None], out=deviations, where=known)
    shape = _shape(deviations, counts, day_weights(days, rows.stop, WEEK_KEEP, 7)[rows.start :])
    np.add(shape, _day_before(week, rows)[:, :, None], out=by_weeks)
    unknown = min(max(0, 7 - rows.start), len(rows))
    last_week[:, :unknown] = np.nan
    last_week[:, unknown:] = logs[:, rows.start + unknown - 7 : max(0, rows.stop - 7)]
    np.copyto(by_weeks, by_days, where=np.isnan(by_weeks))
    np.copyto(last_week, by_weeks, where=np.isnan(last_week))
    return out.reshape(models, COUNT, len(rows) * slots)


def _shape(deviations: Floats, counts: Floats | None, weights: Floats) -> Floats:
    """Weighted mean deviation of each slot, shape [models, rows, slots]; NaN where no day counts.

    Args:
        deviations: Shape [models, days, slots]; 0 in holes.
        counts: 1 where known, 0 in holes, the same shape; None: no holes.
        weights: Shape [rows, days].
    """
    if counts is None:
        return ratio(weights, weights.sum(axis=1, keepdims=True)) @ deviations
    return ratio(weights @ deviations, weights @ counts)


def _day_before(level: Floats, rows: range) -> Floats:
    """The newest level known before each row, shape [models, rows]; the first day has its own."""
    days = level.shape[1]
    return level[:, np.clip(np.array(rows) - 1, 0, days - 1)]


def _means_of_seven(level: Floats) -> Floats:
    """Mean of the seven days that end with each day, or of as many as there are; shape [models, days]."""
    days = level.shape[1]
    sums = np.concatenate([np.zeros((len(level), 1)), np.cumsum(level, axis=1)], axis=1)
    first = np.maximum(np.arange(1, days + 1) - 7, 0)
    mean: Floats = (sums[:, 1:] - sums[:, first]) / (np.arange(1, days + 1) - first)
    return mean
