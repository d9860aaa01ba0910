"""A cold memory never scales down: not at its first tick, nor before it has seen a whole window."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fleets import NOW_S, TICK_S, fleets, pasts, rules, slots, snapshots

from headrace.decide.step import FORGET_S, step
from headrace.memory import COLD, Memory
from headrace.snapshot import Gateway, Snapshot, State


def count(snapshot: Snapshot) -> int:
    return sum(replica.state is not State.DRAINING for replica in snapshot.replicas)


def draining(snapshot: Snapshot) -> set[str]:
    return {replica.name for replica in snapshot.replicas if replica.state is State.DRAINING}


@given(st.data())
def test_the_first_tick(data: st.DataObject) -> None:
    fleet = data.draw(fleets())
    snapshot = data.draw(snapshots())
    _, verdict = step(fleet, COLD, snapshot)
    assert verdict.hold
    assert verdict.replicas >= count(snapshot)
    assert set(verdict.drain) <= draining(snapshot)
    assert set(verdict.remove) <= draining(snapshot)


@given(st.data(), st.floats(FORGET_S + 1.0, 1e6) | st.floats(-1e6, -1.0))
def test_a_memory_of_long_ago_or_of_the_future_is_cold(data: st.DataObject, late_s: float) -> None:
    fleet = data.draw(fleets())
    old = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots())
    if old.at_s is not None:
        snapshot = replace(snapshot, at_s=old.at_s + late_s)
    assert step(fleet, old, snapshot) == step(fleet, Memory(demand=old.demand), snapshot)


@given(st.data(), st.integers(1, 29))
def test_until_a_window_has_been_seen(data: st.DataObject, ticks: int) -> None:
    rule = data.draw(rules)._replace(down_window_s=300.0)
    fleet = data.draw(fleets(st.just(rule)))
    snapshot = data.draw(snapshots(is_known=True))
    memory = COLD
    for tick in range(ticks + 1):
        seen = replace(snapshot, at_s=NOW_S + tick * TICK_S, gateway=Gateway(data.draw(slots), 0.0))
        memory, verdict = step(fleet, memory, seen)
        assert verdict.replicas >= count(snapshot)
        assert set(verdict.drain) <= draining(snapshot)
