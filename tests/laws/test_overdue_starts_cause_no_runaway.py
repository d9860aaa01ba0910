"""A start that is overdue or can't be placed raises no want, costs no ready replica, and is said aloud."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fleets import NOW_S, TICK_S, fleets, pasts, snapshots

from headrace.decide.startup import overdue_s
from headrace.decide.step import step
from headrace.simulate.fluid import Inputs, Timing
from headrace.simulate.world import Mishaps, World, run
from headrace.snapshot import Replica, Snapshot, State
from headrace.spec import ModelFleet, Phase, Start


def with_starts(
    snapshot: Snapshot, fleet: ModelFleet, names: list[int], *, late: bool, placed: bool = True
) -> Snapshot:
    """The snapshot with these replicas starting: long ago, or just now."""
    age_s = overdue_s(fleet.start.phases) + 1.0 if late else 0.0
    starts = tuple(
        Replica(f"s{name}", State.STARTING, snapshot.at_s - age_s, schedulable=placed) for name in names
    )
    return replace(snapshot, replicas=(*snapshot.replicas, *starts))


NAMES = st.lists(st.integers(0, 99), min_size=1, max_size=6, unique=True)


@given(st.data(), NAMES, st.booleans(), st.booleans())
def test_the_want_of_this_tick_and_the_next(
    data: st.DataObject, names: list[int], late: bool, placed: bool
) -> None:
    fleet = data.draw(fleets())
    memory = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots())
    late = late or placed
    good, in_time = step(fleet, memory, with_starts(snapshot, fleet, names, late=False))
    bad, overdue = step(fleet, memory, with_starts(snapshot, fleet, names, late=late, placed=placed))
    assert overdue.want == in_time.want
    assert overdue.replicas <= in_time.replicas
    assert sum("not counted on" in alarm for alarm in overdue.alarms) >= len(names)
    later = replace(snapshot, at_s=NOW_S + TICK_S)
    _, in_time = step(fleet, good, with_starts(later, fleet, names, late=False))
    _, overdue = step(fleet, bad, with_starts(later, fleet, names, late=late, placed=placed))
    assert overdue.want <= in_time.want


@given(st.data(), NAMES)
def test_no_ready_replica_goes_on_its_strength(data: st.DataObject, names: list[int]) -> None:
    """Without the late starts, at least as many ready replicas would drain."""
    fleet = data.draw(fleets())
    memory = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots())
    ready = {replica.name for replica in snapshot.replicas if replica.state is State.READY}
    _, without = step(fleet, memory, snapshot)
    _, with_late = step(fleet, memory, with_starts(snapshot, fleet, names, late=True))
    if fleet.scale.rule.tolerance == 0.0:
        assert len(ready & set(with_late.drain)) <= len(ready & set(without.drain))


@given(st.data(), st.sets(st.integers(0, 12), min_size=1), st.integers(1, 3))
def test_the_count_stays_level_while_starts_hang(data: st.DataObject, stuck: set[int], steps: int) -> None:
    """In a world where starts hang, no more replicas are ever there than were wanted at some time."""
    drawn = data.draw(fleets())
    fleet = replace(drawn, start=Start(phases=(Phase("start-up", 2 * TICK_S, 2 * TICK_S),)))
    ticks = 120
    demand = np.array([2.0 + 2.0 * (tick // (ticks // (steps + 1))) for tick in range(ticks)])
    world = World(fleet, Timing(TICK_S, 0, 2, 3), Inputs(*[demand] * 6), Mishaps(stuck=frozenset(stuck)))
    ran = run(world)
    most = 0
    for here, verdict in zip(ran.counts, ran.verdicts, strict=True):
        assert here.ready + here.starting <= most or most == 0
        most = max(most, verdict.replicas)
        assert verdict.replicas <= max(verdict.want, here.ready + here.starting)
