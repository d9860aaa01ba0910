"""Holds that thinning loses no peak, low, gap or moment over capacity, and keeps to its bounds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from headrace.report import thinning

LINES = hnp.arrays(
    np.float64,
    st.integers(1, 150),
    elements=st.one_of(st.just(float("nan")), st.integers(-50, 50).map(float)),
)


@given(LINES, st.integers(1, 60))
def test_landmarks_keep_each_buckets_extremes_and_ends(values: np.ndarray, buckets: int) -> None:
    kept = thinning.landmarks(values, buckets)
    assert (np.diff(kept) > 0).all()
    assert len(kept) <= max(6 * buckets, buckets)
    edges = np.unique(np.linspace(0, len(values), buckets + 1).astype(int))
    for start, end in pairwise(edges):
        inside = values[start:end]
        chosen = values[kept[(kept >= start) & (kept < end)]]
        assert np.isnan(inside).any() == np.isnan(chosen).any()
        if not np.isnan(inside).all():
            assert np.nanmax(chosen) == np.nanmax(inside)
            assert np.nanmin(chosen) == np.nanmin(inside)
        assert {start, end - 1} <= set(kept) or len(values) <= buckets


@given(LINES, LINES)
def test_all_changes_rebuild_the_steps_exactly(a: np.ndarray, b: np.ndarray) -> None:
    n = min(len(a), len(b))
    a, b = a[:n], b[:n]
    kept = thinning.changes(a, b)
    held = np.searchsorted(kept, np.arange(n), side="right") - 1
    np.testing.assert_array_equal(a[kept][held], a)
    np.testing.assert_array_equal(b[kept][held], b)


def test_steps_that_fit_are_kept_whole_and_others_keep_the_peak_of_the_stack() -> None:
    rng = np.random.default_rng(7)
    columns = tuple(rng.integers(0, 9, 5_000).astype(float) for _ in range(3))
    assert len(thinning.steps_kept(columns, 5_000)) == len(thinning.changes(*columns))
    kept = thinning.steps_kept(columns, 500)
    assert len(kept) <= 500
    total = np.sum(columns, axis=0)
    assert total[kept].max() == total.max()
    for column in columns:
        assert column[kept].max() == column.max()
        assert column[kept].min() == column.min()


@st.composite
def moments(draw: st.DrawFn) -> np.ndarray:
    edges = np.cumsum(draw(st.lists(st.integers(1, 40), min_size=2, max_size=80)))
    return edges[: len(edges) // 2 * 2].reshape(-1, 2).astype(float)


@given(moments(), st.integers(1, 30))
def test_merged_moments_cover_every_moment(intervals: np.ndarray, at_most: int) -> None:
    joined = thinning.merged(intervals, at_most)
    assert len(joined) == min(len(intervals), at_most)
    assert (joined[:, 1] > joined[:, 0]).all()
    assert (joined[1:, 0] >= joined[:-1, 1]).all()
    for start, end in intervals:
        assert ((joined[:, 0] <= start) & (end <= joined[:, 1])).any()
    gaps = np.sort(intervals[1:, 0] - intervals[:-1, 1])
    added = (joined[:, 1] - joined[:, 0]).sum() - (intervals[:, 1] - intervals[:, 0]).sum()
    assert added == pytest.approx(gaps[: len(intervals) - len(joined)].sum())
