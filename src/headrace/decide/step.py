"""One decision: what is wanted, remembered and seen goes in, what should be and what to remember comes out.

The arithmetic is `decide.scale`'s, called in the very order of the simulator's loop (`simulate.fluid.run`), so that
what is simulated is what runs; a test compares both tick by tick.
"""

from __future__ import annotations

from headrace.decide.grounds import Grounds, grounds
from headrace.decide.reasons import alarms, reasons
from headrace.decide.victim import gone
from headrace.memory import Memory
from headrace.snapshot import Snapshot, State
from headrace.spec import ModelFleet
from headrace.verdict import Verdict

FORGET_S = 120.0
"""A memory whose last tick is longer ago than this, or lies in the future, is cold: the world has moved on."""


def step(fleet: ModelFleet, memory: Memory, snapshot: Snapshot) -> tuple[Memory, Verdict]:
    """The desired state at this moment, and what the next tick should know.

    A second look in the same moment changes nothing: no time has passed, and the verdict stands.

    Args:
        fleet: What is wanted.
        memory: What the last tick returned; `memory.COLD` before the first.
        snapshot: What is seen. Its time never runs back (if it does, the memory is taken as cold).
    """
    if memory.verdict is not None and memory.at_s == snapshot.at_s:
        return memory, memory.verdict
    stands_on = grounds(fleet, recalled(memory, snapshot.at_s), snapshot)
    drain, remove = names(stands_on)
    verdict = Verdict(
        replicas=stands_on.replicas,
        drain=drain,
        remove=remove,
        hold=stands_on.want.is_hold,
        want=int(stands_on.want.of_spec),
        reasons=tuple(reasons(stands_on)),
        alarms=tuple(alarms(stands_on)),
    )
    return remembered(stands_on, verdict), verdict


def recalled(memory: Memory, at_s: float) -> Memory:
    """The memory, or a cold one that still knows of demand (which minds its own age)."""
    if memory.at_s is not None and 0.0 <= at_s - memory.at_s <= FORGET_S:
        return memory
    return Memory(demand=memory.demand)


def remembered(of: Grounds, verdict: Verdict) -> Memory:
    """What the next tick should know."""
    at_s, before = of.snapshot.at_s, of.memory
    return Memory(
        at_s=at_s,
        since_s=at_s if before.since_s is None else before.since_s,
        levels=of.need.levels,
        level_weight=of.need.level_weight,
        wants=of.wants,
        free_s=of.move.free_s,
        low_timer=of.fleet.scale.rule.low_timer,
        demand=of.demand.memory,
        verdict=verdict,
    )


def names(of: Grounds) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who should be draining, and who may go.

    Both are levels: whoever drains stays named until it is gone, whoever was told to go and is still there is told
    again. One that is taken back is in neither.
    """
    there, moved = of.there, of.move
    if not (there.draining or there.ending or moved.drained or moved.cancelled):
        return (), ()
    back = frozenset(there.drains_returning()[: moved.undone])
    staying = tuple(replica for replica in there.draining if replica.name not in back)
    drain_s, at_s = of.fleet.scale.drain_s, of.snapshot.at_s
    drained = tuple(replica.name for replica in staying if gone(replica, at_s, drain_s))
    ending = tuple(replica.name for replica in there.ending)
    drain = (
        *(replica.name for replica in there.ending if replica.state == State.DRAINING),
        *(replica.name for replica in staying),
        *there.ready_leaving()[: moved.drained],
    )
    return drain, (*ending, *drained, *there.starts_leaving()[: moved.cancelled])
