"""Which replica goes when there are too many, which drain is undone first, and when a drained one may go.

All orders are total: the same replicas in any order give the same answer, in the controller and in a replay.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from headrace.decide.answers import sample_load
from headrace.snapshot import Replica, State


def leaving_order(replicas: Iterable[Replica]) -> tuple[str, ...]:
    """Names of the starting and ready replicas, the first to go first; draining ones already go.

    1. Starting ones: they serve nobody and have nothing to drain. Those that the platform can't place come
       first (they may never start), then the newest ordered (it has the longest way to go).
    2. Ready ones, the least work left first, so that the fewest streams have to end. One that did not answer
       counts as the busiest: it is unknown, not idle.

    Ties go by name.
    """
    return tuple(r.name for r in sorted(replicas, key=_leaving_key) if r.state != State.DRAINING)


def _leaving_key(replica: Replica) -> tuple[int, float, str]:
    if replica.state == State.STARTING:
        return (1 if replica.schedulable else 0, -replica.since_s, replica.name)
    load = sample_load(replica.sample)
    return (2, math.inf if load is None else load, replica.name)


def undo_order(replicas: Iterable[Replica]) -> tuple[str, ...]:
    """Names of the draining replicas, the first to take back first.

    The one with the most work left comes first: its streams are the ones that could still be cut when the
    drain budget ends, its prefix cache is the warmest, and it would hold its accelerators longest, while an
    almost idle one frees them in a moment. Ties: the one whose drain began last, then by name. One that did
    not answer comes last: it may already be shutting down, and then it takes no request.
    """
    return tuple(r.name for r in sorted(replicas, key=_undo_key) if r.state == State.DRAINING)


def _undo_key(replica: Replica) -> tuple[float, float, str]:
    load = sample_load(replica.sample)
    return (math.inf if load is None else -load, -replica.since_s, replica.name)


def gone(replica: Replica, at_s: float, drain_s: float, settle_s: float = 0.0) -> bool:
    """Whether a draining replica may be removed now: it is idle, or its budget has passed.

    Args:
        replica: Any replica; one that does not drain may not go.
        at_s: Now.
        drain_s: The budget N. What still runs then is cut, and counted in cut(N).
        settle_s: Seconds of drain during which idle is not believed yet, for routers that still send requests
            to a replica they have not yet dropped (a Service: about 20 s; our own gateway: 0).
    """
    if replica.state != State.DRAINING:
        return False
    draining_s = at_s - replica.since_s
    if draining_s >= drain_s:
        return True
    return sample_load(replica.sample) == 0.0 and draining_s >= settle_s
