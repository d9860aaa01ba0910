"""What a forecast is worth to the scaler: rules and curves tuned by replay, and at equal service in hindsight.

Two questions, on ten real demand histories at two start-up times and two fleet sizes:

1. *Is the target kept?* Every day headroom is tuned by replay of the past seven days (`simulate.tune`'s search, a
   third of the target), and judged on the day after, over the second week and later: the share of requests over
   against the target that was asked for. Peers are tuned by the same replay.
2. *What does it cost?* Headroom swept in hindsight on the judged span: accelerator-hours over those of mean demand,
   where each rule fails equally few requests, beside the bound of one who knows the future.

Histories, holes, noise and what is paid are those of `real_demand.py`. The budget, the shapes and the forecaster's
window were chosen on draws 1 and 2; draws 31, 32 and 33 judge, and were run once, after that.

Run: python benchmarks/curves.py [--data FOLDER] [--seeds 31,32,33] [--replicas 60,8] [--quick]
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from headrace.decide import rules
from headrace.observe.history import read_demand
from headrace.series import Series, between
from headrace.simulate import compare, outlook, policies, shapes, sweep
from headrace.simulate.fluid import Floats, Inputs
from headrace.simulate.inputs import DAY_S, WEEK_S, Setting, Traffic, after, inputs, past_curve
from headrace.simulate.number import HIGHEST, Search
from headrace.simulate.runner import Runner
from headrace.simulate.score import cost_ratio
from headrace.simulate.split import Split, at_number, left_of, split
from headrace.simulate.tune import BUDGET_RATIO
from headrace.simulate.week import Shape, Week
from headrace.spec import Rule

MAIN = {
    "nab_nyc_taxi": 28,
    "taylor_halfhourly_electricity": 28,
    "servegen_m_large_10min_total": 14,
    "servegen_m_large_10min_diurnal_clients": 14,
    "servegen_m_mid_10min_total": 14,
    "servegen_m_mid_10min_diurnal_clients": 14,
}
SPIKY = {
    "crane_input1_1min": 16,
    "crane_input2_1min": 16,
    "crane_input11_1min": 16,
    "nab_grok_asg_anomaly": 16,
}
STARTUPS_S = (180.0, 720.0)
TARGETS = (0.001, 0.0001)
EVERY_S = DAY_S
"""Headroom is tuned anew each day."""
SETTING = Setting(drain_s=sweep.DRAIN_S, per_replica=1.0, accelerators=1)
TraffickedBy = Callable[[Floats, Setting], Traffic]


class Way(NamedTuple):
    """A rule and the curve that it reads."""

    name: str
    shape: Shape
    traffic: TraffickedBy
    is_ours: bool


def _unexpecting(headroom: float, setting: Setting) -> Rule:
    return rules.real_demand(setting.startup_s, headroom)._replace(curve_weight=0.0)


def _peer(policy: policies.Policy) -> Shape:
    return Shape(policy.name, policy.rule)


NO_CURVE = Shape("persistence", _unexpecting)
WAYS = (
    Way("persistence", NO_CURVE, outlook.persistence, True),
    Way("last week", shapes.DEFAULT, outlook.last_week, True),
    Way("past weeks", shapes.DEFAULT, past_curve, True),
    Way("forecast", shapes.DEFAULT, outlook.forecast, True),
    *(Way(f"past weeks, {shape.name}", shape, past_curve, True) for shape in shapes.SHAPES[1:]),
    Way("hpa", _peer(policies.HPA), outlook.persistence, False),
    Way("seed reactive", _peer(policies.REACTIVE), outlook.persistence, False),
    Way("seed predictive", _peer(policies.PREDICTIVE), outlook.last_week, False),
)
CURVES = ("persistence", "last week", "past weeks", "forecast")
"""Ours, whose curve alone differs."""
PEERS = ("hpa", "seed reactive", "seed predictive")


class Place(NamedTuple):
    """One history in one place of the table."""

    history: str
    seed: int
    replicas: float
    startup_s: float


class Outcome(NamedTuple):
    """What one way came to there at one target; NaN: it cannot keep it."""

    kept_ratio: float
    """Share over on the judged span, tuned on the past only."""
    online_cost: float
    """Accelerator-hours over those of mean demand, tuned on the past only."""
    cost: float
    """The same at equal service, swept in hindsight."""


Found = dict[tuple[Place, str, float], Outcome]
BOUND = "bound: knows the future"


def history(folder: Path, name: str, days: int) -> Series:
    """The first days of a history."""
    series = read_demand(folder / f"{name}.csv", step_s=SETTING.tick_s).series
    return between(series, series.start_s, series.start_s + days * DAY_S)


def part(whole: Split, first: int, after_last: int) -> Split:
    """Some ticks of a history under a rule, a view."""
    ticks = slice(first, after_last)
    return whole._replace(
        inputs=Inputs(*(column[ticks] for column in whole.inputs)),
        ahead=whole.ahead[ticks],
        unit=whole.unit[ticks],
    )


def tuned_number(runner: Runner, days: Split, target: float) -> float:
    """The number that replay of some days finds; the most there is where no number keeps the target."""
    allowed = BUDGET_RATIO * target * float(days.inputs.demand.sum())
    week = Week(days, runner)
    number = week.smallest(Search(allowed))
    if number is None:
        number = week.smallest(Search(allowed + week.outcome(HIGHEST).over))
    return HIGHEST if number is None else number


def online(runner: Runner, whole: Split, judged_from: int, target: float) -> tuple[float, float]:
    """Share over and cost of the judged span, run in one go with headroom tuned anew each day on the past."""
    setting = whole.setting
    every, week, day = (round(span / setting.tick_s) for span in (EVERY_S, WEEK_S, DAY_S))
    judged = part(whole, judged_from, len(whole.ahead))
    wanted = np.empty(len(judged.ahead))
    for first in range(judged_from, len(whole.ahead), every):
        number = tuned_number(runner, part(whole, max(day, first - week), first), target)
        block = part(whole, first, min(first + every, len(whole.ahead)))
        rule, read = at_number(block, number)
        floor = rule.floor_gain * block.inputs.floor_peak if rule.floor_gain > 0.0 else -np.inf
        wanted[first - judged_from : first - judged_from + every] = np.maximum(read.seen, floor)
    rule = left_of(whole.rule(0.0, setting))._replace(floor_gain=0.0)
    tally = runner.tally(rule, setting, judged.inputs._replace(seen=wanted))
    demand = judged.inputs.demand
    return tally.over / float(demand.sum()), cost_ratio(tally.paid, demand, setting)


def hindsight(runner: Runner, judged: Split, target: float) -> float:
    """Cost of the judged span at the smallest number that keeps the target there."""
    week = Week(judged, runner)
    number = week.smallest(Search(target * float(judged.inputs.demand.sum()), highest=40.0))
    if number is None:
        return math.nan
    return cost_ratio(week.tally(number).paid, judged.inputs.demand, judged.setting)


def outcomes(
    runner: Runner, place: Place, demand: Floats, ways: Iterable[Way], targets: Iterable[float]
) -> Found:
    """Every way in one place, and the bound."""
    setting = SETTING._replace(startup_s=place.startup_s)
    found: Found = {}
    judged_from = round(WEEK_S / setting.tick_s)
    traffics: dict[TraffickedBy, Traffic] = {}
    ahead: dict[tuple[TraffickedBy, float], Floats] = {}
    for way in ways:
        if way.traffic not in traffics:
            traffics[way.traffic] = way.traffic(demand, setting)
        rule = way.shape.rule(HIGHEST, setting)
        read = inputs(rule, setting, traffics[way.traffic])
        # the ways of ours that read one curve differ in how they carry demand along it by its weight alone
        whole = split(way.shape.rule, setting, read, ahead.get((way.traffic, rule.curve_weight)))
        if way.is_ours:
            ahead[way.traffic, rule.curve_weight] = whole.ahead
        judged = part(whole, judged_from, len(demand))
        for target in targets:
            kept, cost = online(runner, whole, judged_from, target)
            found[place, way.name, target] = Outcome(kept, cost, hindsight(runner, judged, target))
    bound = compare.clairvoyant(setting, after(past_curve(demand, setting), judged_from))
    for target in targets:
        found[place, BOUND, target] = Outcome(0.0, bound.cost_ratio, bound.cost_ratio)
    return found


def mean_cost(
    found: Found, places: list[Place], name: str, target: float, *, is_online: bool = False
) -> float:
    """Geometric mean over places; NaN if one fails."""
    rows = [found[place, name, target] for place in places]
    costs = [row.online_cost if is_online else row.cost for row in rows]
    return math.exp(sum(math.log(cost) for cost in costs) / len(costs))


def best_per_history(found: Found, places: list[Place], names: list[str], target: float) -> float:
    """Geometric mean of each place's cheapest rule, chosen in hindsight."""
    logs = []
    for place in places:
        costs = [found[place, name, target].cost for name in names]
        logs.append(math.log(min(cost for cost in costs if math.isfinite(cost))))
    return math.exp(sum(logs) / len(logs))


