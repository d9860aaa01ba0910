"""Offered concurrency in slots: arrival rate × time in service, as far as it can be seen.

By Little's law the requests in the system, wherever they are, number arrival rate × time in the system. So
what our own gateway has in flight and queued is the demand; without one it is what runs and waits on the
replicas. A draining replica's remaining work belongs to it: for each of its requests that ends, one has
arrived elsewhere or soon will. Left out, demand would seem to drop by a replica's share at each scale-down,
and pull the next one after it; a gateway's count holds it too, so both sources agree. A deleted replica is
not in the snapshot, and a loading one is not asked.

What is not demand is kept apart: a queue that persists although slots are free (one hot replica, a KV cache
that is full) is no more concurrency than it counts, but more replicas are needed
(`Demand.at_least_replicas`).

In overload the backlog also counts requests that only wait because of it, and clients that have given up; a
ceiling on replicas is the brake on that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from headrace.decide.answers import Answers, answers_of
from headrace.decide.capacity import fleet_slots, replica_slots
from headrace.decide.tokens import held_by, learned
from headrace.memory import NOTHING_KNOWN, DemandMemory, Held
from headrace.snapshot import Gateway, Sample, Snapshot
from headrace.spec import Capacity

QUEUE_PERSISTS_S = 30.0
"""A queue that lasts longer is not the moment between two arrivals. The time starts anew whenever a replica
becomes ready, so that the newcomer has a chance to drain the queue before it calls for another."""
KV_FULL_RATIO = 0.9
"""KV usage from which requests that wait, wait for the KV cache: a long prompt does not fit into the last
tenth."""
PARTIAL_HOLD_S = 300.0
"""So long after the last complete answer a partial one can raise the demand but not lower it."""
STALE_S = 120.0
"""A queue seen longer ago than this, with nothing seen since, is not known to have lasted."""
BYPASS_RATIO = 1.25
"""Requests on the replicas over those that the gateway knows of, from which some surely go around it: samples
are a few seconds older than the gateway's count, and no ordinary demand moves by a quarter in that time."""
BYPASS_SLOTS = 8.0
"""…and this many more, since small counts differ by chance."""


class Demand(NamedTuple):
    """Offered concurrency, how well it is known, and what one replica can hold at present."""

    slots: float
    """Offered concurrency (>= 0). If `is_missing`: the last one known, or NaN; never zero for lack of
    data."""
    answered: int
    """Ready replicas that answered with numbers that can be true."""
    asked: int
    """Ready replicas."""
    is_lower_bound: bool
    """Somewhere all slots were taken or requests waited: clients may be held back or give up, unseen."""
    is_missing: bool
    """Too few answers to decide on: hold."""
    replica_slots: int
    """Slots of one replica at what running requests have been seen to hold of its KV cache."""
    at_least_replicas: int
    """Replicas that a persistent queue calls for, whatever the occupancy (0: there is none). Counted from the
    ready ones, not the starting ones, so that it can't compound while they load."""
    reasons: tuple[str, ...]
    memory: DemandMemory


class _Level(NamedTuple):
    slots: float
    """NaN: too few answers."""
    reason: str


def demand(snapshot: Snapshot, capacity: Capacity, memory: DemandMemory = NOTHING_KNOWN) -> Demand:
    """What is offered to the fleet at this moment.

    Args:
        snapshot: Its replicas, gateway and time are read.
        capacity: What a replica holds, from the spec.
        memory: What the last tick returned.
    """
    seen = answers_of(snapshot)
    is_fresh = memory.complete_at_s is not None and snapshot.at_s - memory.complete_at_s <= PARTIAL_HOLD_S
    queue_since_s = _queue_since_s(seen, memory, snapshot.at_s)
    queued_s = _queued_s(seen, queue_since_s, snapshot.at_s)
    held = _held(seen, capacity, memory, snapshot.at_s, is_queued=queued_s >= QUEUE_PERSISTS_S)
    slots_each = _replica_slots(capacity, held)
    level = _level(seen, slots_each, memory, is_fresh)
    if math.isnan(level.slots):
        return _missing(seen, _replica_slots(capacity, memory.held), memory)
    at_least = _at_least_replicas(seen, slots_each, queued_s)
    if seen.answered < seen.asked and is_fresh:
        at_least = max(at_least, memory.at_least_replicas)
    is_bound = _is_lower_bound(seen, capacity) or level.slots >= fleet_slots(seen.asked, slots_each) > 0
    complete_at_s = snapshot.at_s if seen.answered == seen.asked else memory.complete_at_s
    is_gateway_false = snapshot.gateway is not None and seen.gateway is None
    return Demand(
        slots=level.slots,
        answered=seen.answered,
        asked=seen.asked,
        is_lower_bound=is_bound,
        is_missing=False,
        replica_slots=slots_each,
        at_least_replicas=at_least,
        reasons=(
            level.reason,
            *_queue_reasons(seen, at_least, queued_s),
            *_kv_reasons(capacity, slots_each, held),
            *_doubts(is_bound=is_bound, is_gateway_false=is_gateway_false),
        ),
        memory=DemandMemory(snapshot.at_s, level.slots, complete_at_s, queue_since_s, at_least, held),
    )


