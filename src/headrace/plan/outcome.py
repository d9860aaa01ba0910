"""What a way of running comes to on one history: whom it failed, what it cost, which streams it cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.decide.cut import Share
from headrace.simulate import compare
from headrace.simulate.fluid import Floats, Tally
from headrace.simulate.inputs import Setting, Traffic, inputs
from headrace.simulate.runner import Runner
from headrace.simulate.score import score
from headrace.spec import Rule


class Outcome(NamedTuple):
    """A run, judged. Figures are of all `days`."""

    name: str
    days: float
    minutes_over: float
    """Minutes in which demand was above what was ready."""
    requests_over: float
    """Demand above what was ready, in the unit of the demand times seconds (requests, for requests/s)."""
    over_ratio: float
    """The same over all demand, 0 to 1."""
    gpu_hours: float
    """Accelerator-hours paid, those of starting and draining replicas included."""
    cost_ratio: float
    """The same over those of a fleet that is always exactly what demand needs."""
    cut_streams: float
    """Streams cut by removals, at most (buckets leave room); NaN: not known, since nothing says how long requests
    take."""
    most_replicas: float
    """Most replicas that were paid at once, draining ones left out."""
    cut_streams_least: float = 0.0
    """The same, at least."""
    is_bound: bool = False


class Run(NamedTuple):
    """An outcome and the replicas behind it."""

    outcome: Outcome
    replicas: Floats
    """Ready, starting, draining, shape [3, ticks]; [3, 0] for a bound."""


class Streams(NamedTuple):
    """What turns removed replicas into cut streams."""

    slots: float
    """Requests that run at once on a replica whose share of demand is 1."""
    cut: Share
    """Share of the streams that run at a random moment and would run on for longer than the drain; NaN: not known."""


def run(
    name: str,
    runner: Runner,
    rule: Rule,
    setting: Setting,
    traffic: Traffic,
    streams: Streams,
    full: float = 0.0,
) -> Run:
    """A rule through a history.

    Args:
        name: For people.
        runner: Runs it.
        rule: The numbers.
        setting: The world, as the rule counts it.
        traffic: What comes.
        streams: What turns removals into cut streams.
        full: Demand that fills a replica, where that is not what the rule counts on; 0: it is.
    """
    tally, replicas = runner.traced(rule, setting, inputs(rule, setting, traffic))
    if full and full != setting.per_replica:
        setting = setting._replace(per_replica=full)
        lack = _lack(replicas[0], traffic.demand / full)
        tally = tally._replace(over_ticks=float(np.count_nonzero(lack)), over=float(lack.sum()))
    return Run(_outcome(name, tally, replicas, setting, traffic, streams), replicas)


def _lack(ready: Floats, demand: Floats) -> Floats:
    """Replicas that were missing at each tick; none where either is not known."""
    return np.nan_to_num(np.maximum(0.0, demand - ready), nan=0.0)


def seen(name: str, ready: Floats, setting: Setting, traffic: Traffic, streams: Streams) -> Run:
    """What was really ready, against the same demand: starts are not seen, and count from when they are ready.

    Args:
        name: For people.
        ready: Replicas, shape [ticks]; NaN: not known, and not judged.
        setting: For tick and capacity.
        traffic: What came.
        streams: As for `run`.
    """
    demand = np.where(np.isnan(ready), np.nan, traffic.demand) / setting.per_replica
    lack = _lack(ready, demand)
    known = ready[~np.isnan(ready)]
    tally = Tally(
        float(np.count_nonzero(lack)),
        float(lack.sum()),
        float(known.sum()),
        float(np.count_nonzero(np.diff(known))),
    )
    replicas = np.stack([ready, np.zeros(len(ready)), np.zeros(len(ready))])
    judged = traffic._replace(demand=demand * setting.per_replica)
    found = _outcome(name, tally, replicas, setting, judged, streams)
    # paid is only what was seen, so it is set against the demand of no more ticks than that
    mean = float(np.nanmean(demand)) if np.isfinite(demand).any() else 0.0
    cost_ratio = float(known.mean()) / mean if mean > 0.0 else np.nan
    return Run(found._replace(cost_ratio=cost_ratio), replicas)


def bound(setting: Setting, traffic: Traffic) -> Run:
    """The least that one could pay who knows the future and is never over."""
    least = compare.clairvoyant(setting, traffic)
    days = len(traffic.demand) * setting.tick_s / 86_400.0
    figures = (least.minutes_over, least.requests_over, least.over_ratio, least.gpu_hours, least.cost_ratio)
    return Run(
        Outcome("bound: knows the future", days, *figures, 0.0, np.nan, is_bound=True), np.zeros((3, 0))
    )


def _outcome(
    name: str, tally: Tally, replicas: Floats, setting: Setting, traffic: Traffic, streams: Streams
) -> Outcome:
    judged = score(name, tally, traffic.demand, setting)
    removed = removed_streams(replicas[0], traffic.demand / setting.per_replica, streams.slots)
    return Outcome(
        name,
        days=len(traffic.demand) * setting.tick_s / 86_400.0,
        minutes_over=judged.minutes_over,
        requests_over=judged.requests_over,
        over_ratio=judged.over_ratio,
        gpu_hours=judged.gpu_hours,
        cost_ratio=judged.cost_ratio,
        cut_streams=removed * streams.cut.high,
        most_replicas=float(np.nanmax(replicas[0] + replicas[1], initial=0.0)),
        cut_streams_least=removed * streams.cut.low,
    )


def removed_streams(ready: Floats, demand: Floats, slots: float) -> float:
    """Streams that ran on replicas when these were removed, in all.

    A removed replica carries its share of demand, at most its slots. A stream that runs at a random moment still runs
    N later with probability cut(N): long streams are met more often, and have more left. So the product is what is cut.

    Args:
        ready: Ready replicas, shape [ticks]; NaN: not known.
        demand: In replicas, shape [ticks].
        slots: Of a full replica.
    """
    if not len(ready):
        return 0.0
    removed = np.nan_to_num(np.maximum(0.0, -np.diff(ready)), nan=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        filled = np.minimum(1.0, demand[:-1] / ready[:-1])
    return float((removed * np.nan_to_num(filled, nan=0.0)).sum()) * slots
