"""Headroom by replay: the smallest that keeps the target on past days, or survives a surge; what it falls back to."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.decide import rules
from headrace.simulate import seed_day, shapes, surges, sweep, tune
from headrace.simulate.inputs import Setting, Traffic, after, inputs, known_curve, past_curve
from headrace.simulate.runner import Runner
from headrace.spec import Rule, Surge

SETTING = Setting(startup_s=180.0, drain_s=300.0, per_replica=2.0, accelerators=4)
RUNNER = Runner(interpret=True)
SURGE = Surge(0.35, 300.0)
DAY = 8_640


def past(days: int, seed: int = 5) -> np.ndarray:
    """Random days at 30 replicas of two units each."""
    return sweep.scaled(seed_day.random_days(seed, days).ravel(), 60.0)


def run(traffic: Traffic, rule: Rule, setting: Setting = SETTING) -> tuple[float, float]:
    """Share over, and replica-ticks paid over those of mean demand, of a whole run of the rule itself."""
    tally = RUNNER.tally(rule, setting, inputs(rule, setting, traffic))
    total = float(np.nansum(traffic.demand)) / setting.per_replica
    return tally.over / total, tally.paid / (float(np.nanmean(traffic.demand)) * len(traffic.demand) / 2.0)


def test_the_promise_is_what_the_rule_comes_to_on_the_replayed_days() -> None:
    traffic = past_curve(past(3), SETTING)
    tuned = tune.tuned(traffic, SETTING, 0.001, runner=RUNNER)
    replayed = after(traffic, DAY)
    over, cost = run(replayed, tuned.rule)
    assert tuned.rule == rules.real_demand(180.0, tuned.headroom)
    assert (tuned.over_ratio, tuned.cost_ratio) == pytest.approx((over, cost))
    assert tuned.over_ratio <= 0.001 / 3.0
    less, _ = run(replayed, rules.real_demand(180.0, tuned.headroom - 0.005))
    assert less > 0.001 / 3.0
    assert tuned.minutes_over > 0.0
    assert tuned.days == 2.0
    assert tuned.fallback == ""
    assert tuned.growth_ratio == pytest.approx(0.27, abs=0.1)


def test_only_the_last_seven_days_are_replayed() -> None:
    calm, wild = np.full(2 * DAY, 60.0), past(1)
    demand = np.concatenate([wild * 3.0, np.tile(calm[:DAY], 8)])
    tuned = tune.tuned(past_curve(demand, SETTING), SETTING, 0.001, runner=RUNNER)
    assert tuned.days == 7.0
    assert tuned.headroom < 0.05


def test_a_stricter_target_takes_more() -> None:
    traffic = past_curve(past(3), SETTING)
    wide, narrow = (tune.tuned(traffic, SETTING, over, runner=RUNNER) for over in (0.01, 0.0001))
    assert narrow.headroom > wide.headroom
    assert narrow.cost_ratio > wide.cost_ratio


def test_of_several_shapes_the_cheapest_that_keeps_the_target_is_taken() -> None:
    traffic = past_curve(past(3), SETTING)
    alone = {s.name: tune.tuned(traffic, SETTING, 0.001, shapes=[s], runner=RUNNER) for s in shapes.SHAPES}
    best = tune.tuned(traffic, SETTING, 0.001, shapes=shapes.SHAPES, runner=RUNNER)
    cheapest = min(alone.values(), key=lambda tuned: tuned.cost_ratio)
    assert best.cost_ratio == pytest.approx(cheapest.cost_ratio, rel=1e-3)
    assert best.over_ratio <= 0.001 / 3.0
    assert best.runs <= sum(tuned.runs for tuned in alone.values())
    assert alone[best.shape].cost_ratio == pytest.approx(best.cost_ratio, rel=1e-3)


def test_holes_fail_nothing_and_change_little() -> None:
    demand = past(4)
    whole = tune.tuned(past_curve(demand, SETTING), SETTING, 0.001, runner=RUNNER)
    demand = demand.copy()
    demand[3 * DAY + 100 : 3 * DAY + 500] = np.nan
    holed = tune.tuned(past_curve(demand, SETTING), SETTING, 0.001, runner=RUNNER)
    assert holed.headroom == pytest.approx(whole.headroom, abs=0.1)
    assert holed.over_ratio <= 0.001 / 3.0


def test_without_a_past_the_rule_holds_its_own_default() -> None:
    tuned = tune.tuned(past_curve(np.empty(0), SETTING), SETTING, 0.001)
    assert tuned.headroom == Rule().headroom
    assert (tuned.days, tuned.runs) == (0.0, 0)
    assert math.isnan(tuned.over_ratio)
    assert tuned.fallback == "There is no past to go by: headroom is 0.6 until two days are known."


def test_less_than_two_days_gives_the_growth_quantile() -> None:
    tuned = tune.tuned(past_curve(past(2)[: 2 * DAY - 1], SETTING), SETTING, 0.001)
    assert tuned.headroom == tuned.growth_ratio > 0.0
    assert tuned.rule == rules.real_demand(180.0, tuned.growth_ratio)
    assert tuned.fallback.startswith(
        "There are less than two days to replay: headroom is the growth within 250 s"
    )
    surge = tune.tuned_for_surge(past_curve(past(1), SETTING), SETTING, SURGE)
    assert surge.fallback.startswith("There are less than two days")


def test_two_days_of_holes_are_no_past() -> None:
    demand = past(3)
    demand[DAY:] = np.nan
    assert tune.tuned(past_curve(demand, SETTING), SETTING, 0.001).days == 0.0


def test_what_outruns_any_start_is_said_and_let_be() -> None:
    """From nearly nothing to 40 replicas at once, each noon: no headroom in proportion to a mean of two helps."""
    demand = np.ones(4 * DAY)
    demand[DAY // 2 :: DAY] = 1.0
    for day in range(4):
        demand[day * DAY + DAY // 2 + 37 * day :][:60] = 400.0
    tuned = tune.tuned(past_curve(demand, SETTING), SETTING, 0.001, runner=RUNNER)
    assert tuned.fallback.startswith("No headroom up to 8 kept 0.033 % of requests over")
    assert tuned.over_ratio > 0.001
    assert tuned.headroom <= 8.0


def test_a_most_that_is_too_small_is_kept_to() -> None:
    tuned = tune.tuned(past_curve(past(3), SETTING), SETTING._replace(most=30), 0.001, runner=RUNNER)
    assert tuned.fallback != ""
    assert tuned.headroom < 8.0


def test_a_named_surge_is_survived_at_every_hour_on_a_known_curve() -> None:
    setting = Setting(startup_s=180.0, tick_s=30.0)
    curve = seed_day.day_curve()[::3]
    traffic = known_curve(np.tile(curve, 3), curve, setting)
    tuned = tune.tuned_for_surge(traffic, setting, SURGE, runner=RUNNER)
    assert tuned.fallback == ""
    assert tuned.over_ratio == 0.0
    replayed = after(traffic, len(curve))
    for hour in range(1, 24, 3):
        demand, _ = surges.surged(replayed.demand, SURGE, setting, hour, 24)
        over, _ = run(replayed._replace(demand=demand), tuned.rule, setting)
        assert over == 0.0
    # the rule for a known curve survives every moment, not only whole hours, for 3,046.5 a day at ten-second ticks
    assert tuned.cost_ratio * float(curve.mean()) / 7.5 * 8 * 24 < 3_150.0


def test_less_headroom_would_not_survive_it() -> None:
    setting = Setting(startup_s=180.0, tick_s=30.0)
    curve = seed_day.day_curve()[::3]
    traffic = known_curve(np.tile(curve, 3), curve, setting)
    tuned = tune.tuned_for_surge(traffic, setting, SURGE, shapes=[shapes.DEFAULT], runner=RUNNER)
    replayed = after(traffic, len(curve))
    rule = rules.real_demand(180.0, tuned.headroom - 0.01)
    failed = 0.0
    for hour in range(1, 25):
        demand, _ = surges.surged(replayed.demand, SURGE, setting, hour, 24)
        failed += run(replayed._replace(demand=demand), rule, setting)[0]
    assert failed > 0.0


def test_what_is_over_without_the_surge_is_not_its_doing() -> None:
    """A day with a jump that no start can meet: the jump is let be, the surge is not."""
    setting = SETTING._replace(tick_s=30.0)
    demand = np.full(DAY, 60.0)  # three days
    demand[7_000:7_014] = 900.0
    tuned = tune.tuned_for_surge(past_curve(demand, setting), setting, SURGE, runner=RUNNER)
    assert tuned.fallback == ""
    assert tuned.minutes_over > 1.0
    assert tuned.headroom < 1.0


def test_a_surge_beyond_all_headroom_is_said() -> None:
    traffic = past_curve(past(3), SETTING)
    tuned = tune.tuned_for_surge(traffic, SETTING._replace(most=31), SURGE, runner=RUNNER)
    assert tuned.headroom == 8.0
    assert tuned.fallback.startswith("No headroom up to 8 survives a surge of 35 % in 300 s at every hour")
