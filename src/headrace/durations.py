"""How long requests take: exact by whole second, or as a histogram's buckets, which know less."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST_S = 3600
"""Durations above this share the last place: four times the longest drain that is ever proposed."""


@dataclass(frozen=True, slots=True, eq=False)
class Durations:
    """Request durations by whole second, reduced without loss where it matters: every whole N to `LONGEST_S`.

    Attributes:
        counts: shape [LONGEST_S + 2], int64; counts[k]: requests with k - 1 < duration <= k seconds (counts[0]:
            of exactly 0 s; the last: above LONGEST_S).
        sums_s: shape [LONGEST_S + 2], float64; the durations in each place, added up.
        longest_s: The longest one; 0 where there is none.
    """

    counts: NDArray[np.int64]
    sums_s: NDArray[np.float64]
    longest_s: float

    @property
    def count(self) -> int:
        """All requests."""
        return int(self.counts.sum())

    @property
    def total_s(self) -> float:
        """All durations added up."""
        return float(self.sums_s.sum())


@dataclass(frozen=True, slots=True)
class Buckets:
    """Request durations as a Prometheus histogram holds them.

    Attributes:
        bounds_s: Upper bounds, ascending, finite; a bucket reaches from the bound before (or 0) up to its own.
        counts: Requests in each bucket (not cumulative), one more than bounds: the last is above every bound.
        total_s: All durations added up (`_sum`); None: not known.
    """

    bounds_s: tuple[float, ...]
    counts: tuple[float, ...]
    total_s: float | None = None

    @property
    def count(self) -> float:
        """All requests (a rate over time need not be whole)."""
        return sum(self.counts)


def durations(values_s: NDArray[np.float64]) -> Durations:
    """Durations by whole second.

    Args:
        values_s: shape [n], finite, >= 0.
    """
    place = np.minimum(np.ceil(values_s), LONGEST_S + 1).astype(np.int64)
    size = LONGEST_S + 2
    return Durations(
        np.bincount(place, minlength=size).astype(np.int64),
        np.bincount(place, weights=values_s, minlength=size).astype(np.float64),
        float(values_s.max(initial=0.0)),
    )


def added(one: Durations, other: Durations) -> Durations:
    """Both together, as if they had been read from one file."""
    return Durations(
        one.counts + other.counts, one.sums_s + other.sums_s, max(one.longest_s, other.longest_s)
    )