def _at_least_replicas(seen: Answers, slots_each: int, queued_s: float) -> int:
    if queued_s < QUEUE_PERSISTS_S:
        return 0
    return seen.asked + max(1, math.ceil(seen.waiting / slots_each))


def _queue_since_s(seen: Answers, memory: DemandMemory, at_s: float) -> float | None:
    is_known = memory.at_s is not None and at_s - memory.at_s <= STALE_S
    since_s = memory.queue_since_s if is_known else None
    if seen.has_queue:
        return at_s if since_s is None else since_s
    # the queue may be on the replica that did not answer: it is not known to have ended
    return since_s if seen.answered < seen.asked else None


def _queued_s(seen: Answers, since_s: float | None, at_s: float) -> float:
    """Seconds that a queue which is seen now has withstood the present replicas; -inf without one."""
    if since_s is None or not seen.has_queue:
        return -math.inf
    return at_s - max(since_s, seen.newest_ready_s)


def _is_at_limit(sample: Sample, capacity: Capacity) -> bool:
    # half a request below: a gauge averaged over a scrape interval need not be whole
    return sample.running >= replica_slots(capacity.slots, capacity.data_parallel) - 0.5


def _is_kv_full(sample: Sample, capacity: Capacity) -> bool:
    """Requests wait although max-num-seqs is not reached, and the KV cache is why."""
    is_full = KV_FULL_RATIO <= sample.kv_usage_ratio <= 1.0
    return is_full and sample.waiting >= 1.0 and sample.running >= 1.0 and not _is_at_limit(sample, capacity)


def _is_lower_bound(seen: Answers, capacity: Capacity) -> bool:
    return seen.has_queue or any(_is_at_limit(s, capacity) or _is_kv_full(s, capacity) for s in seen.samples)


def _held(seen: Answers, capacity: Capacity, memory: DemandMemory, at_s: float, *, is_queued: bool) -> Held:
    """What a running request holds: learned slowly, and at once from replicas whose cache stays full."""
    since_s = math.inf if memory.at_s is None else at_s - memory.at_s
    held = learned(memory.held, held_by(seen.samples, capacity), since_s)
    if not is_queued:
        return held
    # what a full replica runs is what it holds: the rest of its cache is too small for the next request
    full = (s._replace(kv_usage_ratio=1.0, tokens=None) for s in seen.samples if _is_kv_full(s, capacity))
    return held.or_more(held_by(full, capacity, least_running=1.0))


def _replica_slots(capacity: Capacity, held: Held) -> int:
    if capacity.kv_tokens is None:
        return replica_slots(capacity.slots, capacity.data_parallel, 1.0, held.kv_share)
    return replica_slots(capacity.slots, capacity.data_parallel, capacity.kv_tokens, held.tokens)


def _level(seen: Answers, slots_each: int, memory: DemandMemory, is_fresh: bool) -> _Level:
    if seen.gateway is None:
        return _engine_level(seen, slots_each, memory, is_fresh)
    return _gateway_level(seen, seen.gateway)


