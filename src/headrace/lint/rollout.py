"""How many pods a rolling update may add and take away, as the Deployment controller reckons it."""

from __future__ import annotations

import math
from typing import NamedTuple

from headrace.documents import Node
from headrace.manifest.resource import Resource
from headrace.manifest.tree import child, has, number, percent, text

DEFAULT_SHARE = 0.25
"""maxSurge and maxUnavailable of a Deployment that says neither."""


class Step(NamedTuple):
    """One step of a rolling update."""

    surge: int
    unavailable: int


def is_rolling(workload: Resource) -> bool:
    """Whether a Deployment is rolled; not where its strategy is Recreate or not known."""
    if workload.kind != "Deployment":
        return False
    kind = child(workload.node, "spec", "strategy", "type")
    return kind is None or text(workload.node, "spec", "strategy", "type") == "RollingUpdate"


def step(workload: Resource, replicas: int) -> Step | None:
    """The step of a Deployment's rolling update; None: a variable stands in it.

    A share of maxSurge is rounded up, one of maxUnavailable down; where both come to 0, one pod may be missing.
    """
    rolling = workload.at("spec", "strategy", "rollingUpdate")
    surge = _resolved(rolling, "maxSurge", replicas, up=True)
    unavailable = _resolved(rolling, "maxUnavailable", replicas, up=False)
    if surge is None or unavailable is None:
        return None
    return Step(0, 1) if surge == 0 and unavailable == 0 else Step(surge, unavailable)


def _resolved(rolling: Node | None, key: str, replicas: int, up: bool) -> int | None:
    if not has(rolling, key):
        share: float | None = DEFAULT_SHARE
    else:
        written = number(rolling, key)
        if written is not None:
            return written
        share = percent(rolling, key)
    if share is None:
        return None
    return math.ceil(share * replicas) if up else math.floor(share * replicas)
