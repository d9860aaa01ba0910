"""Windows of the past that are unlike the days around them: they are not what a day is usually like.

A one-off day, a dead day or a short spike would come back as a forecast a day or a week later. A value counts as
usual if the same time of day had one like it on the day before or after, or a week before or after: a level that
stays, a weekday that differs and a nightly batch job all have such a companion. What has none is left out of the
seasonals, and only there.

Of the newest day nothing can follow yet, so single windows of it are believed; if most of it is unlike every
companion it is believed on the second such day.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from headrace.decide.forecast.decay import Floats

DAY_FACTOR, DAY_SPREADS = math.log(2.0), 6.0
"""A day is unusual if most of it is beyond both: twice its companions, six times the median step from day to day.

With tighter limits real days are lost: the forecast of ServeGen's m-mid gets 5 % worse at a factor of 2 for windows.
"""
WINDOW_FACTOR, WINDOW_SPREADS = math.log(5.0), 10.0
"""A single window is unusual if it is beyond both."""


def usual(logs: Floats) -> NDArray[np.bool_]:
    """Which windows are like a companion; also those that have none to be compared with. Shape as `logs`.

    Args:
        logs: Logarithms of demand, shape [models, days, slots]; NaN: a hole.
    """
    if logs.shape[1] < 3:
        return np.ones(logs.shape, np.bool_)
    steps = np.abs(logs[:, 1:] - logs[:, :-1])
    spread = _medians(steps.reshape(len(logs), -1))
    near = steps <= np.maximum(DAY_FACTOR, DAY_SPREADS * spread)[:, None, None]
    found = np.ones(logs.shape, np.bool_)
    # most histories end here: each window has a companion on the day before or after
    alone = ~(near[:, [0, -1]].all(axis=(1, 2)) & (near[:, 1:] | near[:, :-1]).all(axis=(1, 2)))
    if alone.any():
        found[alone] = ~_strange(logs[alone], spread[alone])
    return found


def _strange(logs: Floats, spread: Floats) -> NDArray[np.bool_]:
    """Windows unlike all their companions, by day or each by itself; `spread` from `_medians`."""
    least, most = _companions(logs)
    unknown = (least > most) | np.isnan(logs)
    outside = np.where(unknown, 0.0, np.maximum(least - logs, logs - most))
    strange = outside > np.maximum(WINDOW_FACTOR, WINDOW_SPREADS * spread)[:, None, None]
    strange[:, -1] = False
    unlike = outside > np.maximum(DAY_FACTOR, DAY_SPREADS * spread)[:, None, None]
    known = (~np.isnan(logs)).sum(axis=2)
    strange |= (2 * unlike.sum(axis=2) > known)[:, :, None]
    return strange


def _medians(steps: Floats) -> Floats:
    """Median of the known distances between a window and the same one a day later, shape [models]; 0: none known."""
    counts = (~np.isnan(steps)).sum(axis=1)
    if (counts == steps.shape[1]).all():
        middle = steps.shape[1] // 2
        return np.partition(steps, middle, axis=1)[:, middle]
    return np.array(
        [
            np.partition(row[~np.isnan(row)], count // 2)[count // 2] if count else 0.0
            for row, count in zip(steps, counts.tolist(), strict=True)
        ]
    )


def _companions(logs: Floats) -> tuple[Floats, Floats]:
    """Least and greatest of each window's companions; infinite, and the wrong way round, where there are none."""
    low, high = _slots_around(logs)
    least, most = np.full_like(logs, np.inf), np.full_like(logs, -np.inf)
    for shift in (1, 7):
        if shift >= logs.shape[1]:
            continue
        later, earlier = slice(shift, None), slice(None, -shift)
        for here, there in ((later, earlier), (earlier, later)):
            np.fmin(least[:, here], low[:, there], out=least[:, here])
            np.fmax(most[:, here], high[:, there], out=most[:, here])
    return least, most


def _slots_around(logs: Floats) -> tuple[Floats, Floats]:
    """Least and greatest of a slot and its two neighbours: a job that starts a window later is the same job."""
    low, high = logs.copy(), logs.copy()
    later, earlier = slice(1, None), slice(None, -1)
    for here, there in ((later, earlier), (earlier, later)):
        np.fmin(low[..., here], logs[..., there], out=low[..., here])
        np.fmax(high[..., here], logs[..., there], out=high[..., here])
    return low, high
