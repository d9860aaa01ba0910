"""Everything that one decision stands on, so that the reasons can be told from it."""

from __future__ import annotations

from typing import NamedTuple

from headrace.decide import scale
from headrace.decide.demand import Demand, demand
from headrace.decide.move import Counts, Move, filled, move, window
from headrace.decide.need import Need, need
from headrace.decide.present import Present, present
from headrace.decide.want import Want, want_of
from headrace.memory import Memory, PastWant
from headrace.snapshot import Snapshot
from headrace.spec import ModelFleet


class Grounds(NamedTuple):
    """The values of one tick, in the order in which they follow from each other."""

    fleet: ModelFleet
    memory: Memory
    """Of the tick before; cold, if that is too long ago."""
    snapshot: Snapshot
    demand: Demand
    need: Need
    there: Present
    want: Want
    wants: tuple[PastWant, ...]
    """The down window's, this tick's included if it decides."""
    move: Move
    is_deciding: bool
    """False: the rule decides every `sync_s` only, and now is not the time."""

    @property
    def replicas(self) -> int:
        """Replicas that should be starting or ready."""
        moved = self.move
        return self.there.have + moved.ordered + moved.undone - moved.cancelled - moved.drained

    @property
    def greatest(self) -> float:
        """The greatest want of the down window."""
        return self.wants[0].want if self.wants else self.want.replicas


def grounds(fleet: ModelFleet, memory: Memory, snapshot: Snapshot) -> Grounds:
    """What follows from what is wanted, remembered and seen."""
    rule, at_s = fleet.scale.rule, snapshot.at_s
    offered = demand(snapshot, fleet.capacity, memory.demand)
    needed = need(fleet, memory, at_s, offered, snapshot.outlook)
    there = present(fleet.start, snapshot, memory)
    want = want_of(fleet, memory, snapshot, offered, needed, there)
    wants, free_s = memory.wants, free_s_of(memory, low_timer=rule.low_timer)
    is_deciding = memory.at_s is None or rule.sync_s <= 0.0 or scale.decides(rule.sync_s, at_s, memory.at_s)
    starting = len(there.starting) + len(there.late)
    counts = Counts(len(there.ready), starting, len(there.late), len(there.draining))
    if is_deciding:
        wants = window(wants, PastWant(at_s, want.replicas), rule.down_window_s)
        moved = move(rule, counts, want.replicas, wants[0].want, at_s, free_s)
    else:
        moved = filled(rule, counts, float(want.standing), free_s)
    return Grounds(fleet, memory, snapshot, offered, needed, there, want, wants, moved, is_deciding)


def free_s_of(memory: Memory, *, low_timer: bool) -> float:
    """From when a removal is allowed, as far as the memory knows; it begins anew with the other discipline."""
    if memory.free_s is None or memory.low_timer != low_timer:
        return scale.first_free_s(low_timer)
    return memory.free_s
