"""A synchronous world of single replicas, on which `decide.step` itself runs.

Where the fluid loop has three numbers (ready, starting, draining), this has replicas with names, which start, may get
stuck, drain and die. Its ticks, order of events and accounting are the fluid loop's, so that both can be compared.

Demand is seen through a gateway's count, one lag old: all of it, offered above what is ready or not. Replicas are not
scraped, so what drains is not seen to be idle: it ends by itself when its streams have ended.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from headrace.decide.capacity import replica_slots
from headrace.decide.step import step
from headrace.journal import Opening, Tick, digest, memory_digest
from headrace.memory import COLD
from headrace.simulate.fluid import Inputs, Tally, Timing
from headrace.snapshot import Gateway, Outlook, Replica, Snapshot, State
from headrace.spec import ModelFleet
from headrace.verdict import Verdict


class Mishaps(NamedTuple):
    """What goes wrong, by tick or by number of order; nothing by default."""

    stuck: frozenset[int] = frozenset()
    """Orders, counted from 0 over the run, whose replica never becomes ready."""
    unplaceable: frozenset[int] = frozenset()
    """Orders whose replica can't be placed: it never becomes ready, and shows it."""
    missing: frozenset[int] = frozenset()
    """Ticks at which the gateway does not answer."""
    lost: frozenset[int] = frozenset()
    """Ticks whose verdict is not carried out."""
    deaths: frozenset[int] = frozenset()
    """Ticks at which the oldest ready replica dies."""
    schedulable: int | None = None
    """Replicas that can be placed, as the platform says; None: it does not say."""


NONE = Mishaps()
"""Nothing goes wrong."""


class Counts(NamedTuple):
    """Replicas at one tick, by state."""

    ready: int
    starting: int
    draining: int


