"""cut(N) never rises with N, and ever less falls: it is convex."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.cut import cut_curve, cut_share, longer_share
from headrace.durations import Buckets, durations

VALUES = st.lists(st.floats(0.0, 5_000.0), min_size=1, max_size=60).map(np.array)


@given(VALUES)
def test_falls_and_is_convex(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    cut, _ = cut_curve(durations(values), np.arange(0.0, 600.0))
    assert np.all(np.diff(cut) <= 1e-12)
    assert np.all(np.diff(cut, 2) >= -1e-9)
    assert cut[0] == pytest.approx(1.0 if values.sum() > 0.0 else 0.0)


@given(VALUES, st.floats(0.0, 5_000.0), st.floats(0.0, 500.0))
def test_bounds_fall_between_whole_seconds_too(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], drain_s: float, more_s: float
) -> None:
    seen = durations(values)
    for share in (cut_share, longer_share):
        one, other = share(seen, drain_s), share(seen, drain_s + more_s)
        assert other.low <= one.low + 1e-9
        assert other.high <= one.high + 1e-9


@given(
    st.lists(st.tuples(st.floats(0.1, 100.0), st.integers(0, 50)), min_size=1, max_size=6),
    st.integers(0, 5),
    st.floats(0.0, 400.0),
    st.floats(0.0, 100.0),
)
def test_bounds_from_buckets_fall(
    steps: list[tuple[float, int]], above: int, drain_s: float, more_s: float
) -> None:
    bounds = tuple(np.cumsum([step for step, _ in steps]).tolist())
    buckets = Buckets(bounds, (*(float(count) for _, count in steps), float(above)))
    one, other = cut_share(buckets, drain_s), cut_share(buckets, drain_s + more_s)
    assert other.low <= one.low + 1e-9
    assert other.high <= one.high + 1e-9
