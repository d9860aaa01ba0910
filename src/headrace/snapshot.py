"""What is seen at one moment: frozen values. `at_s` is the only clock that the core has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class State(StrEnum):
    """Where a replica is in its life."""

    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"


class Sample(NamedTuple):
    """What one replica answered when it was scraped."""

    running: float
    """Requests in the execution batch (never above max-num-seqs)."""
    waiting: float
    """Requests queued inside the engine."""
    kv_usage_ratio: float = 0.0
    """Share of the KV cache in use, 0 to 1."""
    tokens: float | None = None
    """Tokens held by the running requests, where the engine tells; None: unknown."""


@dataclass(frozen=True, slots=True)
class Replica:
    """One replica as the world shows it."""

    name: str
    state: State
    since_s: float
    """When it entered this state (for a starting replica: when it was ordered)."""
    sample: Sample | None = None
    """None: it did not answer (or is not asked, as while it loads). Unknown, never idle."""
    schedulable: bool = True
    """False: the platform says that it can't be placed (Unschedulable)."""


class Gateway(NamedTuple):
    """What our own gateway counts: exact, and one figure for the whole fleet."""

    in_flight: float
    queued: float


class Outlook(NamedTuple):
    """What the forecast says, in slots; refreshed every few minutes, never weeks of history."""

    peak: float
    """Greatest expected demand from now until a replica ordered now can be ready (and one decision more)."""
    floor_peak: float
    """Greatest expected demand over the rule's wider floor window."""
    at_seen: float
    """Expected demand at the moments that the newest sample shows."""
    mean: float
    """Mean demand of the past week."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that one decision reads."""

    at_s: float
    replicas: tuple[Replica, ...] = ()
    gateway: Gateway | None = None
    """None: not our gateway; demand then comes from the replicas' samples."""
    outlook: Outlook | None = None
    """None: no forecast yet."""
    schedulable: int | None = None
    """Replicas that could run in all (running ones, free and obtainable accelerators); None: unknown."""
