"""Fewer points that still show everything that matters.

A year in ticks of ten seconds is 3.2 million values per line; a screen has a few thousand columns. What must
survive is every peak, every trough, every gap and every moment over capacity; what may go lies between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]
"""Ascending positions in an array, each once."""


def landmarks(values: NDArray[np.float64], buckets: int) -> Index:
    """Positions to keep of one line: first, last, lowest, highest and the gap's edges of each bucket.

    Args:
        values: shape [n], NaN = gap.
        buckets: How many equal stretches to cut the line into, >= 1.

    Returns:
        At most 6 positions a bucket. The highest and the lowest value of each bucket are among them, and a
        bucket with a gap keeps its first and last missing value, so that a line is never drawn across it.
    """
    n = len(values)
    if n <= buckets:
        return np.arange(n)
    edges = np.unique(np.linspace(0, n, buckets + 1).astype(np.intp))
    starts, ends = edges[:-1], edges[1:]
    missing = np.isnan(values)
    if not missing.any():
        extremes = [_first_at(values, starts, ends, extreme) for extreme in (np.maximum, np.minimum)]
        return np.unique(np.concatenate((*extremes, starts, ends - 1)))
    known = np.flatnonzero(~missing)
    kept = [
        _first_at(np.where(missing, -np.inf, values), starts, ends, np.maximum),
        _first_at(np.where(missing, np.inf, values), starts, ends, np.minimum),
        *_outermost(known, starts, ends),
        *_outermost(np.flatnonzero(missing), starts, ends),
    ]
    return np.unique(np.concatenate(kept))


def changes(*columns: NDArray[np.float64]) -> Index:
    """Positions where any of several stepped lines changes, and the first: nothing is lost by keeping these.

    Args:
        columns: each shape [n], n >= 1; NaN equals NaN.
    """
    changed = np.zeros(len(columns[0]), dtype=bool)
    changed[0] = True
    for column in columns:
        before, after = column[:-1], column[1:]
        changed[1:] |= (before != after) & ~(np.isnan(before) & np.isnan(after))
    return np.flatnonzero(changed)


def steps_kept(columns: tuple[NDArray[np.float64], ...], at_most: int) -> Index:
    """Positions to keep of several stepped lines that are stacked on each other.

    All changes where they fit. Else the landmarks of each line and of their sum, with as many buckets as fit.

    Args:
        columns: each shape [n], n >= 1.
        at_most: Points allowed, >= 64.
    """
    every = changes(*columns)
    if len(every) <= at_most:
        return every
    lines = [column[every] for column in columns]
    lines.append(np.sum(lines, axis=0))
    # A line keeps 2 to 6 positions a bucket and the lines share many of them: start with the most that could
    # fit, then go on with as many as that share suggests.
    buckets = at_most // 2
    while True:
        kept: Index = np.unique(np.concatenate([landmarks(line, buckets) for line in lines]))
        if len(kept) <= at_most or buckets == 1:
            return every[kept]
        buckets = max(1, min(buckets - 1, int(buckets * 0.97 * at_most / len(kept))))


def line_kept(values: NDArray[np.float64], at_most: int) -> Index:
    """Positions to keep of one line: all of them where they fit, else its landmarks.

    Args:
        values: shape [n].
        at_most: Points allowed, >= 6.
    """
    return np.arange(len(values)) if len(values) <= at_most else landmarks(values, at_most // 6)


def merged(intervals: NDArray[np.float64], at_most: int) -> NDArray[np.float64]:
    """At most so many intervals that cover all of the given ones, joined where the gap between is shortest.

    Args:
        intervals: shape [k, 2], ascending, disjoint.
        at_most: Intervals allowed, >= 1.

    Returns:
        shape [min(k, at_most), 2]. No moment is lost, and no other choice adds less time.
    """
    if len(intervals) <= at_most:
        return intervals
    gaps = intervals[1:, 0] - intervals[:-1, 1]
    kept = np.sort(np.argsort(-gaps, kind="stable")[: at_most - 1])
    first = np.concatenate(([0], kept + 1))
    last = np.concatenate((kept, [len(intervals) - 1]))
    return np.stack((intervals[first, 0], intervals[last, 1]), axis=1)


def _first_at(values: NDArray[np.float64], starts: Index, ends: Index, extreme: np.ufunc) -> Index:
    """Position of the first extreme of each bucket."""
    tops = np.repeat(extreme.reduceat(values, starts), ends - starts)
    hits: Index = np.flatnonzero(values == tops)
    return hits[np.searchsorted(hits, starts)]


def _outermost(positions: Index, starts: Index, ends: Index) -> tuple[Index, Index]:
    """First and last of the given positions in each bucket that has any."""
    low = np.searchsorted(positions, starts)
    high = np.searchsorted(positions, ends)
    some = high > low
    return positions[low[some]], positions[high[some] - 1]
