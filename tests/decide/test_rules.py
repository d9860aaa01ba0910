"""The parameter sets: what each rule is called after is what its numbers say."""

from __future__ import annotations

import math
from typing import Any

import pytest

from headrace.decide import rules
from headrace.decide.headroom import start_delay_s
from headrace.simulate import seed_day
from headrace.simulate.inputs import Setting, inputs, known_curve
from headrace.simulate.runner import Runner
from headrace.spec import Surge

RAMP_S = 300.0
SURGE = Surge(0.35, RAMP_S)


def test_an_hpa_has_the_defaults_of_its_controller() -> None:
    rule = rules.hpa(0.8)
    assert rule.headroom == pytest.approx(0.25)
    assert (rule.sync_s, rule.tolerance) == (15.0, 0.1)
    assert (rule.down_window_s, rule.down_interval_s, rule.down_step) == (300.0, 0.0, math.inf)
    assert not rule.undo  # a pod that terminates stays lost
    assert not rule.low_timer


def test_the_seeds_rules_wait_ten_minutes_and_remove_one_in_two() -> None:
    for rule in (rules.reactive(0.9), rules.predictive(0.9, 60.0, 10.0)):
        assert (rule.down_window_s, rule.down_interval_s, rule.down_step) == (600.0, 120.0, 1.0)
        assert rule.low_timer
        assert not rule.undo


@pytest.mark.parametrize(("delay_s", "carried"), [(RAMP_S - 1.0, 1.0), (RAMP_S, 0.0), (RAMP_S + 1.0, 0.0)])
def test_a_rise_is_carried_on_only_while_the_surge_is_still_rising(delay_s: float, carried: float) -> None:
    assert rules.known_curve(SURGE, delay_s).slope_gain == carried


@pytest.mark.parametrize(("startup_s", "exponent"), [(20.0, 0.5), (300.0, 0.5), (300.1, 0.25), (720.0, 0.25)])
def test_slow_starts_hold_headroom_more_evenly(startup_s: float, exponent: float) -> None:
    rule = rules.real_demand(startup_s, 0.3)
    assert (rule.headroom, rule.exponent, rule.on_curve) == (0.3, exponent, True)


@pytest.mark.parametrize("startup_s", [20.0, 180.0, 720.0])
@pytest.mark.parametrize(
    "numbers",
    [{"samples": 1}, {"samples": 3}, {"floor_exponent": 0.5, "noise": 0.2, "ceiling_gain": 1.05}],
    ids=["newest", "averaged", "shaped for other surges"],
)
def test_a_named_surge_is_survived_at_every_whole_hour_without_other_headroom(
    startup_s: float, numbers: dict[str, Any]
) -> None:
    setting = Setting(startup_s=startup_s)
    delay_s = start_delay_s(setting.lag_s, startup_s, setting.tick_s)
    rule = rules.surviving(rules.real_demand(startup_s, 0.0)._replace(**numbers), SURGE, delay_s)
    runner = Runner()
    runner.worth_compiling_ticks = 0
    for hour in range(24):
        surge = seed_day.SEED_SURGE._replace(at_s=3600.0 * hour)
        traffic = known_curve(seed_day.seed_day(surge), seed_day.day_curve(), setting)
        assert runner.tally(rule, setting, inputs(rule, setting, traffic)).over_ticks == 0.0, hour
