"""The share of its slots that a replica is meant to use: where a real backlog begins.

Six tenths of the slots are the usual advice, and wrong both ways. Where load spreads thin over many replicas, or the
KV cache is full long before max-num-seqs, requests wait at a mean occupancy that never gets to 60 %, and nothing is
ever added. Where they never wait below 90 %, a third of the fleet is idle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.backlog import ENOUGH_SPELLS, SPELL_S, Group, backlogs, groups
from headrace.decide.capacity import replica_slots
from headrace.decide.cut import UNKNOWN, Share
from headrace.occupancy import Occupancy
from headrace.spec import Capacity

DEFAULT_RATIO = 0.6
"""Where too little is known."""
BEGIN_RATIO = 0.05
"""A backlog begins where it is seen in so much more of the moments than it is on a nearly idle replica."""
IDLE_RATIO = 0.3
"""A replica that uses less than this share of its slots is nearly idle: who waits there, waits for something else."""
MOST_IDLE_RATIO = 0.2
"""A nearly idle replica with a backlog in more of the moments than this: what waits there does not wait for slots."""
DECIDING_SPELLS = 36
"""Fewer ten minutes than this (six hours) in all are too few for any target but the usual."""
INCIDENTS = 3
"""Fewer ten minutes with a backlog than this are incidents, and set no target."""
LEAST_RATIO = 0.05
_FULL_RATIO = 0.9
"""A replica that holds less than this share of its slots while requests wait is kept from using them."""


class Target(NamedTuple):
    """The target of a fleet."""

    ratio: float
    """Share of the slots, in whole hundredths."""
    running: float
    """The same in running requests per replica."""
    slots: int
    """Of one replica, as the KV cache allows."""
    is_measured: bool
    """False: too little is known, and it is the usual advice."""
    onset: Share
    """Where the backlog begins, within 90 %; 0 to 1 where that is not known."""
    groups: tuple[Group, ...]
    """What it was read from, for the chart of occupancy against queue."""
    why: str
    sees_backlog: bool = False
    """True: a backlog was seen to begin at the target; False also where none was up to it, so that more may do."""


def reachable_ratio(tolerance: float = 0.0) -> float:
    """The greatest target, in hundredths, that a replica can pass by more than an autoscaler's tolerance.

    0.99 without a tolerance; 0.9 for an HPA's 0.1, since full slots are then 11 % over the target.
    """
    return (math.ceil(100.0 / (1.0 + tolerance) - 1e-9) - 1) / 100.0


def target(
    occupancy: Occupancy | None,
    capacity: Capacity,
    tokens_per_request: float | None = None,
    tolerance: float = 0.0,
) -> Target:
    """The target at which a real backlog begins; 0.6 of the slots where too little is known.

    Samples are put in groups by occupancy, and in each the share of moments with a backlog (`decide.backlog`) is taken,
    so fitted that it never falls where more is in use. The backlog begins with the first group in which that share is
    five hundredths above what it is on a nearly idle replica; the target is the beginning of that group.

    Args:
        occupancy: Samples; None: there are none.
        capacity: What a replica holds.
        tokens_per_request: Learned tokens of a running request; None: the KV cache is not looked at, but a queue that
            stands while slots are free is seen all the same.
        tolerance: Ratio above the target that the autoscaler ignores (an HPA: 0.1; headrace: 0).
    """
    slots = replica_slots(capacity.slots, capacity.data_parallel, capacity.kv_tokens, tokens_per_request)
    if occupancy is None or not len(occupancy):
        why = "no samples of what runs and waits"
        return _target(_Found(DEFAULT_RATIO, False, UNKNOWN, why), slots, tolerance, ())
    found = groups(occupancy, slots)
    usable_ratio = _usable_ratio(occupancy, slots)
    begins = _beginning(found, _spells(occupancy.at_s), usable_ratio)
    why = "; ".join([begins.why, *_notes(occupancy, slots, usable_ratio)])
    return _target(begins._replace(why=why), slots, tolerance, found)


class _Found(NamedTuple):
    """A target before what can be reached is looked at."""

    ratio: float
    is_measured: bool
    onset: Share
    why: str
    sees_backlog: bool = False


def _beginning(found: tuple[Group, ...], spells: int, usable_ratio: float) -> _Found:
    """Where the backlog begins, or the usual advice and why that."""
    usual = _Found(DEFAULT_RATIO * usable_ratio, False, UNKNOWN, "")
    judged = [group for group in found if group.spells >= ENOUGH_SPELLS]
    if spells < DECIDING_SPELLS or not judged:
        samples = sum(group.samples for group in found)
        return usual._replace(
            why=f"{samples:,} samples from {spells * SPELL_S / 3600.0:.1f} hours are too few"
        )
    idle = judged[0] if judged[0].mean_ratio < IDLE_RATIO else None
    base = idle.backlog_fit if idle else 0.0
    if base > MOST_IDLE_RATIO:
        where = f"in {100.0 * base:.0f} % of the moments even where a replica is nearly idle"
        return usual._replace(why=f"requests wait {where}, so not for want of slots")
    usual = usual._replace(onset=_onset(found, base))
    proven = [group for group in judged if group.backlog_fit <= base + BEGIN_RATIO]
    highest = proven[-1].mean_ratio if proven else 0.0
    first = next((group for group in found if _has_begun(group, base)), None)
    if first is None:
        why = f"no backlog up to {100.0 * highest:.0f} % of the slots, the most that was in use for long"
        return usual._replace(ratio=max(usual.ratio, highest), is_measured=highest >= usual.ratio, why=why)
    where = f"{100.0 * first.low_ratio:.0f} % to {100.0 * first.high_ratio:.0f} % of the slots"
    seen = f"in {100.0 * first.backlog_ratio:.0f} % of the moments at {where}"
    if first.spells < ENOUGH_SPELLS:
        why = f"a backlog {seen}, but those are few, and there is none below"
        return usual._replace(ratio=max(usual.ratio, first.low_ratio), why=why)
    if not proven:
        why = f"a backlog {seen}, the least that was ever in use: it begins there or below, and 60 % of that is advised"
        return usual._replace(ratio=min(usual.ratio, DEFAULT_RATIO * first.high_ratio), why=why)
    against = f", and in {100.0 * base:.0f} % where a replica is nearly idle" if idle else ""
    why = f"a backlog begins there, {seen}{against}"
    return _Found(first.low_ratio, True, usual.onset, why, sees_backlog=True)


def _has_begun(group: Group, base: float) -> bool:
    """Whether there is a backlog, and not of one or two incidents alone."""
    return group.backlog_fit > base + BEGIN_RATIO and group.backlog_spells >= INCIDENTS


def _onset(found: tuple[Group, ...], base: float) -> Share:
    """Bounds of 90 % on where the backlog begins."""
    limit = base + BEGIN_RATIO
    low = next((group.low_ratio for group in found if group.backlog_high > limit), 1.0)
    high = next((group.low_ratio for group in found if group.backlog_low > limit), 1.0)
    return Share(low, max(low, high))


def _spells(at_s: NDArray[np.float64]) -> int:
    return len(np.unique(np.floor(at_s / SPELL_S)))


def _usable_ratio(occupancy: Occupancy, slots: int) -> float:
    """The share of its slots that a replica fills while requests wait; 1 where that is not seen often enough."""
    backlog = backlogs(occupancy, slots) & np.isfinite(occupancy.running)
    if _spells(occupancy.at_s[backlog]) < ENOUGH_SPELLS:
        return 1.0
    ratio = float(np.quantile(occupancy.running[backlog] / slots, 0.95))
    return ratio if 0.0 < ratio < _FULL_RATIO else 1.0


def _notes(occupancy: Occupancy, slots: int, usable_ratio: float) -> list[str]:
    """What the reader should know besides."""
    known = occupancy.replicas[occupancy.replicas > 1.0]
    notes = []
    if usable_ratio < 1.0:
        cause = "a full KV cache, or one replica that queues while others are idle"
        if not known.size:
            cause = "as where the KV cache is full"
        notes.append(
            f"requests wait while no more than {usable_ratio * slots:.3g} of {slots} slots are in use, {cause}"
        )
    if known.size:
        notes.append(
            f"samples are means over {np.median(known):.0f} replicas, which hide one that queues while others are idle;"
            " by replica they would tell more"
        )
    return notes


def _target(begins: _Found, slots: int, tolerance: float, found: tuple[Group, ...]) -> Target:
    """Within what can be reached, in hundredths, with its reason."""
    most = reachable_ratio(tolerance)
    ratio = min(max(math.floor(100.0 * begins.ratio + 1e-9) / 100.0, LEAST_RATIO), most)
    usual = " (the usual advice)" if not begins.is_measured and ratio == DEFAULT_RATIO else ""
    why = f"target {100.0 * ratio:.0f} % of {slots} slots, {ratio * slots:.4g} running requests{usual}: {begins.why}"
    if ratio < math.floor(100.0 * begins.ratio + 1e-9) / 100.0:
        by = f" by more than the tolerance of {tolerance:g}" if tolerance else ""
        why += f"; {100.0 * most:.0f} % is the most that a full replica passes{by}"
    return Target(
        ratio, ratio * slots, slots, begins.is_measured, begins.onset, found, why, begins.sees_backlog
    )
