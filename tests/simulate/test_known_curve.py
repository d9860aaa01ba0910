"""The rule for a known curve survives the surge that it was told of at any moment, for what it is said to cost.

Its numbers are those of `decide.rules`, fixed before the moments were drawn.
"""

from __future__ import annotations

import pytest
from benchmarks import known_curve
from benchmarks.known_curve import Survived

from headrace.decide import rules
from headrace.simulate import seed_table
from headrace.simulate.inputs import Setting
from headrace.simulate.runner import Runner

SEEDS = [2_975_866_729, 1_418_347_089, 203_900_473]
# start-up: (exact GPU-hours, at most), the same with 300 s of drain paid
COST = {
    180.0: ((3_046.533, 3_050.0), (3_065.867, 3_070.0)),
    20.0: ((2_639.022, 2_640.0), (2_656.422, 2_660.0)),
    720.0: ((3_177.711, 3_185.0), (3_192.644, 3_200.0)),
}


@pytest.fixture(scope="module")
def runner() -> Runner:
    return Runner()


@pytest.fixture(scope="module", params=COST)
def measured(request: pytest.FixtureRequest, runner: Runner) -> tuple[float, Survived]:
    setting = Setting(startup_s=request.param)
    return request.param, known_curve.survived(runner, known_curve.known_rule(setting), setting)


def test_nobody_is_over_whenever_the_surge_comes(measured: tuple[float, Survived]) -> None:
    _, found = measured
    assert found.minutes_at_15 == 0.0
    assert found.minutes_at_hours == 0.0
    assert found.minutes_at_random == 0.0


def test_it_costs_what_is_said(measured: tuple[float, Survived]) -> None:
    startup_s, found = measured
    (plain, most), (drained, most_drained) = COST[startup_s]
    assert round(found.gpu_hours, 3) == plain < most
    assert round(found.drained_gpu_hours, 3) == drained < most_drained


def test_it_costs_less_than_the_seeds_rule_and_more_than_both_bounds(
    measured: tuple[float, Survived], runner: Runner
) -> None:
    startup_s, found = measured
    setting = Setting(startup_s=startup_s)
    seed = known_curve.survived(runner, known_curve.seed_rule(setting), setting)
    must, knows = seed_table.bounds(setting, seed_table.traffic(setting))
    assert knows.gpu_hours < must.gpu_hours < found.gpu_hours < seed.gpu_hours
    assert seed.minutes_at_15 == 0.0
    # the seed's rule holds at 15:00 and, unless replicas are up in 20 s, not at every hour
    assert (seed.minutes_at_hours > 0.0) == (startup_s > 20.0)


def test_the_measure_sees_a_rule_that_holds_too_little(runner: Runner) -> None:
    setting = Setting()
    told_less = rules.known_curve(seed_table.NAMED_SURGE._replace(rise_ratio=0.25), 250.0)
    found = known_curve.survived(runner, told_less, setting)
    assert found.minutes_at_15 > 0.0
    assert found.minutes_at_hours > 1.0
    assert found.minutes_at_random > 1.0


def test_removals_are_as_they_are_run() -> None:
    rule = known_curve.known_rule(Setting())
    assert (rule.down_window_s, rule.down_interval_s, rule.down_step) == (600.0, 120.0, 1.0)


def test_moments_are_those_of_their_words() -> None:
    assert [known_curve.seed_of(word) for word in known_curve.WORDS] == SEEDS
    drawn = [at_s for word in known_curve.WORDS for at_s in known_curve.random_moments_s(word)]
    assert len(set(drawn)) == 3 * 48
    assert 0.0 <= min(drawn) < 3_600.0
    assert 82_800.0 < max(drawn) < 86_400.0
