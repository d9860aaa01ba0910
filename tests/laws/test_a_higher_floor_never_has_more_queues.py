"""A higher floor never leaves more long stretches without slots, and the one chosen is the smallest that is enough."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.floor import WEEK_S, Fleet, floor
from headrace.decide.queues import Week
from headrace.occupancy import Occupancy

ROWS = st.lists(st.tuples(st.floats(0.0, 1_500.0), st.integers(1, 9)), min_size=2, max_size=80)


@given(ROWS, st.floats(60.0, 3_000.0), st.sampled_from([0.0, 50.0, 300.0]), st.sampled_from([60.0, 10_000.0]))
def test_higher_is_never_worse(
    rows: list[tuple[float, int]], tolerated_s: float, allowed: float, step_s: float
) -> None:
    demand, replicas = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    running = np.minimum(demand, replicas * 100.0)
    at_s = np.arange(len(rows), dtype=np.float64) * step_s
    occupancy = Occupancy(at_s, running / replicas, (demand - running) / replicas, replicas, step_s)
    fleet = Fleet(100.0, tolerated_s, 180.0, allowed_per_week=allowed)
    found = floor(occupancy, fleet, Week((at_s // 3_600).astype(np.int64) % 168, 168))
    counts = [option.queues for option in found.options]
    costs = [option.gpu_hours_per_day for option in found.options]
    assert counts == sorted(counts, reverse=True)
    assert costs == sorted(costs)
    enough = math.floor(allowed * found.span_s / WEEK_S + 1e-3)
    for option in found.options:
        assert (option.queues <= enough) == (option.floor >= found.replicas)
    assert 1 <= found.unforeseen <= found.replicas
