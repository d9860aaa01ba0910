"""Who is there: the replicas of a snapshot, sorted by what can be counted on and by what they were told before.

The last verdict stands: a replica that it sent away and that is still there as if nothing had been said (the word
was lost) counts as gone all the same, and is told again.
"""

from __future__ import annotations

from typing import NamedTuple

from headrace.decide.startup import overdue_s
from headrace.decide.victim import leaving_order, undo_order
from headrace.memory import Memory
from headrace.snapshot import Replica, Snapshot, State
from headrace.spec import Start


class Present(NamedTuple):
    """The replicas at one moment."""

    ready: tuple[Replica, ...]
    starting: tuple[Replica, ...]
    """On their way and in time."""
    late: tuple[Replica, ...]
    """Starting, but overdue or not placeable: they fill their place in the count (so that nothing is ordered on
    top of them), and nothing else."""
    draining: tuple[Replica, ...]
    """Draining, or told to before and still ready."""
    ending: tuple[Replica, ...]
    """Told to go, and not gone yet: starts given up, drained ones. They can't be taken back."""

    @property
    def have(self) -> int:
        """Replicas that are ready or starting, late ones too."""
        return len(self.ready) + len(self.starting) + len(self.late)

    def starts_leaving(self) -> tuple[str, ...]:
        """Names of the starting replicas, the first to go first: late ones by age, then the newest."""
        late = sorted(self.late, key=lambda replica: (replica.schedulable, replica.since_s, replica.name))
        return (*(replica.name for replica in late), *leaving_order(self.starting))

    def ready_leaving(self) -> tuple[str, ...]:
        """Names of the ready replicas, the first to go first."""
        return leaving_order(self.ready)

    def drains_returning(self) -> tuple[str, ...]:
        """Names of the draining replicas, the first to take back first; one told and still ready returns at once."""
        told = tuple(replica.name for replica in self.draining if replica.state != State.DRAINING)
        return (*told, *undo_order(self.draining))


def present(start: Start, snapshot: Snapshot, memory: Memory) -> Present:
    """The replicas of the snapshot, in the light of what was said at the last tick."""
    told = _told(snapshot, memory)
    ready, starting, draining, ending = [], [], [], []
    for replica in snapshot.replicas:
        if told and told.get(replica.name) == "remove":
            ending.append(replica)
        elif replica.state is State.DRAINING or (told and replica.name in told):
            draining.append(replica)
        elif replica.state is State.READY:
            ready.append(replica)
        else:
            starting.append(replica)
    late = _late(start, starting, snapshot.at_s)
    if late:
        starting = [replica for replica in starting if replica not in late]
    return Present(tuple(ready), tuple(starting), late, tuple(draining), tuple(ending))


def _late(start: Start, starting: list[Replica], at_s: float) -> tuple[Replica, ...]:
    if not starting:
        return ()
    patience_s = overdue_s(start.phases)
    return tuple(r for r in starting if not r.schedulable or at_s - r.since_s > patience_s)


def _told(snapshot: Snapshot, memory: Memory) -> dict[str, str]:
    """What the replicas that are still here were told: "drain" or "remove".

    A start that was given up and has become ready all the same drains first. One that began to start after the
    last verdict is a new replica under an old name (a StatefulSet's), and was told nothing.
    """
    last, told_s = memory.verdict, memory.at_s
    if last is None or told_s is None or not (last.drain or last.remove):
        return {}
    told = {**dict.fromkeys(last.drain, "drain"), **dict.fromkeys(last.remove, "remove")}
    here = {}
    for replica in snapshot.replicas:
        is_new = replica.state == State.STARTING and replica.since_s > told_s
        if replica.name in told and not is_new:
            here[replica.name] = "drain" if replica.state == State.READY else told[replica.name]
    return here
