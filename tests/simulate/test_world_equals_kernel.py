"""`step` over single replicas gives the fluid loop's replica counts at every tick: what is simulated is what runs.

The seed's eight policies on the built-in day, and 50 random rules in random worlds: hand-written and drawn from the
whole family, with gaps in the demand, drains that are undone, windows, timers, tolerance and synchronisation.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.decide import rules
from headrace.decide.headroom import start_delay_s, surge_gain
from headrace.simulate import seed_table
from headrace.simulate.fluid import Floats, Inputs, Tally
from headrace.simulate.inputs import Setting, Traffic, inputs
from headrace.simulate.runner import Runner
from headrace.simulate.world import World, run
from headrace.spec import Capacity, ModelFleet, Phase, Rule, Scale, Start, Surge

SLOTS = 256
"""A power of two, so that slots and replicas convert without rounding and counts can be compared exactly."""
SEED_SETTING = Setting()
DAY = seed_table.traffic(SEED_SETTING)
KERNEL = Runner(interpret=True)


def fleet_of(rule: Rule, setting: Setting, surge: Surge | None = None) -> ModelFleet:
    """The spec of a fleet that lives in the setting."""
    timing = setting.timing
    startup_s = timing.start_ticks * timing.tick_s
    return ModelFleet(
        name="m",
        capacity=Capacity(slots=SLOTS),
        scale=Scale(
            min_replicas=setting.least,
            max_replicas=max(setting.least, setting.most),
            lag_s=timing.lag_ticks * timing.tick_s,
            tick_s=timing.tick_s,
            drain_s=max(timing.tick_s, timing.drain_ticks * timing.tick_s),
            rule=rule,
            surge=surge,
        ),
        start=Start(phases=(Phase("start-up", startup_s, 1.2 * startup_s),)),
    )


def world_run(fleet: ModelFleet, setting: Setting, read: Inputs) -> tuple[Tally, Floats]:
    ran = run(World(fleet, setting.timing, read))
    return ran.tally, np.array(ran.counts, dtype=np.float64).T


def assert_equal(fleet: ModelFleet, rule: Rule, setting: Setting, read: Inputs) -> Floats:
    """Both runs have the same counts; returns them."""
    expected, trace = KERNEL.traced(rule, setting, read)
    tally, counts = world_run(fleet, setting, read)
    differing = np.flatnonzero((counts != trace).any(axis=0))
    first = int(differing[0]) if differing.size else -1
    assert first == -1, (
        f"tick {first}: step has {counts[:, first]}, the kernel {trace[:, first]} of {rule}, {setting}"
    )
    assert tally.over_ticks == expected.over_ticks
    assert math.isclose(tally.over, expected.over, rel_tol=1e-9, abs_tol=1e-9)
    assert tally.paid == expected.paid
    assert tally.events == expected.events
    return trace


@pytest.mark.parametrize("entry", seed_table.seed_entries(SEED_SETTING, DAY), ids=lambda entry: entry.name)
def test_seed_policies(entry: seed_table.Entry) -> None:
    read = inputs(entry.rule, entry.setting, DAY)
    trace = assert_equal(fleet_of(entry.rule, entry.setting), entry.rule, entry.setting, read)
    assert entry.name.startswith("fixed") == (np.ptp(trace[0]) == 0)


@pytest.mark.parametrize("drain_s", [0.0, 300.0])
def test_a_named_surge_is_the_rule_of_a_known_curve(drain_s: float) -> None:
    """The spec's class of surge raises the floor to what the known-curve rule has."""
    setting = SEED_SETTING._replace(drain_s=drain_s)
    surge = seed_table.NAMED_SURGE
    delay_s = start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s)
    rule = rules.known_curve(surge, delay_s)
    assert rule.floor_gain == surge_gain(surge, delay_s) > 1.0
    fleet = fleet_of(rule._replace(floor_gain=0.5), setting, surge)
    # from 07:00 to 17:00, with the arrival at 09:00 and the surge at 15:00
    hours = Inputs(*(column[7 * 360 : 17 * 360] for column in inputs(rule, setting, DAY)))
    assert_equal(fleet, rule, setting, hours)


