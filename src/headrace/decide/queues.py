"""Episodes of persisting queue: how long each lasted, when in the week, and whether slots were missing at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.backlog import backlogs
from headrace.occupancy import Occupancy

PAUSE_S = 60.0
"""A queue that is away for no longer than this (or one sample) is the same queue."""
GAP_STEPS = 2.5
"""So many steps without a sample end an episode: what was not seen did not wait."""
FULL_RATIO = 0.9
"""From this share of the slots in use on, requests wait for want of slots; below it for something else."""


class Week(NamedTuple):
    """When in the week samples are, computed at the edge, where time zones are known."""

    slot: NDArray[np.int64]
    """shape [n], one for each sample; 0: the first of Monday."""
    slots: int
    """Of a whole week: 168 are hours."""


class Queue(NamedTuple):
    """One episode."""

    first: int
    """Index of its first sample."""
    last: int
    """Index of its last sample."""
    start_s: float
    length_s: float
    """From its first sample to its last, and one step."""
    deepest: float
    """Most requests that waited, in the whole fleet."""
    full_ratio: float
    """Share of its slots that the fleet used meanwhile, mean."""
    slot: int
    """Of the week, at its beginning; -1: not known."""

    @property
    def lacks_slots(self) -> bool:
        """Whether more replicas would have been an answer: slots were all but full while requests waited."""
        return self.full_ratio >= FULL_RATIO


def queues(occupancy: Occupancy, slots: float, week: Week | None = None) -> tuple[Queue, ...]:
    """Episodes of persisting queue, ascending in time.

    Args:
        occupancy: Samples.
        slots: Of one replica (> 0), as its KV cache allows.
        week: When in the week they are; None: not known.
    """
    backlog = backlogs(occupancy, slots)
    waits = occupancy.waiting * fleet_replicas(occupancy)
    found = []
    for first, last in _runs(occupancy, backlog):
        start_s = float(occupancy.at_s[first])
        within = slice(first, last + 1)
        found.append(
            Queue(
                first,
                last,
                start_s,
                float(occupancy.at_s[last]) - start_s + occupancy.step_s,
                float(np.nanmax(waits[within])),
                _known_mean(occupancy.running[within]) / slots,
                -1 if week is None else int(week.slot[first]),
            )
        )
    return tuple(found)


def fleet_replicas(occupancy: Occupancy) -> NDArray[np.float64]:
    """Replicas by sample, shape [n]; one where that is not known (the figures are then of one)."""
    return np.where(occupancy.replicas >= 1.0, occupancy.replicas, 1.0)


def stretches(
    occupancy: Occupancy, above: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Stretches of `above`, told apart as queues are: index of the first sample and length in seconds of each."""
    runs = np.array(_runs(occupancy, above), dtype=np.int64).reshape(-1, 2)
    return runs[:, 0], occupancy.at_s[runs[:, 1]] - occupancy.at_s[runs[:, 0]] + occupancy.step_s


def begins_at(slot: int, slots: int) -> str:
    """A slot of the week for people: 9 of 168 is "Mon 09:00"."""
    minute = round(slot * 7 * 24 * 60 / slots)
    day = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[minute // 1440 % 7]
    return f"{day} {minute % 1440 // 60:02d}:{minute % 60:02d}"


def _runs(occupancy: Occupancy, above: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last index of each stretch of True; short pauses are bridged, gaps in the samples are not."""
    pause_s = max(PAUSE_S, occupancy.step_s)
    index = np.flatnonzero(above)
    if not index.size:
        return []
    gaps = np.cumsum(np.diff(occupancy.at_s, prepend=occupancy.at_s[0]) > GAP_STEPS * occupancy.step_s)
    # between two samples that are True lies a pause: the time not waited
    apart = (np.diff(occupancy.at_s[index]) - occupancy.step_s > pause_s) | (np.diff(gaps[index]) > 0)
    firsts = np.concatenate([[0], np.flatnonzero(apart) + 1])
    lasts = np.concatenate([np.flatnonzero(apart), [len(index) - 1]])
    return [(int(index[a]), int(index[b])) for a, b in zip(firsts, lasts, strict=True)]


def _known_mean(values: NDArray[np.float64]) -> float:
    """Mean of what is known; NaN where nothing is."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")
