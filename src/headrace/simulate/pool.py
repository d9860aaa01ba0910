"""Several models on one pool of accelerators over time: who gets how many, and who lacks how many for how long.

Each model's own wants are given, tick by tick (`simulate.world` and the kernels make them); `decide.allot` shares out
what there is, as it does in the controller. Starts and drains take no time here: what is asked is whether the pool is
large enough for wants that come together, not how it is reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.allot import Want, allot


class Claimant(NamedTuple):
    """One model's claim on the pool."""

    name: str
    want: NDArray[np.int64]
    """shape [ticks]; replicas that its own step wants."""
    floor: int = 1
    accelerators: int = 1
    """Per replica."""
    priority: int = 0


class Lack(NamedTuple):
    """What one model does not get."""

    name: str
    short_ratio: float
    """Share of the time in which it gets less than it wants."""
    lacking: float
    """Replicas that it lacks in that time, mean."""
    most: int
    """Replicas that it lacks at most."""
    longest_s: float
    """Longest time without a break."""
    below_floor_ratio: float
    """Share of the time in which it does not even get its floor."""
    why: str


class Pool(NamedTuple):
    """A pool over time."""

    granted: NDArray[np.int64]
    """shape [models, ticks]; replicas."""
    wanted: NDArray[np.int64]
    """shape [ticks]; accelerators that all want together."""
    used: NDArray[np.int64]
    """shape [ticks]; accelerators that all get."""
    lacks: tuple[Lack, ...]
    """In the order of the models."""
    tight_ratio: float
    """Share of the time in which not everybody gets what it wants."""
    enough: int
    """Accelerators with which everybody always would."""
    why: str


def pool(claimants: Sequence[Claimant], schedulable: int | NDArray[np.int64], tick_s: float) -> Pool:
    """Shares a pool out at every tick.

    Args:
        claimants: Models with distinct names and wants of one length (at least one tick).
        schedulable: Accelerators of the pool; shape [ticks] where it changes.
        tick_s: Seconds between ticks.
    """
    asked = np.array([np.maximum(each.want, each.floor) for each in claimants], dtype=np.int64)
    cards = np.array([each.accelerators for each in claimants], dtype=np.int64)
    wanted = cards @ asked
    there = np.broadcast_to(np.asarray(schedulable, dtype=np.int64), wanted.shape)
    granted = _granted(claimants, asked, wanted, there)
    lacks = tuple(_lack(each, asked[row], granted[row], tick_s, there) for row, each in enumerate(claimants))
    tight_ratio = float((granted < asked).any(axis=0).mean())
    enough = int(wanted.max())
    found = Pool(granted, wanted, cards @ granted, lacks, tight_ratio, enough, "")
    return found._replace(why=_why(found, there))


def _granted(
    claimants: Sequence[Claimant],
    asked: NDArray[np.int64],
    wanted: NDArray[np.int64],
    there: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Replicas by tick; `allot` is asked only where the pool is too small and something has changed."""
    granted = asked.copy()
    before: tuple[int, list[int], int] | None = None
    have = granted[:, 0]
    for tick in np.flatnonzero(wanted > there).tolist():
        if tick > 0:
            have = granted[:, tick - 1]
        # whoever got what it was granted asks again and gets the same (a law of allot's)
        now = (tick - 1, asked[:, tick].tolist(), int(there[tick]))
        if now == before:
            granted[:, tick] = have
            before = (tick, *now[1:])
            continue
        wants = [
            Want(
                each.name, each.floor, int(asked[row, tick]), int(have[row]), each.accelerators, each.priority
            )
            for row, each in enumerate(claimants)
        ]
        granted[:, tick] = [grant.replicas for grant in allot(wants, int(there[tick]))]
        before = (tick, *now[1:])
    return granted


def _lack(
    claimant: Claimant,
    asked: NDArray[np.int64],
    granted: NDArray[np.int64],
    tick_s: float,
    there: NDArray[np.int64],
) -> Lack:
    missing = asked - granted
    short = missing > 0
    edges = np.flatnonzero(np.diff(short, prepend=False, append=False))
    longest_s = float((edges[1::2] - edges[::2]).max(initial=0)) * tick_s
    lacking = float(missing[short].mean()) if short.any() else 0.0
    found = Lack(
        claimant.name,
        float(short.mean()),
        lacking,
        int(missing.max(initial=0)),
        longest_s,
        float((granted < np.minimum(asked, claimant.floor)).mean()),
        "",
    )
    return found._replace(why=_why_lacking(found, claimant, int(there.min())))


def _why_lacking(lack: Lack, claimant: Claimant, least_there: int) -> str:
    if not lack.most:
        return f"{lack.name} always gets what it wants"
    sentence = (
        f"{lack.name} lacks {lack.lacking:.2g} replicas on average and {lack.most} at most in"
        f" {100.0 * lack.short_ratio:.2g} % of the time, up to {lack.longest_s:,.0f} s on end"
    )
    if lack.below_floor_ratio > 0.0:
        sentence += (
            f"; in {100.0 * lack.below_floor_ratio:.2g} % it does not get its floor of {claimant.floor}"
        )
    if claimant.accelerators > least_there:
        sentence += (
            f"; one replica needs {claimant.accelerators} accelerators, and the pool has {least_there}"
        )
    return sentence


def _why(found: Pool, there: NDArray[np.int64]) -> str:
    size = f"{int(there.max())} accelerators"
    if not found.tight_ratio:
        return f"{size} are enough: all models together want {found.enough} at most"
    return (
        f"{size} are too few in {100.0 * found.tight_ratio:.2g} % of the time: all models together want"
        f" {found.enough} at most"
    )
