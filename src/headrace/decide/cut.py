"""How many streams a drain of N seconds cuts: exact where durations are, an interval where buckets are all there is.

A request that runs at a random moment is biased towards the long ones: the chance of meeting it is in proportion to
its duration d, and what is left of it is spread evenly over d. So the share of running streams that are still running
N seconds later, and are cut, is::

    cut(N) = sum(max(d - N, 0)) / sum(d)

It falls with N, ever more slowly (it is convex), and is also the chance that what is left of a running stream takes
longer than N.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.durations import LONGEST_S, Buckets, Durations

_ROUNDING = 1e-9
"""A total that misses what the buckets allow by this ratio is off by rounding; by more, it contradicts them."""


_LEAST_TOTAL_S = 1e-290
"""Below it floats have few digits left: two thirds of the least one is all of it."""


class Share(NamedTuple):
    """A share that is known to lie within two bounds, 0 to 1; both are the same where it is known exactly."""

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Whether it is one figure."""
        return self.low == self.high


UNKNOWN = Share(0.0, 1.0)
"""What is known of a share without any data."""


def cut_share(durations: Durations | Buckets, drain_s: float) -> Share:
    """cut(N): of the streams that run when a drain begins, the share that is still running `drain_s` later.

    Ten requests of 10 s and one of 100 s run for 200 s together; of a drain of 60 s, 40 of those would be too much:
    20 %, although only one request in eleven is longer.

    Args:
        durations: Exact at whole seconds up to `LONGEST_S`, and a narrow interval between them and above. From
            buckets the sharp interval: no narrower one holds for every way in which requests can lie within their
            buckets and add up to the total (counts need not be whole, as a rate's are not).
        drain_s: N.
    """
    if not durations.count > 0:
        return UNKNOWN
    if isinstance(durations, Durations):
        return _cut_of_places(durations, drain_s)
    if drain_s <= 0.0:
        return Share(1.0, 1.0)
    split = _split(durations, drain_s)
    total_s = _total_s(durations, split)
    return _cut_at_any_total(split, drain_s) if total_s is None else _cut_at_total(split, drain_s, total_s)


def longer_share(durations: Durations | Buckets, drain_s: float) -> Share:
    """Of all requests, the share that takes longer than `drain_s`: those that a drain can cut at all.

    Always less than what is cut of the running ones while N is short, since long requests run more of the time.
    """
    if not durations.count > 0:
        return UNKNOWN
    if isinstance(durations, Buckets):
        return _longer_of_buckets(durations, drain_s)
    if drain_s >= durations.longest_s:
        return Share(0.0, 0.0)
    place = min(math.ceil(max(drain_s, 0.0)), LONGEST_S + 1)
    surely = int(durations.counts[place + 1 :].sum())
    straddling = 0 if _ends_with(place, drain_s) else int(durations.counts[place])
    return Share(surely / durations.count, (surely + straddling) / durations.count)


