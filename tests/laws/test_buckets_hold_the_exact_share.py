"""The interval from a histogram's buckets always holds the exact share, and no narrower one would."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from headrace.decide.cut import Share, cut_share, longer_share
from headrace.durations import Buckets

BOUNDS = st.lists(st.floats(0.1, 500.0) | st.integers(1, 500).map(float), min_size=0, max_size=8, unique=True)
VALUES = st.lists(st.floats(0.0, 900.0) | st.integers(0, 600).map(float), min_size=1, max_size=60)
SLACK = 1e-9


def buckets(values: NDArray[np.float64], bounds: list[float], total_s: float | None) -> Buckets:
    """What Prometheus would hold: a bucket's own bound belongs to it."""
    place = np.searchsorted(np.array(sorted(bounds)), values, side="left")
    counts = np.bincount(place, minlength=len(bounds) + 1)
    return Buckets(tuple(sorted(bounds)), tuple(counts.astype(float).tolist()), total_s)


def exact_cut(values: NDArray[np.float64], drain_s: float) -> float:
    total_s = float(values.sum())
    return float(np.maximum(values - drain_s, 0.0).sum()) / total_s if total_s else 0.0


def holds(share: Share, exact: float) -> bool:
    return share.low - SLACK <= exact <= share.high + SLACK


@given(VALUES, BOUNDS, st.data())
def test_holds_the_exact_share(values: list[float], bounds: list[float], data: st.DataObject) -> None:
    seen = np.array(values)
    drain_s = data.draw(st.floats(0.0, 1_000.0) | st.sampled_from([0.0, *bounds, *values]))
    if not drain_s and not seen.any():
        return  # nothing runs, and it would be cut at once
    plain, summed = buckets(seen, bounds, None), buckets(seen, bounds, float(seen.sum()))
    exact = exact_cut(seen, drain_s)
    assert holds(cut_share(plain, drain_s), exact)
    assert holds(cut_share(summed, drain_s), exact)
    longer = float(np.mean(seen > drain_s))
    assert holds(longer_share(plain, drain_s), longer)
    assert holds(longer_share(summed, drain_s), longer)


@given(VALUES, BOUNDS, st.floats(0.1, 1_000.0))
def test_a_sum_only_narrows_it(values: list[float], bounds: list[float], drain_s: float) -> None:
    seen = np.array(values)
    plain, summed = buckets(seen, bounds, None), buckets(seen, bounds, float(seen.sum()))
    for share in (cut_share, longer_share):
        wide, narrow = share(plain, drain_s), share(summed, drain_s)
        assert wide.low <= narrow.low + SLACK
        assert narrow.high <= wide.high + SLACK


@given(
    VALUES, st.lists(st.integers(1, 500).map(float), min_size=1, max_size=8, unique=True), st.integers(1, 9)
)
def test_counts_may_be_rates(values: list[float], bounds: list[float], drain: int) -> None:
    whole = buckets(np.array(values), bounds, float(np.sum(values)))
    rates = Buckets(
        whole.bounds_s, tuple(count / 3_600.0 for count in whole.counts), float(np.sum(values)) / 3_600.0
    )
    assert cut_share(rates, 37.0 * drain) == pytest.approx(cut_share(whole, 37.0 * drain), abs=1e-9)


@given(
    st.lists(st.tuples(st.floats(1.0, 60.0), st.floats(0.1, 20.0)), min_size=1, max_size=4),
    st.floats(0.0, 1.0),
    st.floats(0.05, 1.2),
)
def test_no_narrower_interval_would_hold(
    steps: list[tuple[float, float]], where: float, drain_ratio: float
) -> None:
    """What is cut is linear on both sides of N, so the extremes lie where requests stand at bounds and at N."""
    edges = [0.0, *np.cumsum([width for width, _ in steps]).tolist()]
    counts = [count for _, count in steps]
    drain_s = drain_ratio * edges[-1]
    low_s, high_s = np.dot(counts, edges[:-1]), np.dot(counts, edges[1:])
    total_s = float(low_s + where * (high_s - low_s))
    if total_s < 1e-6:
        return
    shares = [excess_s / total_s for excess_s in extremes(edges, counts, drain_s, total_s)]
    found = cut_share(Buckets(tuple(edges[1:]), (*counts, 0.0), total_s), drain_s)
    assert found == pytest.approx((min(shares), max(shares)), abs=1e-6)
    ends = [
        np.dot(counts, np.maximum(np.array(at) - drain_s, 0.0)) / np.dot(counts, at)
        for at in itertools.product(*(places(*bucket, drain_s) for bucket in itertools.pairwise(edges)))
        if np.dot(counts, at) > 0.0
    ]
    found = cut_share(Buckets(tuple(edges[1:]), (*counts, 0.0)), drain_s)
    assert found == pytest.approx((min(ends), max(ends)), abs=1e-6)


def extremes(edges: list[float], counts: list[float], drain_s: float, total_s: float) -> Iterator[float]:
    """Seconds cut in each corner: every bucket stands at one place, but for one that is split to meet the sum."""
    options = [places(*bucket, drain_s) for bucket in itertools.pairwise(edges)]
    for at in itertools.product(*options):
        rest_s = total_s - float(np.dot(counts, at))
        for split, count in enumerate(counts):
            for other in options[split]:
                moved = rest_s / count
                part = moved / (other - at[split]) if other != at[split] else 0.0
                if (part == 0.0 and abs(moved) > 1e-9) or not -1e-9 <= part <= 1.0 + 1e-9:
                    continue
                cut_s = [max(each - drain_s, 0.0) for each in at]
                gain_s = max(other - drain_s, 0.0) - cut_s[split]
                yield float(np.dot(counts, cut_s)) + count * part * gain_s


def places(low: float, high: float, drain_s: float) -> list[float]:
    return [low, drain_s, high] if low < drain_s < high else [low, high]
