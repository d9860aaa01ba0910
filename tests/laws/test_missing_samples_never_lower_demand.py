"""A sample that is missing, or can't be true, never lowers the demand verdict of the tick before.

The same work seen through fewer answers is the same demand or more, for as long as a partial answer is held
up (`PARTIAL_HOLD_S`); fewer than half, and nothing is decided on it.
"""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.demand import PARTIAL_HOLD_S, demand
from headrace.memory import NOTHING_KNOWN, DemandMemory
from headrace.snapshot import Gateway, Replica, Sample, Snapshot, State
from headrace.spec import Capacity

LOAD = st.floats(0.0, 2_000.0)
SAMPLES = st.lists(st.builds(Sample, LOAD, LOAD, st.floats(0.0, 1.0)), min_size=1, max_size=12)
CAPACITIES = st.builds(
    Capacity,
    slots=st.sampled_from([1, 64, 256]),
    data_parallel=st.sampled_from([1, 4]),
    kv_tokens=st.none() | st.just(400_000),
)
LIES = st.none() | st.sampled_from(
    [
        Sample(math.nan, 0.0),
        Sample(-1.0, 0.0),
        Sample(0.0, math.nan),
        Sample(0.0, -1.0),
        Sample(math.inf, 1.0),
    ]
)


def ready(samples: list[Sample | None]) -> tuple[Replica, ...]:
    return tuple(Replica(f"r{i}", State.READY, -1e6, sample) for i, sample in enumerate(samples))


@given(SAMPLES, CAPACITIES, st.data(), st.floats(0.0, PARTIAL_HOLD_S), st.sampled_from([0.0, 100.0]))
def test_at_a_later_tick(
    samples: list[Sample], capacity: Capacity, data: st.DataObject, later_s: float, queued_s: float
) -> None:
    memory = NOTHING_KNOWN
    for at_s in (0.0, queued_s):
        full = demand(Snapshot(at_s, ready(list(samples))), capacity, memory)
        memory = full.memory
    kept: list[Sample | None] = [
        sample if data.draw(st.booleans()) else data.draw(LIES) for sample in samples
    ]
    partial = demand(Snapshot(queued_s + later_s, ready(kept)), capacity, full.memory)
    assert partial.slots >= full.slots
    if not partial.is_missing and partial.answered < partial.asked:
        assert partial.at_least_replicas >= full.at_least_replicas


@given(SAMPLES, st.integers(0, 12), CAPACITIES)
def test_never_below_the_mean_of_those_that_answered(
    samples: list[Sample], silent: int, capacity: Capacity
) -> None:
    seen = demand(Snapshot(0.0, ready([*samples, *[None] * silent])), capacity)
    if silent > len(samples):
        assert seen.is_missing
        assert math.isnan(seen.slots)
    else:
        mean = sum(sample.running + sample.waiting for sample in samples) / len(samples)
        assert math.isclose(seen.slots, mean * (len(samples) + silent), abs_tol=1e-9)


@given(SAMPLES, st.integers(1, 6), CAPACITIES, st.floats(PARTIAL_HOLD_S + 1.0, 1e6), st.floats(0.0, 1e5))
def test_after_long_silence_never_below_last_demand_unless_full_replicas_would_be(
    samples: list[Sample], silent: int, capacity: Capacity, age_s: float, last: float
) -> None:
    memory = DemandMemory(at_s=age_s - 10.0, slots=last, complete_at_s=0.0)
    seen = demand(Snapshot(age_s, ready([*samples, *[None] * silent])), capacity, memory)
    if not seen.is_missing:
        load = sum(sample.running + sample.waiting for sample in samples)
        assert seen.slots >= min(last, load + silent * seen.replica_slots) - 1e-6


@given(SAMPLES, LOAD, LOAD, CAPACITIES)
def test_an_exact_count_needs_no_samples(
    samples: list[Sample], in_flight: float, queued: float, capacity: Capacity
) -> None:
    seen = demand(Snapshot(0.0, ready([None] * len(samples)), Gateway(in_flight, queued)), capacity)
    assert not seen.is_missing
    assert seen.slots == in_flight + queued