def _gateway_level(seen: Answers, gateway: Gateway) -> _Level:
    """The greater of what the gateway knows of and what the replicas hold beside its queue.

    Samples are seconds older, so the second is a little too high while demand falls, which removals wait out anyway.
    Were it taken only from a threshold on, one request more at the gateway could lower the demand.
    """
    known = gateway.in_flight + gateway.queued
    around = seen.load + gateway.queued
    level = around if around > known else known  # unknown load leaves what is known
    if not around > BYPASS_RATIO * known + BYPASS_SLOTS:
        counts = f"{gateway.in_flight:.4g} in flight, {gateway.queued:.4g} queued"
        held = f", {seen.load:.4g} on the replicas" if around > known else ""
        return _Level(level, f"{level:.4g} slots offered now: {counts}{held}")
    holds = f"the replicas hold {seen.load:.4g} requests, the gateway knows of {gateway.in_flight:.4g}"
    return _Level(around, f"{around:.4g} slots offered now: {holds}, so some go around it")


def _engine_level(seen: Answers, slots_each: int, memory: DemandMemory, is_fresh: bool) -> _Level:
    """Demand from the replicas' samples.

    An unknown replica counts as the mean of those that answered. But it may be silent because it is the
    busiest, so a partial answer does not lower the last demand for `PARTIAL_HOLD_S`; after that only as far
    as it would fall with every unknown replica full. (One that never answers again can't hold the fleet up
    for ever.)
    """
    unknown = seen.asked - seen.answered
    if seen.answered == 0 or seen.answered < unknown:
        return _Level(math.nan, "")
    counts = f"{seen.running:.4g} running, {seen.engine_waiting:.4g} waiting"
    if seen.draining:
        counts += f", {seen.draining:.4g} on draining replicas"
    if unknown == 0:
        return _Level(seen.load, f"{seen.load:.4g} slots offered now: {counts}")
    mean = (seen.running + seen.engine_waiting) / seen.answered
    low = seen.load + unknown * mean
    high = seen.load + unknown * max(mean, float(slots_each))
    slots = low
    if memory.slots is not None:
        slots = max(low, memory.slots if is_fresh else min(memory.slots, high))
    held_up = "" if slots == low else f", and no less than before while {unknown} did not"
    return _Level(
        slots,
        f"{slots:.4g} slots offered now: {counts} on the {seen.answered} of {seen.asked} ready replicas that"
        f" answered, {mean:.4g} assumed on each of the others{held_up}",
    )


def _missing(seen: Answers, slots_each: int, memory: DemandMemory) -> Demand:
    last = math.nan if memory.slots is None else memory.slots
    known = "" if memory.slots is None else f"; {last:.4g} slots were offered when last seen"
    answered = "no replica is ready"
    if seen.asked:
        answered = f"{seen.answered} of {seen.asked} ready replicas answered, at least half and one must"
    return Demand(
        slots=last,
        answered=seen.answered,
        asked=seen.asked,
        is_lower_bound=False,
        is_missing=True,
        replica_slots=slots_each,
        at_least_replicas=0,
        reasons=(f"demand is unknown: {answered}{known}",),
        memory=memory,
    )


def _doubts(*, is_bound: bool, is_gateway_false: bool) -> tuple[str, ...]:
    doubts = []
    if is_bound:
        doubts.append("all slots are taken somewhere: demand may be higher than what is seen")
    if is_gateway_false:
        doubts.append("the gateway's counts can't be true and are left out")
    return tuple(doubts)


def _kv_reasons(capacity: Capacity, slots_each: int, held: Held) -> tuple[str, ...]:
    nominal = replica_slots(capacity.slots, capacity.data_parallel)
    if slots_each >= nominal:
        return ()
    what = f"{held.kv_share or 0.0:.2%} of the KV cache"
    if capacity.kv_tokens is not None:
        what = f"{held.tokens or 0.0:,.0f} tokens"
    return (f"a replica holds {slots_each} requests, not {nominal}: each holds {what} in the mean",)


def _queue_reasons(seen: Answers, at_least: int, queued_s: float) -> tuple[str, ...]:
    if not at_least:
        return ()
    why = "the queue seen last may be on a replica that did not answer"
    if queued_s >= QUEUE_PERSISTS_S:
        why = f"{seen.waiting:.4g} requests wait, and have for {queued_s:.0f} s with {seen.asked} ready"
    return (f"{at_least} replicas at least: {why}",)
