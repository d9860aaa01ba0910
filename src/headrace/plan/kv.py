"""How many requests the KV cache of a replica holds, where something says how much of it a running request takes.

Of what says it, the first that is there: the user, KV usage beside what runs, the lengths of prompts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from headrace.decide.capacity import replica_slots, unreachable_reason
from headrace.decide.tokens import held_by
from headrace.occupancy import Occupancy
from headrace.plan.ask import Ask
from headrace.snapshot import Sample
from headrace.spec import Capacity

LEAST_MOMENTS = 60
"""Fewer moments than this with a KV usage, an hour of them by the minute, say nothing of weeks."""
MOST_MOMENTS = 50_000
"""More are thinned evenly: a mean over so many does not move."""
HPA_TOLERANCE = 0.1
"""Kubernetes' own, unless told otherwise."""


class KvCache(NamedTuple):
    """What is known of a replica's KV cache."""

    capacity: Capacity
    """For the functions of `decide.capacity`: the cache in tokens, or 1 where only shares of it are known."""
    per_request: float | None = None
    """What a running request holds of it in the mean, in that unit; None: not known, so that nothing is lowered."""
    why: str = ""
    """What it comes to; "": no more is known than the slots."""
    notes: tuple[str, ...] = ()
    """What the reader should know besides."""

    @property
    def slots(self) -> int:
        """Requests that one replica runs at once."""
        known = self.capacity
        return replica_slots(known.slots, known.data_parallel, known.kv_tokens, self.per_request)


def kv_cache(ask: Ask) -> KvCache:
    """What the cache holds, by the best source that there is; all that max-num-seqs allows where there is none."""
    known = ask.fleet.capacity
    found, what = _held(ask)
    nominal = replica_slots(known.slots, known.data_parallel)
    if found.per_request is None:
        return found if known.kv_tokens is None else found._replace(notes=(_unknown(nominal),))
    if found.slots < nominal:
        why = f"a replica holds {found.slots} requests, not {nominal}: each holds {what}"
        return found._replace(why=why, notes=_lowered(ask, found, nominal))
    if known.kv_tokens is None:
        return found
    return found._replace(why=f"the KV cache holds more than the {nominal} slots: each request holds {what}")


def _held(ask: Ask) -> tuple[KvCache, str]:
    """What a request holds, without reasons, and the same in words."""
    known = ask.fleet.capacity
    if known.kv_tokens is not None and ask.tokens_per_request is not None:
        return KvCache(known, ask.tokens_per_request), f"{ask.tokens_per_request:,.6g} tokens, as given"
    share, moments = _share(ask.past.occupancy, known)
    if share is not None:
        by = f"in the mean of {moments:,} samples of KV usage and what runs"
        if known.kv_tokens is None:
            return KvCache(replace(known, kv_tokens=1), share), f"{100.0 * share:.3g} % of the KV cache {by}"
        tokens = share * known.kv_tokens
        return KvCache(known, tokens), f"{tokens:,.0f} tokens {by}"
    tokens = 0.0 if ask.prompts is None else float(np.mean(ask.prompts.tokens))
    if known.kv_tokens is not None and tokens > 0.0:
        what = (
            f"{tokens:,.0f} tokens, those of the mean prompt (what is generated comes on top, what prompts share is "
            "counted for each: --tokens-per-request says it exactly)"
        )
        return KvCache(known, tokens), what
    return KvCache(known), ""


def _share(occupancy: Occupancy | None, known: Capacity) -> tuple[float | None, int]:
    """Share of one engine's cache that a running request holds, and from how many moments; None: not known."""
    if occupancy is None or occupancy.kv_usage_ratio is None:
        return None, 0
    usage, running = occupancy.kv_usage_ratio, occupancy.running
    told = np.flatnonzero((usage > 0.0) & (usage <= 1.0) & (running >= 1.0))
    if len(told) < LEAST_MOMENTS:
        return None, 0
    thinned = told[:: -(-len(told) // MOST_MOMENTS)]
    pairs = zip(running[thinned].tolist(), usage[thinned].tolist(), strict=True)
    samples = (Sample(runs, 0.0, used) for runs, used in pairs)
    return held_by(samples, known).kv_share, len(told)


def _unknown(nominal: int) -> str:
    return (
        f"kvTokens lowers none of the {nominal} slots: nothing given says how many tokens a running request holds "
        "(--tokens-per-request, --prompts, --occupancy with a column of KV usage, Prometheus). That requests wait "
        "while slots are free is seen in samples all the same, and lowers the target."
    )


def _lowered(ask: Ask, found: KvCache, nominal: int) -> tuple[str, ...]:
    """What follows for a file, and for an HPA that counts against max-num-seqs."""
    kept = (
        f"A file keeps the {found.capacity.slots} slots of max-num-seqs: a controller lowers them by what it sees, "
        "headrace simulate --fleet does not."
    )
    today, is_sized = ask.today, ask.fleet.capacity.kv_tokens is not None
    if today is None or today.policy is None or today.policy.name != "hpa" or not is_sized:
        return (kept,)
    running = nominal / (1.0 + today.headroom)
    never = unreachable_reason(running, found.capacity, found.per_request, HPA_TOLERANCE)
    if not never:
        return (kept,)
    told = (
        f"Today's {today.name} is taken to be of the {found.slots} requests that a replica holds; were it of all "
        f"{nominal} slots: {never}."
    )
    return (kept, told)
