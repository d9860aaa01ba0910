"""N is the smallest whole step that keeps what may be cut, within its limits; changed once, it stays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from headrace.decide.cut import cut_share
from headrace.decide.drain import FEW, drain, drift
from headrace.decide.grace import Limits
from headrace.durations import Buckets, durations

VALUES = st.lists(st.floats(0.1, 3_000.0), min_size=1, max_size=40).map(np.array)
LIMITS = st.builds(
    lambda ratio, step, shortest, more: Limits(ratio, step, shortest, shortest + more),
    st.sampled_from([0.001, 0.01, 0.05]),
    st.sampled_from([1.0, 10.0, 30.0, 60.0]),
    st.floats(1.0, 300.0),
    st.floats(0.0, 900.0),
)
BOUNDS = st.lists(st.floats(1.0, 2_000.0), min_size=1, max_size=12, unique=True).map(sorted)


def histogram(values: NDArray[np.float64], bounds: list[float]) -> Buckets:
    counts = np.bincount(np.searchsorted(np.array(bounds), values), minlength=len(bounds) + 1)
    return Buckets(tuple(bounds), tuple(counts.astype(float).tolist()), float(values.sum()))


@given(VALUES, LIMITS)
def test_smallest(values: NDArray[np.float64], limits: Limits) -> None:
    seen = durations(values)
    found = drain(seen, limits)
    assert limits.shortest_s <= found.drain_s <= limits.longest_s
    if found.needed_s < np.inf:
        assert found.needed_s % limits.step_s == 0.0
        assert cut_share(seen, found.needed_s).high <= limits.cut_ratio
        assert cut_share(seen, found.needed_s - limits.step_s).high > limits.cut_ratio
        assert found.drain_s == min(max(found.needed_s, limits.shortest_s), limits.longest_s)
    else:
        assert found.drain_s == limits.longest_s


@given(VALUES, BOUNDS, LIMITS)
def test_from_buckets_never_shorter_than_from_the_requests_themselves(
    values: NDArray[np.float64], bounds: list[float], limits: Limits
) -> None:
    exact, found = drain(durations(values), limits), drain(histogram(values, bounds), limits)
    assert found.best_s <= exact.drain_s + 1e-9
    # where N is a figure that rounding decides, buckets may differ by the step that it decides on
    assert exact.drain_s <= found.drain_s + (
        limits.step_s if abs(exact.cut.high - limits.cut_ratio) < 1e-9 else 1e-9
    )


@given(VALUES, st.none() | BOUNDS, LIMITS, st.floats(1.0, 2_000.0))
def test_what_is_changed_for_todays_traffic_is_not_changed_again(
    values: NDArray[np.float64], bounds: list[float] | None, limits: Limits, running_s: float
) -> None:
    many = np.tile(values, FEW)
    today = durations(many) if bounds is None else histogram(many, bounds)
    first = drift(running_s, today, limits)
    second = drift(first.drain_s, today, limits)
    assert second.action == "keep"
    assert second.drain_s == first.drain_s
    if first.action == "raise":
        assert first.drain_s >= running_s
    if first.action == "lower":
        assert first.drain_s <= running_s / 2.0
