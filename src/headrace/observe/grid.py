"""Times in a row become a regular grid: which step, which origin, and what does not fit.

Rows arrive in chunks (`times`, `values`: shape [n], seconds ascending, demand with NaN for a hole), so that a
year of seconds never lies in memory twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Chunk = tuple[NDArray[np.float64], NDArray[np.float64]]

LARGEST_GRID_STEPS = 64_000_000
"""Two years of seconds (512 MB of values); a longer grid is a wrong time, or asks for a coarser step."""

_MICRO = 1e6
_MOST_KEPT = 100_000
"""Different differences kept by `StepCount`; jittered times have one per row, and only common ones matter."""
_ON_GRID_RATIO = 1e-3
"""Part of a step within which a time counts as on the grid: rounding of printed times, not jitter."""


class StepCount:
    """How often each difference between neighbouring times occurs, to the microsecond, in bounded memory."""

    def __init__(self) -> None:
        self.rows = 0
        self.first_s = 0.0
        self.last_s = 0.0
        self.longest_s = 0.0
        self.rows_before_longest = 0
        self._counts: Counter[int] = Counter()

    def add(self, times: NDArray[np.float64]) -> None:
        """Count the next chunk, ascending and after the one before."""
        if not times.size:
            return
        if self.rows:
            differences = np.diff(times, prepend=self.last_s)
        else:
            self.first_s = float(times[0])
            differences = np.diff(times)
        longest = int(np.argmax(differences)) if differences.size else 0
        if differences.size and differences[longest] > self.longest_s:
            self.longest_s = float(differences[longest])
            self.rows_before_longest = longest + max(self.rows, 1)
        micros, counts = np.unique(np.rint(differences * _MICRO).astype(np.int64), return_counts=True)
        self._counts.update(dict(zip(micros.tolist(), counts.tolist(), strict=True)))
        if len(self._counts) > 2 * _MOST_KEPT:
            self._counts = Counter(dict(self._counts.most_common(_MOST_KEPT)))
        self.rows += times.size
        self.last_s = float(times[-1])

    def candidates_s(self) -> tuple[float, tuple[float, ...]]:
        """The file's typical step in seconds, and the steps worth trying for its grid, best first.

        Where most neighbours are equally far apart, that is the step. Else the times jitter (then the median,
        rounded to a step that people choose) or many rows are missing (then the commonest difference).
        """
        common_s, share = self._commonest_s()
        if share >= 0.5:
            return common_s, (common_s,)
        median_s = self._median_s()
        jittered = abs(median_s - common_s) <= 0.1 * median_s
        if jittered:
            return median_s, (median_s,)
        # with fewer rows than a fifth of the grid these are events at odd times, not samples with holes
        return (common_s, (common_s, median_s)) if share >= 0.2 else (median_s, (median_s,))

    def _commonest_s(self) -> tuple[float, float]:
        """The commonest difference in seconds and its share of all, 0 to 1."""
        micros, count = min(self._counts.items(), key=lambda item: (-item[1], item[0]))
        micros = max(micros, 1)
        per_s = round(_MICRO / micros)
        # a third of a second is not a whole number of microseconds: 31 million of them would drift by 10 s
        exact = 1.0 / per_s if per_s > 1 and abs(per_s * micros - _MICRO) <= per_s else micros / _MICRO
        return exact, count / sum(self._counts.values())

    def _median_s(self) -> float:
        """The median difference in seconds, rounded to a step that people choose where one is within 3 %."""
        ordered = sorted(self._counts.items())
        counts = np.cumsum([count for _, count in ordered])
        micros = ordered[int(np.searchsorted(counts, counts[-1] / 2))][0]
        return _round_step_s(max(micros, 1) / _MICRO)


def _round_step_s(step_s: float) -> float:
    chosen = (
        0.1,
        0.2,
        0.25,
        0.5,
        1,
        2,
        5,
        10,
        15,
        20,
        30,
        60,
        120,
        300,
        600,
        900,
        1200,
        1800,
        3600,
        7200,
        86400,
    )
    nearest = min(chosen, key=lambda candidate: abs(candidate - step_s))
    return float(nearest) if abs(nearest - step_s) <= 0.03 * nearest else step_s


class Misfit(NamedTuple):
    """The first time that the grid can't hold: half a step off, or in the step of the row before."""

    rows_before: int
    at_s: float


