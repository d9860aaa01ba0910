"""More work on any replica that answers is never less demand, and two sources of one truth say the same."""

from __future__ import annotations

import math
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.demand import demand
from headrace.snapshot import Gateway, Replica, Sample, Snapshot, State
from headrace.spec import Capacity

LOAD = st.floats(0.0, 500.0)
REPLICA = st.tuples(st.sampled_from([State.READY, State.DRAINING, State.STARTING]), LOAD, LOAD)
FLEETS = st.lists(REPLICA, min_size=1, max_size=10)
CAPACITY = Capacity(slots=256)


def replicas(fleet: list[tuple[State, float, float]]) -> tuple[Replica, ...]:
    return tuple(
        Replica(f"r{i}", state, -1e6, Sample(running, waiting))
        for i, (state, running, waiting) in enumerate(fleet)
    )


@given(FLEETS, st.data(), LOAD)
def test_more_work_is_never_less_demand(
    fleet: list[tuple[State, float, float]], data: st.DataObject, more: float
) -> None:
    i = data.draw(st.integers(0, len(fleet) - 1))
    state, running, waiting = fleet[i]
    busier = [*fleet[:i], (state, running, waiting + more), *fleet[i + 1 :]]
    before, after = (demand(Snapshot(0.0, replicas(each)), CAPACITY) for each in (fleet, busier))
    assert before.is_missing == after.is_missing
    if not before.is_missing:
        assert after.slots >= before.slots


@given(FLEETS)
def test_gateway_and_replicas_agree_on_one_truth(fleet: list[tuple[State, float, float]]) -> None:
    in_system = sum(running + waiting for state, running, waiting in fleet if state is not State.STARTING)
    from_replicas = demand(Snapshot(0.0, replicas(fleet)), CAPACITY)
    from_gateway = demand(Snapshot(0.0, replicas(fleet), Gateway(in_system, 0.0)), CAPACITY)
    if not from_replicas.is_missing:
        assert math.isclose(from_replicas.slots, from_gateway.slots, abs_tol=1e-6)


@given(FLEETS, st.randoms(use_true_random=False))
def test_the_order_of_replicas_changes_nothing(
    fleet: list[tuple[State, float, float]], shuffle: Random
) -> None:
    shuffled = list(replicas(fleet))
    shuffle.shuffle(shuffled)
    one = demand(Snapshot(0.0, replicas(fleet)), CAPACITY)
    other = demand(Snapshot(0.0, tuple(shuffled)), CAPACITY)
    assert one.is_lower_bound == other.is_lower_bound
    assert one.is_missing == other.is_missing
    if not one.is_missing:
        assert math.isclose(one.slots, other.slots, abs_tol=1e-6)
