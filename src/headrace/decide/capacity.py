"""What a replica and a fleet can hold at once, in slots, and how slots and requests per second convert.

A *slot* is room for one request that executes. Everything that limits or counts concurrency (targets, gateway
limits, dashboards) follows the numbers of this module, so that they move together when max-num-seqs does.
"""

from __future__ import annotations

import math

from headrace.spec import Capacity

_ROUNDING = 1e-9
"""Added before rounding down: 1 / (1 / 49) must hold 49 requests, not 48."""


def replica_slots(
    max_num_seqs: int,
    data_parallel: int = 1,
    kv_tokens: float | None = None,
    tokens_per_request: float | None = None,
) -> int:
    """Requests that one replica executes at once: at least one for each of its engines.

    Why the *learned* tokens of a request and not the full context: a cache of 400,000 tokens holds 3 requests
    of 131,072 tokens but 200 of the 2,000 that requests really hold, and 200 is what is seen running.

    Args:
        max_num_seqs: Limit of one engine.
        data_parallel: Engines in the replica; each has its own limit and its own KV cache.
        kv_tokens: Size of one engine's KV cache in tokens (or 1.0, in shares of it); None: not known, not a
            limit.
        tokens_per_request: Learned mean of a running request, in the unit of `kv_tokens`; None, zero or NaN:
            not known, not a limit.
    """
    engine_slots = max(1, max_num_seqs)
    # the comparisons are false for NaN too, so that an unknown mean is never a limit
    if kv_tokens is not None and tokens_per_request is not None and kv_tokens > 0 and tokens_per_request > 0:
        held = kv_tokens / tokens_per_request + _ROUNDING
        if held < engine_slots:
            engine_slots = max(1, math.floor(held))
    return engine_slots * max(1, data_parallel)


def fleet_slots(ready: int, slots: int) -> int:
    """Requests that `ready` replicas of `slots` each execute at once (starting ones hold nothing yet)."""
    return max(0, ready) * slots


def target_slots(slots: int, target_ratio: float) -> float:
    """Slots that a replica is meant to use: 0.6 of 256 is a target of 153.6 running requests."""
    return slots * target_ratio


def replica_capacity(
    capacity: Capacity, target_ratio: float, tokens_per_request: float | None = None
) -> float:
    """Slots by which demand is divided to give replicas: what one replica holds, times its target (> 0)."""
    slots = replica_slots(capacity.slots, capacity.data_parallel, capacity.kv_tokens, tokens_per_request)
    return target_slots(slots, target_ratio)


def unreachable_reason(
    target_running: float, capacity: Capacity, tokens_per_request: float | None = None, tolerance: float = 0.0
) -> str:
    """Why an autoscaler with this target on running requests can never scale up; empty if it can.

    `num_requests_running` never passes what a replica holds, so a target above that is never reached, and one
    at it is never passed: the ratio stays within 1 + tolerance and no replica is ever added. headrace's own
    target may be 1.0, since it counts waiting requests too.

    Args:
        target_running: Target of running requests per replica.
        capacity: What the replica holds.
        tokens_per_request: Learned tokens of a running request; None: the KV cache is not looked at.
        tolerance: Ratio above the target that the autoscaler still ignores (an HPA: 0.1).
    """
    engines = capacity.data_parallel
    nominal = replica_slots(capacity.slots, engines)
    held = replica_slots(capacity.slots, engines, capacity.kv_tokens, tokens_per_request)
    if target_running * (1.0 + tolerance) < held:
        return ""
    ranks = f" on each of {engines} data-parallel ranks" if engines > 1 else ""
    limit = f"max-num-seqs {capacity.slots}{ranks} lets {nominal} run"
    if held < nominal:
        limit = (
            f"the KV cache of {capacity.kv_tokens:,} tokens{ranks} holds {held} requests of"
            f" {tokens_per_request:,.0f} tokens"
        )
    if target_running > held:
        problem = "can never be reached"
    elif target_running == held:
        problem = "can be reached but never passed"
    else:
        problem = f"can never be passed by more than the tolerance of {tolerance:g}"
    return (
        f"a target of {target_running:g} running requests per replica {problem}, so nothing is ever added:"
        f" {limit}; it must be below {held / (1.0 + tolerance):g}"
    )


def slots_for_rate(rate_per_s: float, service_s: float) -> float:
    """Slots in use at a request rate, by Little's law: 7.5 requests/s of 20 s each fill 150 slots."""
    return rate_per_s * service_s


def rate_for_slots(slots: float, service_s: float) -> float:
    """Requests per second that `slots` serve when each takes `service_s` (> 0): Little's law reversed."""
    return slots / service_s


def service_s(capacity: Capacity) -> float | None:
    """Seconds that a request is in service at full load; None where requests/s have not been measured.

    A replica of 150 slots that serves 7.5 requests/s holds each for 20 s.
    """
    if capacity.requests_per_s is None or not capacity.requests_per_s > 0:
        return None
    return replica_slots(capacity.slots, capacity.data_parallel) / capacity.requests_per_s
