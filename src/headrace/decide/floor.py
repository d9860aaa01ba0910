"""Replicas to keep however little is asked for: from how long queues lasted over a week or more, not from their depth.

A deep queue that is gone after a minute needs no replica; a shallow one that stands for half an hour does, if it comes
again: a replica kept all day is dear, and an incident does not pay for it. What a floor would have changed is asked
moment by moment: with f replicas or those that ran, whichever is more, would slots have been missing? The floor is the
smallest f that leaves no more long stretches than are allowed.

Start-up time is the scale to tolerate by. A queue shorter than one start-up can't be answered by scaling at all: if it
is not tolerated, only a floor or headroom helps.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.queues import Queue, Week, begins_at, fleet_replicas, queues, stretches
from headrace.occupancy import Occupancy

HOUR_S = 3_600.0
DAY_S = 24 * HOUR_S
WEEK_S = 7 * DAY_S
_DAYS_ALIKE = 3
"""A queue at the same time of so many days comes every day."""
_OPTIONS = 12
"""Floors that are shown beside the one chosen."""


class Option(NamedTuple):
    """What one floor would have done."""

    floor: int
    queues: int
    """Stretches without enough slots that are longer than tolerated."""
    longest_s: float
    gpu_hours_per_day: float
    """More than what ran."""


class Floor(NamedTuple):
    """The floor of a fleet."""

    replicas: int
    unforeseen: int
    """The floor that is left if a forecast or a schedule meets the queues that come at the same time again."""
    queues: tuple[Queue, ...]
    """All that were seen."""
    long: int
    """Of these, longer than tolerated."""
    recurring: int
    """Of these, coming back at the same time of the day or week."""
    options: tuple[Option, ...]
    span_s: float
    is_whole_week: bool
    why: str


class Fleet(NamedTuple):
    """What a floor is chosen for."""

    slots: float
    """Of one replica (> 0), as its KV cache allows."""
    tolerated_s: float
    """A queue may last for so long."""
    startup_s: float
    """From the decision until a replica serves."""
    accelerators: int = 1
    least: int = 1
    """Replicas below which the floor never goes."""
    most: float = math.inf
    """Replicas above which it can't."""
    allowed_per_week: float = 1.0
    """Queues longer than tolerated that may happen in a week. One: what comes less often than weekly is an incident."""


def floor(occupancy: Occupancy | None, fleet: Fleet, week: Week | None = None) -> Floor:
    """The smallest floor under which no queue would have lasted longer than tolerated.

    A queue that has piled up counts as demand, though a larger fleet would have served it as it came: the floor is
    rather too high than too low where queues were deep.

    Args:
        occupancy: Samples of a week or more; None: there are none. Where they don't say how many replicas answered, the
            fleet is taken to be one replica.
        fleet: What is tolerated.
        week: When in the week the samples are; None: not known, so nothing is taken to come back.
    """
    if occupancy is None or not len(occupancy):
        why = f"floor {fleet.least}: no samples of what runs and waits"
        return Floor(fleet.least, fleet.least, (), 0, 0, (), 0.0, False, why)
    seen = queues(occupancy, fleet.slots, week)
    long = [queue for queue in seen if queue.length_s > fleet.tolerated_s]
    back = _recurring(long, week)
    past = _Past(occupancy, fleet)
    span_s = float(occupancy.at_s[-1] - occupancy.at_s[0]) + occupancy.step_s
    allowed = math.floor(fleet.allowed_per_week * span_s / WEEK_S + 1e-3)
    replicas = past.smallest(allowed)
    found = Floor(
        replicas,
        min(replicas, _Past(occupancy, fleet, back).smallest(allowed)),
        seen,
        len(long),
        len(back),
        _options(past, replicas),
        span_s,
        span_s >= WEEK_S * (1.0 - 1e-3),
        "",
    )
    return found._replace(why=_why(found, long, allowed, fleet, _coming_back(back, week)))


