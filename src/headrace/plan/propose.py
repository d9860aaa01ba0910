"""A plan for one model: each number in its turn, since each rests on those before it.

::

    durations ── N, grace          occupancy ── target ── what a replica serves ── demand in replicas
    start-up ─── probe                                                                   │
                                                  the past, replayed ── headroom ── most replicas ── max
                                                  queues ── floor ── min
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from headrace.decide import startup
from headrace.decide.headroom import start_delay_s
from headrace.decide.hold import GraceCost, Usage, grace_cost
from headrace.errors import InputError
from headrace.plan import expected, numbers, outcome
from headrace.plan.ask import Ask, Today
from headrace.plan.basis import MOST_REPLICAS, basis, cut, paid_s, streams
from headrace.plan.held import headroom, rule_with
from headrace.plan.margins import margin, seen_while_full
from headrace.plan.outcome import Run, Streams
from headrace.plan.proposal import Basis, Proposal
from headrace.plan.quality import quality
from headrace.plan.replica import serves
from headrace.plan.size import half
from headrace.plan.windows import LEAST_MEAN
from headrace.series import Series, between, known_mean
from headrace.simulate import compare, ticks
from headrace.simulate.inputs import Setting, Traffic, after
from headrace.simulate.runner import Runner
from headrace.spec import ModelFleet
from headrace.units import span_text

HEADROOM_STEP = 0.01
"""Headroom is written with two digits, rounded up."""
LEAST_RATE, MOST_RATE = 0.001, 100_000.0
"""Requests per second of a replica, as a fleet's file allows."""
Tell = Callable[[float], None]


def proposal(ask: Ask, runner: Runner, tell: Tell = lambda share: None) -> Proposal:
    """The numbers to run with, and what they would have done.

    Args:
        ask: The model.
        runner: Runs the simulations.
        tell: Called with the finished share, 0 to 1.

    Raises:
        InputError: Nothing says what a replica serves, nothing comes on the days to judge, or far too much for what
            a replica serves.
    """
    base = basis(ask)
    setting = base.setting
    tell(0.05)
    series = ask.demand
    whole = expected.traffic(series.values, setting, start_s=series.start_s, calendar=ask.calendar)
    judged, traffic = judged_days(ask, whole, setting)
    held = headroom(ask, whole, setting, runner)
    tell(0.35)
    rule = rule_with(held.fleet, _rounded(held.found.headroom), setting)
    proposed = outcome.run("proposed", runner, rule, setting, traffic, streams(ask, base))
    today = None if ask.today is None else todays(ask, ask.today, base, traffic, judged, runner)
    tell(0.5)
    fleet = _fleet(ask, held.fleet, base, rule.headroom, _ceiling(ask, proposed, judged))
    cost = _grace_cost(ask, base, proposed, judged)
    delay_s = start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s)
    tried = quality(ask.past.demand, delay_s, calendar=ask.calendar)
    tell(0.7)
    smaller = half(ask, rule, proposed, setting, traffic, runner)
    tell(0.9)
    best = outcome.bound(setting, traffic)
    probe = startup.probe_budget(ask.fleet.start.phases)
    told = numbers.Told(
        ask, fleet, base, held.found, held.for_surge, cost, probe, tried, smaller, proposed, judged
    )
    tell(1.0)
    return _proposal(told, traffic, today, best)


def _proposal(told: numbers.Told, traffic: Traffic, today: Run | None, best: Run) -> Proposal:
    found = told.found
    return Proposal(
        ask=told.ask,
        fleet=told.fleet,
        numbers=numbers.numbers(told),
        tuned=found,
        base=told.base,
        probe=told.probe,
        quality=told.tried,
        traffic=traffic,
        judged=told.judged,
        today=today,
        proposed=told.proposed,
        bound=best,
        notes=(
            *told.ask.notes,
            *told.base.kv.notes,
            *seen_while_full(told.ask.past),
            *((found.fallback,) if found.fallback else ()),
        ),
    )


