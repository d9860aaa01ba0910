"""Which of the numbers in a snapshot can be believed, and their sums.

A negative, infinite or NaN gauge is an unknown one, never an idle one: servers have been seen to expose such.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from headrace.snapshot import Gateway, Sample, Snapshot, State

QUEUE_RATIO = 0.02
"""Waiting requests over running ones from which a queue is one: a request passes through the waiting state
for one engine step even when there is room, so that a large fleet always shows some. By Little's law this is
a queue time of 2 % of the time in service (0.4 s of 20 s)."""


class Answers(NamedTuple):
    """What is known of a fleet at one moment."""

    asked: int
    """Ready replicas. Starting ones are not asked: while they load they can't answer."""
    samples: tuple[Sample, ...]
    """Of the ready replicas that answered."""
    draining: float
    """Running and waiting on draining replicas that answered; one that did not adds nothing: it goes
    anyway."""
    gateway: Gateway | None
    """None too if its counts can't be true."""
    newest_ready_s: float
    """When the newest of the ready replicas became ready; -inf without one."""

    @property
    def answered(self) -> int:
        """Ready replicas that answered with numbers that can be true."""
        return len(self.samples)

    @property
    def running(self) -> float:
        """Requests running on the ready replicas that answered."""
        return sum(sample.running for sample in self.samples)

    @property
    def engine_waiting(self) -> float:
        """Requests waiting on the ready replicas that answered."""
        return sum(sample.waiting for sample in self.samples)

    @property
    def load(self) -> float:
        """Running and waiting on all replicas that answered, draining ones too."""
        return self.running + self.engine_waiting + self.draining

    @property
    def waiting(self) -> float:
        """Requests waiting anywhere: on ready replicas and at the gateway."""
        return self.engine_waiting + (self.gateway.queued if self.gateway else 0.0)

    @property
    def has_queue(self) -> bool:
        """Whether more requests wait than pass through at any moment."""
        executing = max(self.running, self.gateway.in_flight if self.gateway else 0.0)
        return self.waiting >= 1.0 and self.waiting > QUEUE_RATIO * executing


def answers_of(snapshot: Snapshot) -> Answers:
    """The believable part of a snapshot."""
    ready = [replica for replica in snapshot.replicas if replica.state == State.READY]
    gateway = snapshot.gateway
    if gateway is not None and not (_is_count(gateway.in_flight) and _is_count(gateway.queued)):
        gateway = None
    return Answers(
        asked=len(ready),
        samples=tuple(r.sample for r in ready if r.sample is not None and sample_load(r.sample) is not None),
        draining=sum(sample_load(r.sample) or 0.0 for r in snapshot.replicas if r.state == State.DRAINING),
        gateway=gateway,
        newest_ready_s=max((replica.since_s for replica in ready), default=-math.inf),
    )


def sample_load(sample: Sample | None) -> float | None:
    """Requests running and waiting on a replica; None if it did not answer or the numbers can't be true."""
    if sample is None or not _is_count(sample.running) or not _is_count(sample.waiting):
        return None
    return sample.running + sample.waiting


def _is_count(value: float) -> bool:
    return math.isfinite(value) and value >= 0.0
