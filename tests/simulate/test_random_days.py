"""The known-curve rule made for random days is cheaper than the seed's, on days that nothing was chosen on.

GPU-hours are told to within a tenth of a percent by sixty days; minutes over are not, so they are only held within
bounds here (`benchmarks/random_days.py` prints both for six hundred).
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from headrace.simulate import seed_day
from headrace.simulate.runner import Runner


def test_it_costs_less_than_the_seeds_rule_in_the_same_discipline(
    benchmark_script: Callable[[str], ModuleType],
) -> None:
    script = benchmark_script("random_days")
    rule = script.KNOWN._replace(floor_gain=1.351, floor_exponent=0.7, exponent=0.7, headroom=0.11)
    assert rule in script.candidates()
    days = seed_day.random_days(script.seed_of("moss"), 60)
    runner = Runner()
    theirs, ours = script.outcome(runner, script.SEED_RULE, days), script.outcome(runner, rule, days)
    discipline = ("down_window_s", "down_interval_s", "down_step")
    assert [getattr(rule, name) for name in discipline] == [
        getattr(script.SEED_RULE, name) for name in discipline
    ]
    assert 1 - ours.gpu_hours / theirs.gpu_hours > 0.025
    assert ours.minutes_over < 1.25 * theirs.minutes_over
    assert ours.requests_over < 2.0 * theirs.requests_over


def test_choosing_keeps_the_saving_on_the_days_it_is_chosen_on(
    benchmark_script: Callable[[str], ModuleType],
) -> None:
    script = benchmark_script("random_days")
    days = seed_day.random_days(script.seed_of("nest"), 6)
    runner = Runner()
    few = [
        script.KNOWN._replace(floor_gain=gain, floor_exponent=0.7, exponent=0.7, headroom=0.1)
        for gain in (1.2, 1.3, 1.5)
    ]
    setattr(script, "candidates", lambda: few)  # noqa: B010 (a module's attribute, unknown to the type checker)
    rule = script.chosen(runner, days)
    saved = (
        1
        - script.outcome(runner, rule, days).gpu_hours
        / script.outcome(runner, script.SEED_RULE, days).gpu_hours
    )
    assert saved >= script.SAVING_RATIO
    assert rule.floor_gain < 1.5


def test_the_bounds_stand_on_both_sides(benchmark_script: Callable[[str], ModuleType]) -> None:
    script = benchmark_script("random_days")
    days = seed_day.random_days(script.seed_of("nest"), 2)
    known, survived = script.bounds(days)
    runner = Runner()
    ours = script.outcome(runner, script.candidates()[0], days)
    assert known.gpu_hours < ours.gpu_hours < survived.gpu_hours
