"""How long a drained replica holds its accelerators, and what a long grace period costs.

What is left of a stream that runs at a random moment takes longer than t with the chance cut(t) (`decide.cut`). Streams
end independently of one another, so of k of them one still runs after t with the chance 1 - (1 - cut(t))^k, and the
mean wait is the integral of that from 0 to N. The replica with the least work left is drained first, so a replica that
headrace chose holds its accelerators for less than this.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.cut import Share, cut_curve, cut_share
from headrace.decide.grace import GRACE_BEFORE_S, grace_s
from headrace.durations import Buckets, Durations

EXIT_S = 5.0
"""From the last stream's end until the pod is gone: an idle pod leaves about 25 s after its deletion, 20 of which are
the wait for the routers."""
NODE_DRAIN_S = 600.0
"""The cluster-autoscaler's own limit on how long it waits for a pod, by default."""


class Span(NamedTuple):
    """Figures between two bounds; both are the same where durations are exact."""

    low: float
    high: float


class Usage(NamedTuple):
    """What a fleet does with its replicas."""

    replicas: int
    streams: float
    """Running streams on a replica when it begins to drain, on average."""
    removals_per_day: float
    """Scale-downs of one replica each."""
    accelerators: int = 1
    """Accelerators per replica."""


class Hold(NamedTuple):
    """One occasion on which a grace period is waited for."""

    what: str
    wait_s: Span
    """The wait, on average."""
    most_s: float
    """The longest that it can take."""
    gpu_hours: Span
    """Accelerators held meanwhile, each time."""
    why: str


class GraceCost(NamedTuple):
    """What a grace period costs, by occasion."""

    removal: Hold
    """One replica removed by a scale-down."""
    rollout_step: Hold
    """One step of a rollout with maxSurge 0: the new replica waits for the old one's accelerators."""
    rollout: Hold
    """All steps of it, one after another."""
    recreate: Hold
    """A Recreate: the outage grows by the wait for the last stream of the last replica."""
    node_drain: Hold
    """A node drain or an eviction, per busy replica."""
    gpu_hours_per_day: Span
    """Of the removals."""
    cut_per_day: Span
    """Streams cut by the removals."""
    why: str


def busy_s(durations: Durations | Buckets, drain_s: float, streams: float) -> Span:
    """Mean seconds until the last of the running streams has ended, or N has passed.

    Exact to within the second that durations are kept to. Two streams of 10 s each that run at a random moment have 10
    s × 2 / 3 left until the later one ends: 6.7 s.

    Args:
        durations: Of recent requests.
        drain_s: N.
        streams: That run when the drain begins (>= 0; a mean need not be whole).
    """
    return _busy_s(durations, 0.0, drain_s, streams)


def held_s(
    durations: Durations | Buckets, drain_s: float, streams: float, before_s: float = GRACE_BEFORE_S
) -> Span:
    """Mean seconds from a replica's removal until its accelerators are free.

    Streams go on during the wait for the routers, so that one never adds to N in full: 20 s, then what is left of the
    longest stream after those 20 s but at most N, then 5 s to leave.
    """
    busy = _busy_s(durations, before_s, drain_s, streams)
    return Span(before_s + busy.low + EXIT_S, before_s + busy.high + EXIT_S)


def grace_cost(durations: Durations | Buckets, drain_s: float, usage: Usage) -> GraceCost:
    """What the grace period of N costs this fleet on each occasion, and by its scale-downs in a day."""
    each_s = held_s(durations, drain_s, usage.streams)
    all_s = held_s(durations, drain_s, usage.streams * usage.replicas)
    most_s, replicas, cards = grace_s(drain_s), usage.replicas, usage.accelerators
    removal = _hold(
        "a scale-down", each_s, most_s, cards, "the count drops at once, and its accelerators stay held"
    )
    step = _hold(
        "a rollout step with maxSurge 0",
        each_s,
        most_s,
        cards,
        "the new replica waits for the old one's accelerators before it starts",
    )
    steps_s = Span(replicas * each_s.low, replicas * each_s.high)
    rollout = _hold(
        f"a rollout of {replicas} with maxSurge 0",
        steps_s,
        replicas * most_s,
        cards,
        "one step waits for another",
    )
    recreate = _hold(
        "a Recreate",
        all_s,
        most_s,
        cards * replicas,
        "the outage grows by it: nothing starts before the last stream of the last replica has ended",
    )
    node = _hold("a node drain", each_s, most_s, cards, _node_drain(most_s))
    cut = _cut_per_day(cut_share(durations, drain_s), usage)
    per_day = Span(*(usage.removals_per_day * hours for hours in removal.gpu_hours))
    why = (
        f"{usage.removals_per_day:g} removals a day of replicas with {usage.streams:.3g} running streams hold"
        f" {_figures(per_day)} GPU-hours and cut {_figures(cut)} streams"
    )
    return GraceCost(removal, step, rollout, recreate, node, per_day, cut, why)


def _busy_s(durations: Durations | Buckets, from_s: float, length_s: float, streams: float) -> Span:
    """The integral of the chance that one of the streams still runs, over `length_s` seconds."""
    if length_s <= 0.0 or streams <= 0.0:
        return Span(0.0, 0.0)
    if not durations.count > 0:
        return Span(0.0, length_s)
    at_s = np.append(np.arange(from_s, from_s + length_s, 1.0), from_s + length_s)
    low, high = (_integral(1.0 - (1.0 - cut) ** streams, at_s) for cut in cut_curve(durations, at_s))
    return Span(low, high)


def _integral(values: NDArray[np.float64], at_s: NDArray[np.float64]) -> float:
    return float(np.sum((values[1:] + values[:-1]) * np.diff(at_s)) / 2.0)


def _hold(what: str, wait_s: Span, most_s: float, accelerators: int, consequence: str) -> Hold:
    hours = Span(wait_s.low * accelerators / 3600.0, wait_s.high * accelerators / 3600.0)
    why = (
        f"{what} waits {_figures(wait_s)} s on average and {most_s:,.0f} s at most, {_figures(hours)} GPU-hours:"
        f" {consequence}"
    )
    return Hold(what, wait_s, most_s, hours, why)


def _node_drain(most_s: float) -> str:
    if most_s <= NODE_DRAIN_S:
        return "evictions wait for it replica by replica"
    return (
        f"a cluster-autoscaler waits {NODE_DRAIN_S:g} s for a pod unless told otherwise"
        " (--max-graceful-termination-sec), and then cuts what is left"
    )


def _cut_per_day(cut: Share, usage: Usage) -> Span:
    ended = usage.removals_per_day * usage.streams
    return Span(ended * cut.low, ended * cut.high)


def _figures(span: Span) -> str:
    low, high = _figure(span.low), _figure(span.high)
    return high if low == high else f"{low} to {high}"


def _figure(value: float) -> str:
    digits = 0 if value >= 100.0 else max(0, 1 - math.floor(math.log10(value))) if value > 0.0 else 0
    return f"{value:,.{min(digits, 3)}f}"