def histories_kept(found: Found, places: list[Place], name: str, target: float) -> int:
    """Histories whose mean share over, over all draws, is within the target."""
    names = {place.history for place in places}
    return sum(
        float(np.mean([found[p, name, target].kept_ratio for p in places if p.history == each])) <= target
        for each in names
    )


def show(found: Found, replicas: float, startup_s: float) -> None:
    """Print one fleet size at one start-up time."""
    here = [place for place in dict.fromkeys(key[0] for key in found) if place[2:] == (replicas, startup_s)]
    targets = sorted({key[2] for key in found}, reverse=True)
    names = list(dict.fromkeys(key[1] for key in found))
    print(f"\n{replicas:g} replicas of mean demand, {startup_s:g} s of start-up")
    for target in targets:
        show_means(found, here, names, target)
    for target in targets:
        print(
            f"  {100 * target:g} %: share over when tuned on the past, in % of requests; cost at equal service"
        )
        shown = [name for name in (*CURVES, *PEERS, BOUND) if name in names]
        print(" " * 40 + "".join(f"{name[:14]:>16}" for name in shown))
        for each in dict.fromkeys(place.history for place in here):
            rows = [place for place in here if place.history == each]
            cells = []
            for name in shown:
                of = [found[place, name, target] for place in rows]
                kept = 100.0 * float(np.mean([outcome.kept_ratio for outcome in of]))
                cells.append(f"{kept:7.4f} {mean_cost(found, rows, name, target):6.3f}")
            print(f"    {each[:36]:<36}" + "".join(f"{cell:>16}" for cell in cells))