def cut_curve(
    durations: Durations | Buckets, drains_s: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """cut(N) at many N.

    Args:
        durations: As for `cut_share`.
        drains_s: shape [n], in any order.

    Returns:
        Lower and upper bounds, each of shape [n].
    """
    drains_s = np.asarray(drains_s, dtype=np.float64)
    if isinstance(durations, Durations) and durations.total_s > 0.0 and _are_places(drains_s):
        place = drains_s.astype(np.int64) + 1
        counts = durations.counts[::-1].cumsum()[::-1]
        sums_s = durations.sums_s[::-1].cumsum()[::-1]
        cut = np.clip((sums_s[place] - drains_s * counts[place]) / durations.total_s, 0.0, 1.0)
        return cut, cut.copy()
    shares = [cut_share(durations, float(drain_s)) for drain_s in drains_s]
    return np.array([share.low for share in shares]), np.array([share.high for share in shares])


def _are_places(drains_s: NDArray[np.float64]) -> bool:
    return bool(np.all((drains_s >= 0.0) & (drains_s <= LONGEST_S) & (drains_s == np.floor(drains_s))))


def _ends_with(place: int, drain_s: float) -> bool:
    """Whether a place holds nothing longer than N; the last one is open."""
    return drain_s == place <= LONGEST_S


def _cut_of_places(durations: Durations, drain_s: float) -> Share:
    """From counts and sums by whole second: only the place that N falls into leaves anything open."""
    total_s = durations.total_s
    if total_s <= 0.0 or drain_s >= durations.longest_s:
        return Share(0.0, 0.0)  # nothing ever runs, or nothing for so long
    if drain_s <= 0.0:
        return Share(1.0, 1.0)
    place = min(math.ceil(drain_s), LONGEST_S + 1)
    after = slice(place + 1, None)
    excess_s = float(durations.sums_s[after].sum()) - drain_s * int(durations.counts[after].sum())
    if _ends_with(place, drain_s):
        return _share(excess_s, excess_s, total_s)
    count, sum_s = int(durations.counts[place]), float(durations.sums_s[place])
    start_s, end_s = place - 1.0, durations.longest_s if place > LONGEST_S else float(place)
    least_s = max(0.0, sum_s - count * drain_s)
    most_s = (sum_s - count * start_s) * (end_s - drain_s) / (end_s - start_s)
    return _share(excess_s + least_s, excess_s + max(least_s, most_s), total_s)


class _Split(NamedTuple):
    """Buckets seen from N: those that end by N, the one that N falls into, those that begin at N or after it."""

    below_low_s: float
    below_high_s: float
    """What the requests below add up to, at least and at most."""
    inside: float
    """Requests in the bucket that N falls into; 0: N is a bound, and nothing is open."""
    start_s: float
    end_s: float
    above: float
    above_low_s: float
    above_high_s: float
    """Infinite where requests lie above the last bound."""

    @property
    def inside_high_s(self) -> float:
        """What the requests inside add up to at most."""
        return self.inside * self.end_s if self.inside else 0.0


def _split(buckets: Buckets, drain_s: float) -> _Split:
    below_low_s = below_high_s = inside = above = above_low_s = above_high_s = 0.0
    inside_start_s = inside_end_s = drain_s
    start_s = 0.0
    for end_s, count in zip((*buckets.bounds_s, math.inf), buckets.counts, strict=True):
        if count > 0:  # an empty bucket's open end must not become 0 × infinity
            if end_s <= drain_s:
                below_low_s += count * start_s
                below_high_s += count * end_s
            elif start_s < drain_s:
                inside, inside_start_s, inside_end_s = count, start_s, end_s
            else:
                above += count
                above_low_s += count * start_s
                above_high_s += count * end_s
        start_s = max(0.0, end_s)
    return _Split(
        below_low_s, below_high_s, inside, inside_start_s, inside_end_s, above, above_low_s, above_high_s
    )


def _total_s(buckets: Buckets, split: _Split) -> float | None:
    """The total, where it is known and the buckets allow it; otherwise it is worth nothing."""
    total_s = buckets.total_s
    if total_s is None or not math.isfinite(total_s) or 0.0 < total_s < _LEAST_TOTAL_S:
        return None
    low_s = split.below_low_s + split.inside * split.start_s + split.above_low_s
    high_s = split.below_high_s + split.inside_high_s + split.above_high_s
    slack_s = _ROUNDING * total_s
    if not low_s - slack_s <= total_s <= high_s + slack_s:
        return None
    return min(max(total_s, low_s), high_s)


def _cut_at_total(split: _Split, drain_s: float, total_s: float) -> Share:
    """Worst and best placement of the requests that add up to the total.

    Best: below N all requests are as long as they can be, and what is left over goes to those that are cut anyway.
    Worst: below N all are as short as they can be; what the buckets above can't take goes to the bucket that N falls
    into, at its two ends (a share of each second there is cut), and only then below.
    """
    cut_anyway_s = split.above * drain_s
    least_s = max(
        0.0,
        split.above_low_s - cut_anyway_s,
        total_s - split.below_high_s - split.inside * drain_s - cut_anyway_s,
    )
    free_s = total_s - split.below_low_s - split.inside * split.start_s
    left_s = free_s - split.above_high_s
    if left_s <= 0.0:
        return _share(least_s, free_s - cut_anyway_s, total_s)
    taken_s = min(left_s, split.inside_high_s - split.inside * split.start_s)
    return _share(least_s, split.above_high_s - cut_anyway_s + _chord(split, drain_s) * taken_s, total_s)


def _chord(split: _Split, drain_s: float) -> float:
    """Of each second above the start of the bucket that N falls into, the share that is cut at most."""
    if not split.inside:
        return 0.0
    if math.isinf(split.end_s):
        return 1.0
    return (split.end_s - drain_s) / (split.end_s - split.start_s)


def _cut_at_any_total(split: _Split, drain_s: float) -> Share:
    """Worst and best placement where the total isn't known; with anything above the last bound the worst is 1."""
    least_s = split.above_low_s - split.above * drain_s
    low = _share(least_s, least_s, split.below_high_s + split.inside * drain_s + split.above_low_s).low
    if math.isinf(split.above_high_s) or (split.inside and math.isinf(split.end_s)):
        return Share(low, 1.0)
    most_s = split.above_high_s - split.above * drain_s
    rest_s = split.below_low_s + split.above_high_s
    at_start = _share(most_s, most_s, rest_s + split.inside * split.start_s).high
    most_s += split.inside * (split.end_s - drain_s)
    at_end = _share(most_s, most_s, rest_s + split.inside_high_s).high
    return Share(low, max(low, at_start, at_end))


def _longer_of_buckets(buckets: Buckets, drain_s: float) -> Share:
    count = buckets.count
    if drain_s <= 0.0:  # the first bucket holds those of no time too
        return Share(float(1.0 - buckets.counts[0] / count), 1.0)
    split = _split(buckets, drain_s)
    if not split.inside:
        longer = float(split.above / count)
        return Share(longer, longer)
    least, most = 0.0, split.inside
    total_s = _total_s(buckets, split)
    if total_s is not None:
        most_s = total_s - split.below_low_s - split.above_low_s - split.inside * split.start_s
        most = min(most, max(0.0, most_s / (drain_s - split.start_s)))
        least_s = total_s - split.below_high_s - split.above_high_s - split.inside * drain_s
        least = min(most, max(0.0, least_s / (split.end_s - drain_s)))
    return Share(float((split.above + least) / count), float((split.above + most) / count))


def _share(least_s: float, most_s: float, total_s: float) -> Share:
    if total_s <= 0.0:
        return Share(0.0, 0.0)
    low = min(1.0, max(0.0, float(least_s / total_s)))
    return Share(low, min(1.0, max(low, float(most_s / total_s))))