class _Past:
    """What slots would have been missing with another floor."""

    def __init__(self, occupancy: Occupancy, fleet: Fleet, left_out: Sequence[Queue] = ()) -> None:
        self.occupancy, self.fleet = occupancy, fleet
        self.there = fleet_replicas(occupancy)
        self.needed = (occupancy.running + occupancy.waiting) * self.there / fleet.slots
        for queue in left_out:
            self.needed[queue.first : queue.last + 1] = np.nan
        self.peak = max(fleet.least, math.ceil(min(float(np.nanmax(self.needed, initial=0.0)), fleet.most)))
        self.starts, _ = self._lacking(fleet.least)

    def _lacking(self, replicas: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        there = np.maximum(self.there, replicas)
        return stretches(self.occupancy, self.needed > there + 1e-9)  # what is not known lacks nothing

    def long(self, replicas: float) -> tuple[int, float]:
        """With a floor: how many stretches lack slots for longer than tolerated, and how long the longest does.

        Parts of what is one stretch with the least floor count once, so that a higher floor never has more.
        """
        starts, lengths_s = self._lacking(replicas)
        part_of = np.searchsorted(self.starts, starts[lengths_s > self.fleet.tolerated_s], side="right")
        return len(np.unique(part_of)), float(lengths_s.max(initial=0.0))

    def smallest(self, allowed: int) -> int:
        """The smallest floor with no more long stretches than allowed; the peak where none is enough."""
        floors = range(self.fleet.least, self.peak + 1)
        first = bisect.bisect_left(floors, True, key=lambda replicas: self.long(replicas)[0] <= allowed)
        return floors[min(first, len(floors) - 1)]


def _options(past: _Past, chosen: int) -> tuple[Option, ...]:
    """What floors between the least and the greatest that changes anything would have done."""
    floors = {chosen, *np.linspace(past.fleet.least, past.peak, _OPTIONS).astype(int).tolist()}
    options = []
    for replicas in sorted(floors):
        long, longest_s = past.long(replicas)
        more = float(np.maximum(0.0, replicas - past.there).mean())
        options.append(Option(replicas, long, longest_s, more * past.fleet.accelerators * 24.0))
    return tuple(options)


def _recurring(long: Sequence[Queue], week: Week | None) -> list[Queue]:
    """Queues that begin, give or take an hour, when others of other weeks or of several other days do."""
    if week is None or not long:
        return []
    slot = np.array([queue.slot for queue in long])
    start_s = np.array([queue.start_s for queue in long])
    near = max(1.0, week.slots * HOUR_S / WEEK_S)
    back = []
    for queue in long:
        away_s = start_s - queue.start_s
        weekly = np.unique(np.round(away_s[_apart(slot, queue.slot, week.slots) <= near] / WEEK_S))
        daily = np.unique(np.round(away_s[_apart(slot, queue.slot, week.slots / 7.0) <= near] / DAY_S))
        if len(weekly) > 1 or len(daily) >= _DAYS_ALIKE:
            back.append(queue)
    return back


def _apart(slots: NDArray[np.int64], slot: int, cycle: float) -> NDArray[np.float64]:
    """Slots between each and one, around the cycle."""
    between = np.abs(slots - slot) % cycle
    return np.asarray(np.minimum(between, cycle - between))


def _coming_back(back: Sequence[Queue], week: Week | None) -> str:
    return (
        f"{len(back)} came back at the same time ({begins_at(back[0].slot, week.slots)})"
        if back and week
        else ""
    )


def _why(found: Floor, long: Sequence[Queue], allowed: int, fleet: Fleet, coming_back: str) -> str:
    parts = [f"floor {found.replicas}: {_episodes(found, long, allowed, fleet)}"]
    free = sum(not queue.lacks_slots for queue in long)
    if free:
        parts.append(
            f"in {free} of the long ones slots were free meanwhile, which more replicas need not change"
        )
    short = sum(queue.length_s < fleet.startup_s for queue in found.queues)
    if short:
        parts.append(
            f"{short} of all {len(found.queues)} were over before a replica could have started"
            f" ({fleet.startup_s:.0f} s), so only a floor or headroom could have met them"
        )
    if coming_back:
        parts.append(
            f"{coming_back}: with those left to a forecast or a schedule, {found.unforeseen} would do"
        )
    if not found.is_whole_week:
        parts.append("less than a week is known, so what happens on the other days is not in it")
    return "; ".join(parts)


def _episodes(found: Floor, long: Sequence[Queue], allowed: int, fleet: Fleet) -> str:
    within = f"within {found.span_s / DAY_S:.1f} days"
    if not found.queues:
        return f"no queue stood {within}"
    count, tolerated = len(found.queues), f"the {fleet.tolerated_s:.0f} s tolerated"
    longest_s = max(queue.length_s for queue in found.queues)
    deepest = max(found.queues, key=lambda queue: queue.deepest)
    peak = f"the deepest, of {deepest.deepest:.0f}, stood {deepest.length_s:.0f} s"
    if not long:
        return f"of {count} queues {within} none lasted longer than {tolerated} (the longest {longest_s:.0f} s; {peak})"
    left = f", {allowed} of which may happen" if allowed else ""
    lasted = f"lasted longer than {tolerated}{left} (up to {longest_s:.0f} s; {peak})"
    return f"{len(long)} of {count} queues {within} {lasted}"
