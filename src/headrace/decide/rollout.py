"""How pods are replaced: which strategy keeps the model serving, and from when on a rollout is stuck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from headrace.decide.grace import grace_s
from headrace.decide.startup import overdue_s, probe_budget
from headrace.spec import Phase

LEAST_DEADLINE_S = 600
"""Kubernetes' own progressDeadlineSeconds: a pull or a node that no phase names takes minutes, however fast a start."""


class Strategy(NamedTuple):
    """A Deployment's RollingUpdate, one pod at a time."""

    max_surge: int
    max_unavailable: int
    why: str


def strategy(fewest: int, accelerators: int, spare: int | None, wanted: str = "auto") -> Strategy:
    """Which of a new and an old pod comes first.

    A single replica is never replaced the other way round, whatever is wanted: with maxUnavailable 1 its only pod goes
    first, and the model is down for a whole cold start.

    Args:
        fewest: Replicas that a rollout may meet (>= 1): the fewest of the fleet.
        accelerators: Of one replica.
        spare: Accelerators that are free meanwhile; None: not known.
        wanted: auto, surge or replace.
    """
    surge, replace = (1, 0), (0, 1)
    lacking = spare is not None and spare < accelerators
    if fewest <= 1:
        why = "a single replica: the new pod must be ready before the only one goes"
        if lacking:
            why += f"; it needs {accelerators} accelerators and {spare} are spare, so it waits until some are free"
        return Strategy(*surge, why)
    if wanted == "surge":
        return Strategy(*surge, "the new pod is ready before an old one goes, as asked")
    if wanted == "replace":
        return Strategy(
            *replace, "an old pod's accelerators are the new one's, as asked; one replica short meanwhile"
        )
    if lacking:
        short = f"{spare} of the {accelerators} accelerators that a new pod needs are spare"
        return Strategy(*replace, f"{short}: an old pod makes room first, one replica short meanwhile")
    if spare is None:
        why = f"the new pod is ready before an old one goes, if {accelerators} accelerators are spare"
        why += ", which is not known"
        return Strategy(*surge, why)
    return Strategy(*surge, f"{spare} accelerators are spare: the new pod is ready before an old one goes")


def start_deadline_s(phases: Sequence[Phase]) -> int:
    """Seconds after which a start is surely stuck: it is overdue, and its startup probe has given up."""
    return math.ceil(max(overdue_s(phases), float(probe_budget(phases).budget_s)))


def progress_deadline_s(phases: Sequence[Phase], drain_s: float, chosen: Strategy) -> int:
    """progressDeadlineSeconds: a rollout without progress for so long is stuck.

    A start that is overdue, or that its startup probe has given up; where the old pod makes room first, its drain
    comes before. 180 s that are 240 s in one start of ten are overdue after 480 s, so Kubernetes' own 600 s stand.
    """
    room_s = grace_s(drain_s) if chosen.max_surge == 0 else 0.0
    return max(LEAST_DEADLINE_S, math.ceil(start_deadline_s(phases) + room_s))
