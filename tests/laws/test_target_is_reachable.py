"""Whatever was sampled, the target is one that a full replica passes, so that replicas are added."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.capacity import unreachable_reason
from headrace.decide.target import target
from headrace.occupancy import Occupancy
from headrace.spec import Capacity

SAMPLES = st.lists(
    st.tuples(st.floats(0.0, 600.0) | st.just(np.nan), st.floats(0.0, 100.0), st.integers(1, 9)), max_size=200
)


@given(
    SAMPLES,
    st.integers(1, 512),
    st.integers(1, 4),
    st.none() | st.integers(1_000, 500_000),
    st.none() | st.floats(1.0, 10_000.0),
    st.sampled_from([0.0, 0.05, 0.1, 0.3]),
    st.sampled_from([30.0, 600.0]),
)
def test_reachable(
    rows: list[tuple[float, float, int]],
    slots: int,
    engines: int,
    kv_tokens: int | None,
    tokens: float | None,
    tolerance: float,
    step_s: float,
) -> None:
    running, waiting, replicas = (
        (np.array(column, dtype=float) for column in zip(*rows, strict=True))
        if rows
        else (np.array([]) for _ in range(3))
    )
    occupancy = Occupancy(np.arange(len(rows), dtype=np.float64) * step_s, running, waiting, replicas, step_s)
    capacity = Capacity(slots=slots, data_parallel=engines, kv_tokens=kv_tokens)
    found = target(occupancy, capacity, tokens, tolerance)
    assert unreachable_reason(found.running, capacity, tokens, tolerance) == ""
    assert 0.05 <= found.ratio < 1.0
    assert 0.0 <= found.onset.low <= found.onset.high <= 1.0
    fits = [group.backlog_fit for group in found.groups]
    assert fits == sorted(fits)
