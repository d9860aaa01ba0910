"""How much headroom a plan holds: the smallest that keeps the target, and survives a class of surge if one is named."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from headrace.decide import rules
from headrace.decide.headroom import start_delay_s
from headrace.plan.ask import Ask
from headrace.plan.margins import caution
from headrace.simulate.inputs import Setting, Traffic
from headrace.simulate.runner import Runner
from headrace.simulate.tune import Tuned, tuned, tuned_for_surge
from headrace.simulate.week import Shape
from headrace.spec import ModelFleet, Rule

WORTH_RATIO = 0.01
"""A named class of surge is left in the fleet's file unless headroom alone survives it for so much less."""


class Held(NamedTuple):
    """The headroom that was found, and the fleet whose rule it belongs to."""

    found: Tuned
    for_surge: bool
    """True: the surge asked for more than the target."""
    fleet: ModelFleet
    """As known, or without the named class of surge where headroom alone survives it for less."""


def headroom(ask: Ask, whole: Traffic, setting: Setting, runner: Runner) -> Held:
    """The smallest headroom that keeps the target on the past days, and survives the named class of surge.

    A rule that is told of a surge holds a floor for it and carries on the slope of what it sees, which noisy demand
    makes dear; headroom alone may survive the same surge for less (on four histories, 180 s of start-up and +35 % in
    five minutes, for 5, 8, 17 and 61 % less). Both are tried, and the cheaper one is taken.

    Args:
        ask: The model.
        whole: All of its past.
        setting: The world.
        runner: Runs it.
    """
    named = _held(ask, ask.fleet, whole, setting, runner)
    if ask.fleet.scale.surge is None or not named.found.days:
        return named
    alone = replace(ask.fleet, scale=replace(ask.fleet.scale, surge=None))
    other = _held(ask, alone, whole, setting, runner)
    return other if _beats(other.found, named.found) else named


def _beats(alone: Tuned, named: Tuned) -> bool:
    """Whether headroom alone survives where the named class does not, or for less."""
    if bool(alone.fallback) != bool(named.fallback):
        return not alone.fallback
    return alone.cost_ratio < named.cost_ratio * (1.0 - WORTH_RATIO)


def rule_with(fleet: ModelFleet, number: float, setting: Setting) -> Rule:
    """The fleet's rule at a headroom; above it what its named class of surge takes."""
    rule = fleet.scale.rule._replace(headroom=number)
    if fleet.scale.surge is None:
        return rule
    delay_s = start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s)
    return rules.surviving(rule, fleet.scale.surge, delay_s)


def _held(ask: Ask, fleet: ModelFleet, whole: Traffic, setting: Setting, runner: Runner) -> Held:
    """The greater of what the target and what the surge that was asked for takes, under one fleet's rule."""
    surge, over_ratio = ask.fleet.scale.surge, ask.fleet.slo.over_ratio
    shape = Shape("default", lambda number, here: rule_with(fleet, number, here))
    usual = tuned(whole, setting, over_ratio * caution(ask.demand), shapes=(shape,), runner=runner)
    if surge is None:
        return Held(usual, False, fleet)
    survives = tuned_for_surge(whole, setting, surge, shapes=(shape,), runner=runner)
    for_surge = survives.headroom > usual.headroom
    return Held(survives if for_surge else usual, for_surge, fleet)
