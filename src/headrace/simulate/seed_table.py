"""The seed's table: its eight policies on the built-in day, the rule for a known curve, and both bounds below them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from headrace.decide import rules
from headrace.decide.headroom import start_delay_s, surge_gain
from headrace.simulate import bound, seed_day
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import Setting, Traffic, inputs, known_curve
from headrace.simulate.runner import Runner
from headrace.simulate.score import Score, bound_score, score
from headrace.simulate.seed_day import DaySurge
from headrace.spec import Rule, Surge

COLD_S, WARM_S, WAKE_S = 720.0, 180.0, 20.0
"""Start-up times: from a cold node, with weights at hand, from sleep."""
NAMED_SURGE = Surge(0.35, 300.0)
"""The class of surge that the known-curve rule is told to survive, whatever surge then comes."""


class Entry(NamedTuple):
    """One row before it is run."""

    name: str
    rule: Rule
    setting: Setting


def traffic(setting: Setting, surge: DaySurge | None = seed_day.SEED_SURGE) -> Traffic:
    """The built-in day with a surge, and its curve without one."""
    return known_curve(seed_day.seed_day(surge), seed_day.day_curve(), setting)


def seed_entries(setting: Setting, day: Traffic) -> list[Entry]:
    """The seed's eight policies. Fixed ones and start-up times are theirs, the rest is the setting's."""
    lag_s, tick_s = setting.lag_s, setting.tick_s

    def fixed(name: str, demand: Floats) -> Entry:
        count = int(np.ceil(float(np.nanmax(demand)) / setting.per_replica))
        held = setting._replace(least=count, most=count)
        return Entry(name, rules.fixed(), held)

    def reactive(name: str, startup_s: float) -> Entry:
        return Entry(name, rules.reactive(0.9), setting._replace(startup_s=startup_s))

    def predictive(name: str, startup_s: float, target: float = 0.9) -> Entry:
        return Entry(name, rules.predictive(target, lag_s, tick_s), setting._replace(startup_s=startup_s))

    return [
        fixed("fixed at surge peak", day.demand),
        fixed("fixed at the usual peak", day.curve[: len(day.demand)]),
        reactive("reactive, cold 12 min", COLD_S),
        reactive("reactive, warm 3 min", WARM_S),
        reactive("reactive, wake 20 s", WAKE_S),
        predictive("predictive + cold 12 min", COLD_S),
        predictive("predictive + warm 3 min", WARM_S),
        predictive("predictive + warm, 75% target", WARM_S, 0.75),
    ]


def known_curve_entries(setting: Setting) -> list[Entry]:
    """The rule for a known curve at the three start-up times."""
    entries = []
    for name, startup_s in (("cold 12 min", COLD_S), ("warm 3 min", WARM_S), ("wake 20 s", WAKE_S)):
        delay_s = start_delay_s(setting.lag_s, startup_s, setting.tick_s)
        rule = rules.known_curve(NAMED_SURGE, delay_s)
        entries.append(Entry(f"known curve, {name}", rule, setting._replace(startup_s=startup_s)))
    return entries


def run_entry(runner: Runner, entry: Entry, day: Traffic) -> Score:
    """The score of one row."""
    tally = runner.tally(entry.rule, entry.setting, inputs(entry.rule, entry.setting, day))
    return score(entry.name, tally, day.demand, entry.setting)


def bounds(setting: Setting, day: Traffic, start: str = "") -> list[Score]:
    """Both bounds at the setting's start-up time, which `start` may name (", warm 3 min")."""
    demand = day.demand / setting.per_replica
    curve = day.curve[: len(day.demand)] / setting.per_replica
    timing = setting.timing
    seen = bound.least_paid(bound.whole_demand(demand), timing)
    gain = surge_gain(NAMED_SURGE, setting.lag_s + setting.startup_s)
    survived = bound.least_paid(bound.surge_demand(demand, curve, gain), timing)
    return [
        bound_score(f"bound: survives +35 %/5 min{start}", survived, day.demand, setting),
        bound_score(f"bound: knows the future{start}", seen, day.demand, setting),
    ]


def seed_scores(
    runner: Runner, setting: Setting, surge: DaySurge | None = seed_day.SEED_SURGE
) -> Iterator[Score]:
    """The rows in order: the seed's eight, then for each start-up time the known-curve rule and the bounds."""
    day = traffic(setting, surge)
    for entry in seed_entries(setting, day):
        yield run_entry(runner, entry, day)
    for entry in known_curve_entries(setting):
        yield run_entry(runner, entry, day)
        yield from bounds(entry.setting, day, entry.name.removeprefix("known curve"))
