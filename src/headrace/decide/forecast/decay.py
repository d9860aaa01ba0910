"""Weights that fade with age, and holes filled forward: what every step of the forecaster is made of."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BLOCK = 48
"""Windows that one product of matrices carries forward."""


@lru_cache(maxsize=64)
def day_weights(days: int, rows: int, keep: float, every: int = 1) -> Floats:
    """How much each past day counts for each day: shape [rows, days], from earlier days only.

    Row d has ``keep ** (a - 1)`` for the day `a * every` before it, 0 elsewhere; rows may run past the last day.
    """
    age = np.arange(rows)[:, None] - np.arange(days)[None, :]
    counts = (age > 0) & (age % every == 0)
    weights = np.where(counts, keep ** np.maximum(age / every - 1.0, 0.0), 0.0)
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=16)
def _within_block(keep: float) -> tuple[Floats, Floats]:
    """Weights inside one block, shape [BLOCK, BLOCK], and of what was there before it, shape [BLOCK]."""
    age = np.arange(BLOCK)[:, None] - np.arange(BLOCK)[None, :]
    inside = np.where(age >= 0, keep ** np.maximum(age, 0.0), 0.0).T.copy()
    return inside, keep ** np.arange(1.0, BLOCK + 1.0)


def decayed_sums(values: Floats, keep: float, before: Floats | None = None) -> Floats:
    """``s[t] = keep * s[t-1] + values[t]`` along the last axis, without a loop over its windows.

    Args:
        values: Shape [..., n], no NaN.
        keep: What is left of the sum after one window, 0 to 1.
        before: The sum before the first window, shape [...]; None: 0.
    """
    windows = values.shape[-1]
    if windows == 1:
        return values if before is None else values + keep * before[..., None]
    blocks = -(-windows // BLOCK)
    padded = values
    if windows % BLOCK:
        padded = np.zeros((*values.shape[:-1], blocks * BLOCK))
        padded[..., :windows] = values
    inside, carried = _within_block(keep)
    # model by model: one great product would wake the BLAS library's threads, which cost more than they bring
    sums = padded.reshape(*values.shape[:-1], blocks, BLOCK) @ inside
    if blocks > 1:
        # the ends of the blocks are themselves such sums, of what each block adds
        ends = decayed_sums(sums[..., -1], keep**BLOCK, before)
        sums[..., 1:, :] += ends[..., :-1, None] * carried
    if before is not None:
        sums[..., 0, :] += before[..., None] * carried
    return sums.reshape(padded.shape)[..., :windows]


def filled_forward(values: Floats, first: Floats) -> Floats:
    """The newest known value at each window; `first` where none is known yet.

    Args:
        values: Shape [models, n]; NaN: a hole.
        first: Shape [models].
    """
    if not np.isnan(values).any():
        return values
    newest = np.where(np.isnan(values), -1, np.arange(values.shape[-1]))
    newest = np.maximum.accumulate(newest, axis=-1)
    found = np.take_along_axis(values, np.maximum(newest, 0), axis=-1)
    return np.where(newest < 0, first[:, None], found)


def known_means(values: Floats, axis: int | tuple[int, ...]) -> Floats:
    """Means of the known values; NaN where none is, without a warning."""
    total = values.sum(axis=axis)
    if not np.isnan(total).any():  # no hole in all of it, as most histories are
        return ratio(total, np.array(values.size // max(total.size, 1)))
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return ratio(total, count)


def ratio(total: NDArray[Any], count: NDArray[Any]) -> Floats:
    """`total / count`; NaN where the count is zero."""
    out = np.full(np.broadcast_shapes(np.shape(total), np.shape(count)), np.nan)
    np.divide(total, count, out=out, where=np.greater(count, 0))
    return out
