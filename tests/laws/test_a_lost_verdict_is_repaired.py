"""Levels, not increments: a verdict that is lost is said again at the next tick, and the world ends up the same."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.fleets import NOW_S, TICK_S, fleets, pasts, slots, snapshots

from headrace.decide.step import step
from headrace.memory import COLD, Memory
from headrace.snapshot import Gateway, Replica, Snapshot, State
from headrace.spec import ModelFleet
from headrace.verdict import Verdict

SETTLED_TICKS = 130
"""Longer than any removal discipline that is drawn takes to come to rest."""


def carried_out(snapshot: Snapshot, verdict: Verdict) -> Snapshot:
    """The next tick's snapshot, with the verdict carried out."""
    left = []
    for replica in snapshot.replicas:
        if replica.name in verdict.remove:
            continue
        state = replica.state
        if state is State.READY and replica.name in verdict.drain:
            state = State.DRAINING
        elif state is State.DRAINING and replica.name not in verdict.drain:
            state = State.READY
        left.append(
            replica if state is replica.state else replace(replica, state=state, since_s=snapshot.at_s)
        )
    short = verdict.replicas - sum(replica.state is not State.DRAINING for replica in left)
    left += [Replica(f"new{at}-{snapshot.at_s:.0f}", State.STARTING, snapshot.at_s) for at in range(short)]
    return replace(snapshot, at_s=snapshot.at_s + TICK_S, replicas=tuple(left))


def census(snapshot: Snapshot) -> tuple[int, set[str], set[str]]:
    """How many start or are ready, who is ready, who drains."""
    by = {state: {r.name for r in snapshot.replicas if r.state is state} for state in State}
    return len(by[State.READY]) + len(by[State.STARTING]), by[State.READY], by[State.DRAINING]


@settings(max_examples=40)
@given(st.data(), st.integers(0, 4))
def test_the_world_ends_up_the_same(data: st.DataObject, before: int) -> None:
    """While demand stays the same, the next verdicts bring about what the lost one would have.

    The gateway counts: samples of replicas that should be draining would be another view of demand.
    """
    fleet = data.draw(fleets())
    snapshot = replace(data.draw(snapshots()), gateway=Gateway(data.draw(slots), 0.0))
    memory = COLD
    for tick in range(before, 0, -1):
        at_s = NOW_S - tick * TICK_S
        here = tuple(replica for replica in snapshot.replicas if replica.since_s <= at_s)
        memory, _ = step(fleet, memory, replace(snapshot, at_s=at_s, replicas=here))
    memory, lost = step(fleet, memory, snapshot)
    heard, unheard = carried_out(snapshot, lost), replace(snapshot, at_s=NOW_S + TICK_S)
    counts = [settled_count(fleet, memory, world) for world in (heard, unheard)]
    assert counts[0] == counts[1]


def settled_count(fleet: ModelFleet, memory: Memory, world: Snapshot) -> int:
    """Replicas that start or are ready once a steady demand has been answered for a while."""
    for _ in range(SETTLED_TICKS):
        memory, verdict = step(fleet, memory, world)
        world = carried_out(world, verdict)
    return census(world)[0]


@given(st.data())
def test_said_again_as_far_as_it_is_still_wanted(data: st.DataObject) -> None:
    fleet = data.draw(fleets())
    snapshot = data.draw(snapshots())
    memory, lost = step(fleet, data.draw(pasts(fleet, snapshot)), snapshot)
    gateway = Gateway(data.draw(slots), 0.0)
    _, again = step(fleet, memory, replace(snapshot, at_s=NOW_S + TICK_S, gateway=gateway))
    placed = math.inf if snapshot.schedulable is None else snapshot.schedulable
    assert again.replicas >= min(lost.replicas, again.want, fleet.scale.max_replicas, placed)
    if again.want <= again.replicas and not fleet.scale.rule.undo:
        assert set(lost.drain) <= {*again.drain, *again.remove}
    ready = {replica.name for replica in snapshot.replicas if replica.state is State.READY}
    assert set(lost.remove) - ready <= set(again.remove)
