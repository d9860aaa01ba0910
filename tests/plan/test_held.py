"""Headroom for a class of surge: the cheaper of a rule that is told of it and of headroom alone, and it survives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tests.plan.asks import MONDAY_S, OF_DAY, ask, demand, fleet, runner

from headrace.plan import expected, held
from headrace.plan.ask import Ask
from headrace.plan.basis import basis
from headrace.series import Series
from headrace.simulate import surges
from headrace.simulate.inputs import Setting, Traffic, inputs
from headrace.simulate.tune import replayed, tuned_for_surge
from headrace.simulate.week import Shape
from headrace.spec import Rule, Surge

SURGE = Surge(0.35, 600.0)


def restless(days: float = 3.0) -> Ask:
    """A few slots, a fifth of which come and go from one minute to the next; decided on every minute."""
    random = np.random.default_rng(3).uniform(0.8, 1.2, round(days * 1_440))
    course = 1.0 - 0.9 * np.cos(np.arange(len(random)) * 2.0 * np.pi / 1_440)
    known = fleet(surge=Surge(0.35, 300.0), startup_s=120.0)
    known = replace(known, scale=replace(known.scale, tick_s=60.0))
    return ask(Series(MONDAY_S, 60.0, 600.0 * course * random, "slots"), known)


def calm(days: float = 4.0) -> Series:
    """Each day as the one before."""
    series = demand(days)
    course = 1.0 - 0.5 * np.cos(np.arange(len(series)) * 2.0 * np.pi / OF_DAY)
    return replace(series, values=600.0 * course)


def world(one: Ask) -> tuple[Setting, Traffic]:
    setting = basis(one).setting
    return setting, expected.traffic(one.demand.values, setting)


def over(rule: Rule, past: Traffic, demanded: NDArray[np.float64], setting: Setting) -> NDArray[np.bool_]:
    """The ticks at which a rule has too little."""
    read = inputs(rule, setting, past._replace(demand=demanded))
    _, replicas = runner().traced(rule, setting, read)
    return np.asarray(read.demand > replicas[0])


def test_on_restless_demand_headroom_alone_is_taken_and_survives_the_surge() -> None:
    one = restless()
    surge = one.fleet.scale.surge
    assert surge is not None
    setting, whole = world(one)
    found = held.headroom(one, whole, setting, runner())
    assert found.fleet.scale.surge is None
    told = Shape("told", lambda number, here: held.rule_with(one.fleet, number, here))
    dear = tuned_for_surge(whole, setting, surge, shapes=(told,), runner=runner())
    assert found.found.cost_ratio < dear.cost_ratio * (1.0 - held.WORTH_RATIO)
    rule, past = held.rule_with(found.fleet, found.found.headroom, setting), replayed(whole, setting)
    assert past is not None
    usual = over(rule, past, past.demand, setting)
    for hour in range(1, 13):
        demanded, during = surges.surged(past.demand, surge, setting, hour, 12)
        assert not (over(rule, past, demanded, setting) & during & ~usual).any()


def test_on_a_known_curve_the_rule_is_told_of_the_surge() -> None:
    one = ask(calm(), fleet(surge=SURGE, startup_s=60.0))
    setting, whole = world(one)
    found = held.headroom(one, whole, setting, runner())
    assert found.fleet.scale.surge == SURGE
    alone = tuned_for_surge(
        whole,
        setting,
        SURGE,
        shapes=(Shape("alone", lambda number, _: one.fleet.scale.rule._replace(headroom=number)),),
        runner=runner(),
    )
    assert found.found.cost_ratio < alone.cost_ratio


def test_without_a_past_to_replay_the_surge_stays_named() -> None:
    one = ask(demand(1), fleet(surge=SURGE))
    setting, whole = world(one)
    found = held.headroom(one, whole, setting, runner())
    assert found.fleet.scale.surge == SURGE
    assert found.found.days == 0.0