def show_means(found: Found, here: list[Place], names: list[str], target: float) -> None:
    """Print every way at one target: how many histories keep it, the worst of them, and what it costs."""
    main = [place for place in here if place.history in MAIN]
    histories = len({place.history for place in here})
    print(
        f"  at most {100 * target:g} % over: histories of {histories} that keep it tuned on the past, worst share,"
    )
    print("  geometric mean of the main histories' cost tuned on the past, and at equal service in hindsight")
    for name in names:
        worst = 100.0 * max(found[place, name, target].kept_ratio for place in here)
        kept = histories_kept(found, here, name, target)
        online_cost = mean_cost(found, main, name, target, is_online=True)
        cost = mean_cost(found, main, name, target)
        print(f"    {name:<28}{kept:>3} {worst:8.4f} %  {online_cost:6.3f}  {cost:6.3f}")
    least = best_per_history(found, main, [name for name in names if name != BOUND], target)
    ours = min((mean_cost(found, main, name, target), name) for name in CURVES if name in names)
    print(
        f"    best rule per history in hindsight {least:.3f}; best of ours {ours[0]:.3f} ({ours[1]}): "
        f"{100 * (ours[0] / least - 1):.1f} % more"
    )


def main() -> None:
    """Run what is asked and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    default = os.environ.get("HEADRACE_DATA") or str(Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--seeds", default="31,32,33")
    parser.add_argument("--replicas", default="60,8")
    parser.add_argument("--startups", default="180,720")
    parser.add_argument(
        "--quick", action="store_true", help="one draw, 60 replicas, 180 s, the curves and the HPA"
    )
    options = parser.parse_args()
    folder = options.data / "demand"
    if not folder.is_dir():
        print(
            f"{folder} is not there: this benchmark needs the real demand histories (--data names their folder)"
        )
        return
    seeds = [int(each) for each in options.seeds.split(",")]
    sizes = [float(each) for each in options.replicas.split(",")]
    startups = [float(each) for each in options.startups.split(",")]
    ways = WAYS
    if options.quick:
        seeds, sizes, startups = seeds[:1], [60.0], [180.0]
        ways = tuple(way for way in WAYS if way.name in (*CURVES, "hpa"))
    runner = Runner()
    found: Found = {}
    for replicas, startup_s in itertools.product(sizes, startups):
        for name, days in {**MAIN, **SPIKY}.items():
            series = history(folder, name, days)
            for seed in seeds:
                place = Place(name, seed, replicas, startup_s)
                demand = sweep.demand_at(series, replicas, SETTING.tick_s, seed)
                found |= outcomes(runner, place, demand, ways, TARGETS)
                print(f"  {place}", file=sys.stderr, flush=True)
        show(found, replicas, startup_s)


if __name__ == "__main__":
    main()
