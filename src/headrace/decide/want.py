"""How many replicas demand asks for: the need as a whole number, within limits, and never less on what is not known."""

from __future__ import annotations

import math
from typing import NamedTuple

from headrace.decide import scale
from headrace.decide.demand import Demand
from headrace.decide.need import Need
from headrace.decide.present import Present
from headrace.memory import Memory
from headrace.snapshot import Snapshot
from headrace.spec import ModelFleet, Scale


class Want(NamedTuple):
    """Whole replicas, kept as floats as in `decide.scale`."""

    replicas: float
    """Within all limits."""
    of_spec: float
    """Within the spec's limits, whatever can be scheduled: what the model claims where models compete."""
    asked: float
    """Without any limit (may be infinite; NaN: not known)."""
    most: int
    """The ceiling: the spec's, and what can be scheduled."""
    standing: int
    """What there is and what was decided before: nothing goes below it on a tick that does not know."""
    is_hold: bool
    """Nothing is known, or a cold memory knows of nothing before: nothing goes down."""


def want_of(
    fleet: ModelFleet, memory: Memory, snapshot: Snapshot, demand: Demand, need: Need, there: Present
) -> Want:
    """The want at this tick.

    A persistent queue raises it to `Demand.at_least_replicas`, above any tolerance. Missing data leaves what there
    is, unless the forecast's floor asks for more.
    """
    limits, have = fleet.scale, float(there.have)
    queued = float(demand.at_least_replicas or math.nan)
    asked = scale.floored(need.replicas, queued)
    low, high = float(limits.min_replicas), float(limits.max_replicas)
    needed = scale.settled(scale.limited(need.replicas, low, high), have, limits.rule.tolerance)
    of_spec = scale.limited(scale.floored(needed, queued), low, high)
    most = ceiling(limits, snapshot, there)
    least = min(limits.min_replicas, most)
    standing = max(there.have, least, min(0 if memory.verdict is None else memory.verdict.replicas, most))
    replicas = scale.limited(of_spec, float(least), float(most))
    is_hold = demand.is_missing or memory.at_s is None or math.isnan(of_spec)
    if is_hold:
        of_spec = scale.held(of_spec, max(low, float(standing)))
        replicas = scale.held(replicas, float(standing))
    return Want(
        replicas, of_spec, math.ceil(asked) if math.isfinite(asked) else asked, most, standing, is_hold
    )


def ceiling(limits: Scale, snapshot: Snapshot, there: Present) -> int:
    """The most replicas that make sense: no more than the spec allows, nor than can be scheduled.

    What serves requests is scheduled, whatever a count says, so ready replicas are never the victims of a wrong one.
    """
    if snapshot.schedulable is None:
        return limits.max_replicas
    return min(limits.max_replicas, max(snapshot.schedulable, len(there.ready)))