class World:
    """One fleet's replicas.

    Args:
        fleet: What is wanted; its capacity turns replicas into slots.
        timing: Lag, start-up and drain in ticks. A replica drains for its full time, whoever waits.
        inputs: What comes and what is expected, in replicas, as for `fluid.run` (made for the same rule).
        mishaps: What goes wrong.
    """

    def __init__(self, fleet: ModelFleet, timing: Timing, inputs: Inputs, mishaps: Mishaps = NONE) -> None:
        self.fleet = fleet
        self.timing = timing
        self.inputs = inputs
        self.mishaps = mishaps
        self.tick = 0
        self.slots_each = float(replica_slots(fleet.capacity.slots, fleet.capacity.data_parallel))
        self._replicas: dict[str, Replica] = {}
        self._named = 0
        self._begun = 0

    @property
    def at_s(self) -> float:
        """Now."""
        return self.tick * self.timing.tick_s

    def counts(self) -> Counts:
        """The replicas by state."""
        ready = starting = 0
        for replica in self._replicas.values():
            ready += replica.state is State.READY
            starting += replica.state is State.STARTING
        return Counts(ready, starting, len(self._replicas) - ready - starting)

    def begin(self) -> None:
        """Put the fleet there that the first look asks for, ready, as if it had always been."""
        _, verdict = step(self.fleet, COLD, self.observe())
        self._start(verdict.replicas)
        for name, replica in self._replicas.items():
            self._replicas[name] = replace(replica, state=State.READY, schedulable=True)
        self._begun = self._named

    def observe(self) -> Snapshot:
        """What a controller would see at this tick."""
        seen, each = float(self.inputs.seen[self.tick]), self.slots_each
        is_known = not (math.isnan(seen) or self.tick in self.mishaps.missing)
        outlook = Outlook(
            peak=float(self.inputs.peak[self.tick]) * each,
            floor_peak=float(self.inputs.floor_peak[self.tick]) * each,
            at_seen=float(self.inputs.at_seen[self.tick]) * each,
            mean=float(self.inputs.mean[self.tick]) * each,
        )
        return Snapshot(
            at_s=self.at_s,
            replicas=tuple(self._replicas.values()),
            gateway=Gateway(seen * each, 0.0) if is_known else None,
            outlook=outlook,
            schedulable=self.mishaps.schedulable,
        )

    def act(self, verdict: Verdict) -> bool:
        """Carry a verdict out: whoever is named goes or drains, whoever drains unnamed comes back, the rest starts.

        Returns:
            Whether anything changed.
        """
        changed = False
        for name in verdict.remove:
            changed |= self._replicas.pop(name, None) is not None
        drain = frozenset(verdict.drain)
        staying = 0
        for name, replica in self._replicas.items():
            state = replica.state
            if state is State.READY and name in drain:
                state = State.DRAINING
            elif state is State.DRAINING and name not in drain:
                state = State.READY
            staying += state is not State.DRAINING
            if state is not replica.state:
                self._replicas[name] = replace(replica, state=state, since_s=self.at_s)
                changed = True
        short = verdict.replicas - staying
        self._start(short)
        return changed or short > 0

    def advance(self) -> None:
        """Go on to the next tick: starts whose time has come are ready, drained replicas are gone, some die."""
        self.tick += 1
        for name, replica in tuple(self._replicas.items()):
            if replica.state is State.READY:
                continue
            # in whole ticks, so that rounding never moves an event to the next one
            age_ticks = round((self.at_s - replica.since_s) / self.timing.tick_s)
            if replica.state is State.DRAINING and age_ticks >= self.timing.drain_ticks:
                del self._replicas[name]
            elif replica.state is State.STARTING and age_ticks >= self._start_ticks(name):
                self._replicas[name] = replace(replica, state=State.READY, since_s=self.at_s)
        if self.tick in self.mishaps.deaths:
            self._lose_oldest()

    def _lose_oldest(self) -> None:
        ready = [replica for replica in self._replicas.values() if replica.state is State.READY]
        if ready:
            del self._replicas[min(ready, key=lambda replica: (replica.since_s, replica.name)).name]

    def _start(self, count: int) -> None:
        for _ in range(count):
            order = self._named - self._begun
            name = f"r{self._named:05d}"
            placeable = order not in self.mishaps.unplaceable
            self._replicas[name] = Replica(name, State.STARTING, self.at_s, schedulable=placeable)
            self._named += 1

    def _start_ticks(self, name: str) -> float:
        order = int(name[1:]) - self._begun
        is_never = order in self.mishaps.stuck or order in self.mishaps.unplaceable
        return math.inf if is_never else self.timing.start_ticks


class Run(NamedTuple):
    """What a run came to."""

    tally: Tally
    counts: list[Counts]
    """At each tick, before it is decided on."""
    verdicts: list[Verdict]
    journal: list[Opening | Tick]
    """Empty where nobody asked for it."""


def run(world: World, *, is_journaled: bool = False) -> Run:
    """Run `decide.step` on a world from its first tick to its last.

    Args:
        world: As made; `begin` is done here.
        is_journaled: Whether to keep a journal.
    """
    fleet, memory, ticks = world.fleet, COLD, len(world.inputs.demand)
    counts: list[Counts] = []
    verdicts: list[Verdict] = []
    journal: list[Opening | Tick] = [Opening(fleet, memory)] if is_journaled else []
    spec = digest(fleet)
    over_ticks = over = paid = events = 0.0
    world.begin()
    for tick in range(ticks):
        if tick > 0:
            world.advance()
        here = world.counts()
        lack = float(world.inputs.demand[tick]) - here.ready
        if lack > 0.0:
            over_ticks += 1.0
            over += lack
        paid += sum(here)
        snapshot = world.observe()
        memory, verdict = step(fleet, memory, snapshot)
        if tick not in world.mishaps.lost:
            events += world.act(verdict)
        counts.append(here)
        verdicts.append(verdict)
        if is_journaled:
            journal.append(Tick(fleet.name, spec, snapshot, memory_digest(memory), verdict))
    return Run(Tally(over_ticks, over, paid, events), counts, verdicts, journal)
