"""When requests really wait, by how much of its slots a replica uses: what the target and the floor are read from.

One waiting request at the moment of a sample is nothing; it may run in the next step. A *backlog* is a queue of at
least 2 % of one replica's slots, counted over the whole fleet: the mean over several replicas hides the one that
queues while the others are idle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.occupancy import Occupancy

BACKLOG_RATIO = 0.02
"""Waiting requests, in shares of one replica's slots, from which they are a backlog (and at least one)."""
SPELL_S = 600.0
"""Samples within the same ten minutes are of one busy spell, and count once where it is asked how much is known."""
ENOUGH_SPELLS = 12
"""Fewer spells than this (two hours) at one occupancy are too few to judge it by."""
STEP_RATIO = 0.05
"""Width of a group of occupancies, before thin ones are put together."""
_Z90 = 1.6449
"""Normal quantile that 90 % lie within, both sides."""


class Group(NamedTuple):
    """Samples of like occupancy."""

    low_ratio: float
    """Share of slots in use from which the group reaches."""
    high_ratio: float
    mean_ratio: float
    samples: int
    spells: int
    """Different ten minutes that the samples are from."""
    backlog_spells: int
    """Of these, with a backlog."""
    waiting: float
    """Waiting requests per replica, mean."""
    backlog_ratio: float
    """Share of the samples with a backlog."""
    backlog_fit: float
    """The same, if it never falls where more is in use (isotonic regression)."""
    backlog_low: float
    """Bounds of 90 % on it, which never fall either."""
    backlog_high: float


def backlogs(occupancy: Occupancy, slots: float) -> NDArray[np.bool_]:
    """Which samples have a backlog; shape [n]. A queue that is not known is none."""
    replicas = np.where(occupancy.replicas >= 1.0, occupancy.replicas, 1.0)  # NaN: figures are of one replica
    return np.asarray(occupancy.waiting * replicas >= max(1.0, BACKLOG_RATIO * slots))


def groups(occupancy: Occupancy, slots: float) -> tuple[Group, ...]:
    """Samples by the share of slots in use, ascending; each group but the last has enough spells to be judged.

    Args:
        occupancy: Samples; those without a figure are left out.
        slots: Of one replica (> 0). More than that in use counts as all of it.
    """
    known = np.isfinite(occupancy.running) & np.isfinite(occupancy.waiting)
    ratio = np.clip(occupancy.running[known] / slots, 0.0, 1.0)
    waiting, backlog = occupancy.waiting[known], backlogs(occupancy, slots)[known]
    spell = np.floor(occupancy.at_s[known] / SPELL_S).astype(np.int64)
    # the nudge keeps 0.15 = 3 × 0.05 in the group that begins there
    place = np.minimum(np.floor(ratio / STEP_RATIO + 1e-9), round(1.0 / STEP_RATIO) - 1).astype(np.int64)
    found = []
    for first, after in _judgeable(place, spell):
        within = (place >= first) & (place < after)
        found.append(
            Group(
                round(first * STEP_RATIO, 9),
                round(after * STEP_RATIO, 9),
                float(ratio[within].mean()),
                int(within.sum()),
                len(np.unique(spell[within])),
                len(np.unique(spell[within & backlog])),
                float(waiting[within].mean()),
                float(backlog[within].mean()),
                0.0,
                0.0,
                1.0,
            )
        )
    return _fitted(found)


def _judgeable(place: NDArray[np.int64], spell: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ranges of places with enough spells each, from below; the last may have fewer."""
    ranges, seen, first = [], set[int](), None
    for each in range(round(1.0 / STEP_RATIO)):
        here = np.unique(spell[place == each]).tolist()
        if not here:
            continue  # an occupancy that was never seen lies between two groups, in neither
        first = each if first is None else first
        seen.update(here)
        if len(seen) >= ENOUGH_SPELLS:
            ranges.append((first, each + 1))
            seen, first = set(), None
    if first is not None:
        ranges.append((first, int(place.max()) + 1))
    return ranges


def _fitted(found: list[Group]) -> tuple[Group, ...]:
    if not found:
        return ()
    samples = np.array([group.samples for group in found], dtype=np.float64)
    fit = isotonic(np.array([group.backlog_ratio for group in found]), samples)
    bounds = [_wilson(each, group.spells) for each, group in zip(fit.tolist(), found, strict=True)]
    lows = np.maximum.accumulate([low for low, _ in bounds]).tolist()
    highs = np.minimum.accumulate([high for _, high in reversed(bounds)]).tolist()[::-1]
    return tuple(
        group._replace(backlog_fit=each, backlog_low=min(low, each), backlog_high=max(high, each))
        for group, each, low, high in zip(found, fit.tolist(), lows, highs, strict=True)
    )


def isotonic(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The closest series that never falls (least squares; neighbours in the wrong order are pooled).

    Args:
        values: shape [n].
        weights: shape [n], > 0.
    """
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, one_weight, ones), (other, other_weight, others) = pools[-2:]
            both = one_weight + other_weight
            pools[-2:] = [((one * one_weight + other * other_weight) / both, both, ones + others)]
    return np.repeat([value for value, _, _ in pools], [count for _, _, count in pools]).astype(np.float64)


def _wilson(share: float, count: int) -> tuple[float, float]:
    """Wilson's interval of 90 % for a share seen in `count` independent looks."""
    squared = _Z90 * _Z90 / count
    middle = share + squared / 2.0
    spread = _Z90 * math.sqrt((share * (1.0 - share) + squared / 4.0) / count)
    return max(0.0, (middle - spread) / (1.0 + squared)), min(1.0, (middle + spread) / (1.0 + squared))
