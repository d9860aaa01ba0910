"""A synchronous world of single replicas, on which `decide.step` itself runs.

Where the fluid loop has three numbers (ready, starting, draining), this has replicas with names, which start, may get
stuck, drain and die. Its ticks, order of events and accounting are the fluid loop's, so that both can be compared.

Demand is seen through a gateway's count, one lag old: all of it, offered above what is ready or not. Replicas are not
scraped, so what drains is not seen to be idle: it ends by itself when its streams have ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from headrace.decide.capacity import replica_slots
from headrace.decide.step import step
from headrace.journal import Opening, Tick, digest, memory_digest
from headrace.memory import COLD, Memory
from headrace.simulate.fluid import Floats, Inputs, Tally, Timing
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
        self._number_of: dict[str, int] = {}
        self._orders = 0

    @property
    def at_s(self) -> float:
        """Now."""
        return self.tick * self.timing.tick_s

    def counts(self) -> Counts:
        """The replicas by state."""
        states = [replica.state for replica in self._replicas.values()]
        return Counts(states.count(State.READY), states.count(State.STARTING), states.count(State.DRAINING))

    def begin(self) -> None:
        """Put the fleet there that the first look asks for, ready, as if it had always been."""
        _, verdict = step(self.fleet, COLD, self.observe())
        self._start(verdict.replicas)
        for name, replica in self._replicas.items():
            self._replicas[name] = replace(replica, state=State.READY)
        self._number_of.clear()
        self._orders = 0

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
        before = dict(self._replicas)
        for name in verdict.remove:
            self._replicas.pop(name, None)
        drain = frozenset(verdict.drain)
        for name, replica in self._replicas.items():
            if replica.state == State.READY and name in drain:
                self._replicas[name] = replace(replica, state=State.DRAINING, since_s=self.at_s)
            elif replica.state == State.DRAINING and name not in drain:
                self._replicas[name] = replace(replica, state=State.READY, since_s=self.at_s)
        ready, starting, _ = self.counts()
        self._start(verdict.replicas - ready - starting)
        return self._replicas != before

    def advance(self) -> None:
        """Go on to the next tick: starts whose time has come are ready, drained replicas are gone, some die."""
        self.tick += 1
        never = self.mishaps.stuck | self.mishaps.unplaceable
        for name, replica in tuple(self._replicas.items()):
            # whole ticks, so that 0.1 + 0.2 is the third of 0.1
            age_ticks = round((self.at_s - replica.since_s) / self.timing.tick_s)
            if replica.state == State.DRAINING and age_ticks >= self.timing.drain_ticks:
                del self._replicas[name]
            elif replica.state == State.STARTING and age_ticks >= self.timing.start_ticks:
                if self._number_of.get(name) not in never:
                    self._replicas[name] = replace(replica, state=State.READY, since_s=self.at_s)
        if self.tick in self.mishaps.deaths:
            self._lose_oldest()

    def _lose_oldest(self) -> None:
        ready = [replica for replica in self._replicas.values() if replica.state == State.READY]
        if ready:
            del self._replicas[min(ready, key=lambda replica: (replica.since_s, replica.name)).name]

    def _start(self, count: int) -> None:
        for _ in range(count):
            name = f"r{len(self._number_of) + self._begun:05d}"
            placeable = self._orders not in self.mishaps.unplaceable
            self._replicas[name] = Replica(name, State.STARTING, self.at_s, schedulable=placeable)
            self._number_of[name] = self._orders
            self._orders += 1


class Run(NamedTuple):
    """What a run came to."""

    tally: Tally
    counts: list[Counts]
    """At each tick, before it is decided on."""
    verdicts: list[Verdict]
    journal: list[Opening | Tick]
    """Empty where nobody asked for it."""
