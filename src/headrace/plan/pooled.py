"""Several models on one pool of accelerators: who would have lacked how many, and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.plan.proposal import Proposal
from headrace.simulate.inputs import DAY_S, WEEK_S
from headrace.simulate.pool import Claimant, Pool, pool


class Pooled(NamedTuple):
    """A pool, tried on the days that all models have in common."""

    accelerators: int
    pool: Pool
    sizes: tuple[int, ...]
    """Accelerators of a replica of each model."""
    tick_s: float
    days: float
    aligned: bool
    """True: at the same moments; False: the histories have no whole day in common, and their last days were laid over
    one another."""


def pooled(proposals: Sequence[Proposal], accelerators: int) -> Pooled:
    """What the proposed rules wanted together, granted by `allot` tick after tick.

    Args:
        proposals: One a model; ticks of the first are used.
        accelerators: Of the pool, all free or held by these models.
    """
    tick_s = proposals[0].judged.step_s
    start_s = max(made.judged.start_s for made in proposals)
    end_s = min(made.judged.start_s + made.judged.span_s for made in proposals)
    aligned = end_s - start_s >= min(DAY_S, *(made.judged.span_s for made in proposals))
    if not aligned:
        length_s = min(WEEK_S, *(made.judged.span_s for made in proposals))
    claims = []
    for made in proposals:
        last_s = made.judged.start_s + made.judged.span_s
        first_s = start_s if aligned else last_s - length_s
        wanted = _at(made, first_s, (end_s if aligned else last_s) - first_s, tick_s)
        scale = made.fleet.scale
        claims.append(
            Claimant(made.name, wanted, scale.min_replicas, made.fleet.capacity.accelerators, scale.priority)
        )
    granted = pool(claims, accelerators, tick_s)
    return Pooled(
        accelerators,
        granted,
        tuple(each.accelerators for each in claims),
        tick_s,
        len(claims[0].want) * tick_s / 86_400.0,
        aligned,
    )


def _at(made: Proposal, first_s: float, length_s: float, tick_s: float) -> NDArray[np.int64]:
    """Replicas ready and starting at the pool's ticks."""
    ready, starting, _ = made.proposed.replicas
    held = ready + starting
    times_s = first_s + np.arange(max(1, int(length_s / tick_s))) * tick_s
    place = ((times_s - made.judged.start_s) / made.judged.step_s + 1e-9).astype(np.int64)
    return np.asarray(held[np.clip(place, 0, len(held) - 1)], dtype=np.int64)