def random_rule(random: np.random.Generator, setting: Setting) -> Rule:
    """A rule from anywhere in the family; every number takes a value that does something about half of the time."""
    named = [
        rules.reactive(random.uniform(0.6, 1.0)),
        rules.predictive(random.uniform(0.6, 1.0), setting.lag_s, setting.tick_s),
        rules.hpa(random.uniform(0.6, 1.0)),
        rules.known_curve(
            Surge(random.uniform(0.1, 0.6), random.uniform(30.0, 900.0)),
            start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s),
        ),
        rules.real_demand(setting.startup_s, random.uniform(-0.2, 2.0)),
    ]
    rule = named[random.integers(len(named))]
    if random.random() < 0.3:
        return rule
    tick_s = setting.tick_s
    changes = {
        "floor_gain": random.choice([0.0, random.uniform(0.1, 1.5)]),
        "curve_weight": random.choice([0.0, 0.5, 1.0, random.uniform(0.0, 1.0)]),
        "curve_softening": random.uniform(0.01, 0.2),
        "samples": int(random.integers(1, 9)),
        "slope_gain": random.choice([0.0, random.uniform(0.0, 1.0)]),
        "floor_exponent": random.choice([1.0, 0.5, random.uniform(0.0, 1.0)]),
        "noise": random.choice([0.0, random.uniform(0.0, 0.2)]),
        "ceiling_gain": random.choice([math.inf, random.uniform(0.5, 2.0)]),
        "headroom": random.uniform(-0.2, 1.5),
        "exponent": random.choice([0.0, 0.5, 1.0, random.uniform(0.0, 1.0)]),
        "on_curve": bool(random.random() < 0.5),
        "tolerance": random.choice([0.0, 0.1, random.uniform(0.0, 0.3)]),
        "sync_s": random.choice([0.0, 1.5 * tick_s, 3.0 * tick_s]),
        "down_window_s": float(random.integers(0, 40)) * tick_s,
        "down_interval_s": random.choice([0.0, float(random.integers(0, 20)) * tick_s]),
        "down_step": random.choice([1.0, 2.0, math.inf]),
        "low_timer": bool(random.random() < 0.3),
        "undo": bool(random.random() < 0.6),
    }
    kept = {name: value for name, value in changes.items() if random.random() < 0.6}
    return rule._replace(**kept)


def random_traffic(random: np.random.Generator, replicas: float, ticks: int, setting: Setting) -> Traffic:
    """A wave with a wander, steps and gaps, and a curve that knows some of it."""
    at = np.arange(ticks + 200)
    curve = (
        replicas
        * setting.per_replica
        * (1.0 + random.uniform(0.1, 0.9) * np.sin(at * 2 * np.pi / random.uniform(150, 600)))
    )
    noise = np.exp(0.1 * np.cumsum(random.standard_normal(ticks)) / math.sqrt(20))
    demand = (
        curve[:ticks] * noise * (1.0 + random.uniform(0.0, 0.1) * random.standard_normal(ticks)).clip(0.0)
    )
    begin = int(random.integers(ticks))
    demand[begin : begin + 60] *= random.uniform(0.2, 2.5)
    for _ in range(int(random.integers(0, 4))):
        begin = int(random.integers(ticks))
        demand[begin : begin + int(random.integers(1, 40))] = math.nan
    return Traffic(demand, curve, np.full(ticks, float(curve.mean())))


def random_world(seed: int) -> tuple[Rule, Setting, Inputs]:
    random = np.random.default_rng([2026, seed])
    tick_s = float(random.choice([5.0, 10.0, 15.0]))
    size = random.uniform(2.0, 25.0)
    least, most = int(random.integers(0, math.ceil(size))), math.ceil(random.uniform(1.5, 4.0) * size)
    setting = Setting(
        startup_s=tick_s * int(random.integers(1, 75)),
        lag_s=tick_s * int(random.integers(0, 9)),
        drain_s=tick_s * int(random.choice([0, 1, int(random.integers(0, 50))])),
        tick_s=tick_s,
        least=(0, 1, least)[random.integers(3)],
        most=(10_000, most)[random.integers(2)],
    )
    rule = random_rule(random, setting)
    if seed % 5 == 0:
        # fast removal that is often taken back
        setting = setting._replace(drain_s=20 * tick_s)
        rule = rule._replace(undo=True, low_timer=False, down_window_s=3 * tick_s, down_interval_s=0.0)
    return rule, setting, inputs(rule, setting, random_traffic(random, size, 500, setting))


@pytest.mark.parametrize("seed", range(50))
def test_random_rules_in_random_worlds(seed: int) -> None:
    rule, setting, read = random_world(seed)
    assert_equal(fleet_of(rule, setting), rule, setting, read)


def test_the_random_worlds_show_something() -> None:
    moved = held = undone = cancelled = 0
    for seed in range(50):
        rule, setting, read = random_world(seed)
        ready, starting, _ = KERNEL.traced(rule, setting, read)[1]
        moved += np.ptp(ready + starting) > 0
        held += bool(np.isnan(read.seen).any())
        # more ready than can have been started: a drain was taken back
        undone += bool((np.diff(ready) > starting[:-1]).any() and setting.timing.drain_ticks > 1)
        cancelled += bool((np.diff(ready + starting)[np.diff(starting) < 0] < 0).any())
    assert moved >= 40
    assert held >= 25
    assert undone >= 4
    assert cancelled >= 5