def _rounded(number: float) -> float:
    """Two digits, and never below none: a fleet of one or two replicas keeps any target at less."""
    return round(math.ceil(max(0.0, number) / HEADROOM_STEP - 1e-9) * HEADROOM_STEP, 2)


def judged_days(ask: Ask, whole: Traffic, setting: Setting) -> tuple[Series, Traffic]:
    """What is judged: everything after the days that are only learned from.

    Raises:
        InputError: Nothing comes in them.
    """
    learned_s = ticks.learned_s(ask.demand.span_s)
    learned_s += ticks.gap_s(ask.demand, learned_s)
    start_s = ask.demand.start_s
    judged = between(ask.demand, start_s + learned_s, start_s + ask.demand.span_s)
    if not known_mean(judged) >= LEAST_MEAN:
        raise InputError(
            ask.past.name,
            f"demand is zero, next to nothing or not known in the {span_text(judged.span_s)} to judge",
        )
    return judged, after(whole, round(learned_s / setting.tick_s))


def todays(
    ask: Ask, today: Today, base: Basis, traffic: Traffic, judged: Series, runner: Runner
) -> Run | None:
    """What runs today, on the same days, against what fills a replica.

    Where no backlog was seen to begin, today's replicas are full when all of their slots are taken: the cautious guess
    that a plan makes for want of samples is no reason to say that today fails. None: replicas were seen, but not then.
    """
    own, each = serves(ask, today.target_ratio, base.kv), base.each
    full = each if base.goal.sees_backlog or ask.target_ratio is not None else own
    here = base.setting._replace(
        per_replica=own.demand,
        drain_s=paid_s(ask, today.drain_s, own),
        least=today.least,
        most=today.most,
    )
    ended = Streams(full.slots, cut(ask, today.drain_s))
    if today.policy is None:
        assert today.ready is not None
        ready = between(today.ready, judged.start_s, judged.start_s + judged.span_s).values
        row = np.full(len(judged), np.nan)
        row[: len(ready)] = ready[: len(row)]
        if np.isnan(row).all():
            return None
        return outcome.seen(today.name, row, here._replace(per_replica=full.demand), traffic, ended)
    made = compare.trial(today.policy, today.headroom, here, traffic)
    return outcome.run(today.name, runner, made.rule, made.setting, traffic, ended, full.demand)


def _ceiling(ask: Ask, proposed: Run, judged: Series) -> int:
    if ask.most is not None:
        return ask.most
    most = math.ceil(proposed.outcome.most_replicas * (1.0 + margin(judged, ask.fleet.scale.surge)) - 1e-9)
    return min(MOST_REPLICAS, most)


def _grace_cost(ask: Ask, base: Basis, proposed: Run, judged: Series) -> GraceCost | None:
    if ask.past.durations is None:
        return None
    ready = proposed.replicas[0]
    replicas = float(ready.mean())
    used = min(1.0, known_mean(judged) / base.each.demand / max(replicas, 1e-9))
    usage = Usage(
        replicas=max(1, round(replicas)),
        streams=used * base.each.slots,
        removals_per_day=round(float(np.maximum(0.0, -np.diff(ready)).sum()) / proposed.outcome.days, 1),
        accelerators=ask.fleet.capacity.accelerators,
    )
    return grace_cost(ask.past.durations, base.ending.drain_s, usage)


def _fleet(ask: Ask, known: ModelFleet, base: Basis, number: float, most: int) -> ModelFleet:
    """The fleet as a file can say it."""
    scale = replace(
        known.scale,
        min_replicas=min(base.setting.least, most),
        max_replicas=most,
        target_ratio=base.goal.ratio,
        drain_s=base.ending.drain_s,
        rule=known.scale.rule._replace(headroom=number),
    )
    capacity = known.capacity
    if ask.past.demand.unit == "requests/s" and capacity.requests_per_s is None:
        # so that whoever reads the file can set it against such a history
        rate = float(f"{base.each.demand / base.goal.ratio:.6g}")
        if LEAST_RATE <= rate <= MOST_RATE:
            capacity = replace(capacity, requests_per_s=rate)
    return replace(known, capacity=capacity, scale=scale)
