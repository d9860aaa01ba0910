"""What a running request holds of the KV cache, learned from what the replicas show.

Contexts are far shorter than the longest allowed one and change with the traffic's mix, so what a replica can
hold has to be learned. KV usage counts blocks, so what requests share (a common prefix) and what a block
wastes are in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from headrace.memory import Held
from headrace.snapshot import Sample
from headrace.spec import Capacity

LEARN_S = 600.0
"""Time constant of the mean: longer than a request takes, shorter than the mix of a day takes to change."""
LEARN_RUNNING = 8.0
"""Fewer running requests than this teach nothing: one long context alone would look like a full replica."""


def held_by(samples: Iterable[Sample], capacity: Capacity, least_running: float = LEARN_RUNNING) -> Held:
    """Mean over all running requests of the samples; nothing from fewer than `least_running` of them.

    A usage of 0 beside running requests means that the server does not tell it; below 0, above 1 or NaN, that
    what it tells is wrong. Both are unknown.
    """
    running = 0.0
    engines_full = 0.0
    for sample in samples:
        usage = _usage_ratio(sample, capacity)
        if usage is not None and sample.running >= 1.0:
            running += sample.running
            engines_full += usage * capacity.data_parallel
    if running < least_running or running <= 0.0:
        return Held()
    share = engines_full / running
    return Held(None if capacity.kv_tokens is None else share * capacity.kv_tokens, share)


def _usage_ratio(sample: Sample, capacity: Capacity) -> float | None:
    """Mean KV usage of a replica's engines, above 0 and at most 1; tokens, where told, come first."""
    if capacity.kv_tokens and sample.tokens is not None and 0.0 < sample.tokens < math.inf:
        return min(1.0, sample.tokens / (capacity.kv_tokens * capacity.data_parallel))
    return sample.kv_usage_ratio if 0.0 < sample.kv_usage_ratio <= 1.0 else None


def learned(before: Held, seen: Held, since_s: float) -> Held:
    """The running mean after one more look.

    Args:
        before: The mean so far; what it does not know is taken from `seen` as it is.
        seen: What this tick shows; what it does not show changes nothing.
        since_s: Seconds since the last look, >= 0 (infinite: the first).
    """
    gain = -math.expm1(-max(0.0, since_s) / LEARN_S)
    return Held(_blend(before.tokens, seen.tokens, gain), _blend(before.kv_share, seen.kv_share, gain))


def _blend(before: float | None, seen: float | None, gain: float) -> float | None:
    if before is None or seen is None:
        return seen if before is None else before
    return before + gain * (seen - before)
