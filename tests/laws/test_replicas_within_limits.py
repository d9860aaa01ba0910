"""A verdict keeps the limits: nothing starts above the ceiling, and nothing goes below the least."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fleets import fleets, pasts, snapshots, staying

from headrace.decide.step import step
from headrace.snapshot import State


@given(st.data())
def test_within_limits(data: st.DataObject) -> None:
    fleet = data.draw(fleets())
    memory = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots())
    _, verdict = step(fleet, memory, snapshot)
    limits, have = fleet.scale, staying(snapshot, memory)
    ready = sum(replica.state is State.READY for replica in snapshot.replicas)
    ceiling = limits.max_replicas
    if snapshot.schedulable is not None:
        ceiling = min(ceiling, max(ready, snapshot.schedulable))
    assert verdict.replicas <= max(ceiling, have)
    assert limits.min_replicas <= verdict.want
    assert verdict.want <= max(limits.max_replicas, have)
    if limits.rule.sync_s == 0.0:
        # what is above the ceiling goes by the rule's own pace
        assert verdict.replicas >= min(limits.min_replicas, ceiling)


@given(st.data())
def test_only_those_that_are_there_are_named_and_none_twice(data: st.DataObject) -> None:
    fleet = data.draw(fleets())
    memory = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots())
    _, verdict = step(fleet, memory, snapshot)
    state_of = {replica.name: replica.state for replica in snapshot.replicas}
    assert len(set(verdict.drain)) == len(verdict.drain)
    assert len(set(verdict.remove)) == len(verdict.remove)
    assert {*verdict.drain, *verdict.remove} <= state_of.keys()
    # nobody is cut: what goes has drained, or never served
    assert all(state_of[name] is not State.READY for name in verdict.remove)