class Fitted(NamedTuple):
    """Values on a regular grid."""

    start_s: float
    values: NDArray[np.float64]
    moved_rows: int
    """Rows whose time was not on the grid."""
    moved_most_s: float
    """Farthest that a row was moved."""


def grid_start_s(times: NDArray[np.float64], step_s: float) -> float:
    """Origin of the grid: the first time, unless the times jitter around another phase, then their middle.

    Args:
        times: The first times of the history, ascending.
        step_s: Step of the grid.
    """
    first_s = float(times[0])
    phase = (times - first_s) / step_s
    off = np.abs(phase - np.rint(phase)) > _ON_GRID_RATIO
    if np.count_nonzero(off) * 2 < times.size:
        return first_s
    turn = float(np.angle(np.mean(np.exp(2j * np.pi * phase)))) / (2 * np.pi)
    start_s = first_s + turn * step_s
    return float(round(start_s)) if step_s >= 10.0 else start_s  # at most a twentieth of a step


def fitted(chunks: Iterable[Chunk], start_s: float, step_s: float, last_s: float) -> Fitted | Misfit:
    """Each value at the step nearest to its time; steps without a row are NaN.

    Args:
        chunks: The rows, ascending.
        start_s: Origin of the grid; the first row lies within half a step of it.
        step_s: Step of the grid.
        last_s: Time of the last row.
    """
    values = np.full(round((last_s - start_s) / step_s) + 1, np.nan)
    rows, before, moved_rows, moved_most_s = 0, -1, 0, 0.0
    for times, chunk_values in chunks:
        phase = (times - start_s) / step_s
        step = np.rint(phase)
        off = np.abs(phase - step)
        wrong = (off > 0.499) | (np.diff(step, prepend=before) < 1)
        if wrong.any():
            index = int(np.argmax(wrong))
            return Misfit(rows + index, float(times[index]))
        values[step.astype(np.int64)] = chunk_values
        moved = off > _ON_GRID_RATIO
        moved_rows += int(np.count_nonzero(moved))
        moved_most_s = max(moved_most_s, float(np.max(off, initial=0.0, where=moved)) * step_s)
        rows += times.size
        before = int(step[-1]) if step.size else before
    return Fitted(start_s, values, moved_rows, moved_most_s)


def bucket_means(chunks: Iterable[Chunk], step_s: float, first_s: float, last_s: float) -> Fitted:
    """Means of the known values in each bucket of `step_s`; NaN where a bucket has none.

    Buckets begin at multiples of `step_s`, so that clock times stay round. Memory: the buckets and one chunk.
    """
    start_s = float(np.floor(first_s / step_s + 1e-9) * step_s)
    buckets = int(np.floor((last_s - start_s) / step_s + 1e-9)) + 1
    sums, counts = np.zeros(buckets), np.zeros(buckets, dtype=np.int64)
    for times, values in chunks:
        known = ~np.isnan(values)
        bucket = np.floor((times[known] - start_s) / step_s + 1e-9).astype(np.int64)
        if not bucket.size:
            continue
        begins = np.flatnonzero(np.diff(bucket, prepend=-1))
        sums[bucket[begins]] += np.add.reduceat(values[known], begins)
        counts[bucket[begins]] += np.diff(begins, append=bucket.size)
    means = np.divide(sums, counts, out=np.full(buckets, np.nan), where=counts > 0)
    return Fitted(start_s, means, 0, 0.0)
