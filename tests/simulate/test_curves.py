"""What a forecast is worth: the benchmark's own arithmetic, and the target kept on a history it was not tuned on."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from headrace.simulate import seed_day, sweep
from headrace.simulate.inputs import inputs
from headrace.simulate.runner import Runner
from headrace.simulate.split import split

Script = Callable[[str], ModuleType]


def test_online_headroom_is_that_of_the_past_and_none_of_the_future(benchmark_script: Script) -> None:
    """On days of which each is the day before, replay's promise holds to the tick; a wild last day changes nothing."""
    curves = benchmark_script("curves")
    runner = Runner()
    setting = curves.SETTING._replace(startup_s=180.0)
    day = sweep.scaled(seed_day.random_days(4, 1).ravel(), 20.0)
    demand = np.tile(day, 4)
    way = next(each for each in curves.WAYS if each.name == "hpa")
    whole = split(
        way.shape.rule, setting, inputs(way.shape.rule(8.0, setting), setting, way.traffic(demand, setting))
    )
    kept, cost = curves.online(runner, whole, 2 * len(day), 0.001)
    assert 0.0 < kept <= 0.001 / 3.0 * 1.2
    number = curves.tuned_number(runner, curves.part(whole, len(day), 2 * len(day)), 0.001)
    rule = way.shape.rule(number, setting)
    judged = curves.part(whole, 2 * len(day), 4 * len(day)).inputs
    tally = runner.tally(rule, setting, judged)
    assert cost == pytest.approx(tally.paid / (float(judged.demand.mean()) * len(judged.demand)), rel=0.01)


def test_a_floor_of_the_number_is_kept_online_too(benchmark_script: Script) -> None:
    curves = benchmark_script("curves")
    setting = curves.SETTING._replace(startup_s=180.0)
    demand = np.tile(sweep.scaled(seed_day.random_days(4, 1).ravel(), 20.0), 4)
    way = next(each for each in curves.WAYS if each.name == "seed predictive")
    whole = split(
        way.shape.rule, setting, inputs(way.shape.rule(8.0, setting), setting, way.traffic(demand, setting))
    )
    kept, cost = curves.online(Runner(), whole, 17_280, 0.001)
    # the same without its floor costs less and fails more
    bare = whole._replace(rule=lambda number, at: way.shape.rule(number, at)._replace(floor_gain=0.0))
    worse, cheaper = curves.online(Runner(), bare, 17_280, 0.001)
    assert kept <= 0.001
    assert (worse, cheaper) != (kept, cost)


def test_means_and_counts(benchmark_script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    curves = benchmark_script("curves")
    first, second = (curves.Place(name, 31, 60.0, 180.0) for name in list(curves.MAIN)[:2])
    found = {}
    for name in (*curves.CURVES, "hpa"):
        cost = 2.0 if name == "hpa" else 1.5
        found[first, name, 0.001] = curves.Outcome(0.0005, cost, cost)
        found[second, name, 0.001] = curves.Outcome(0.0015, 8.0 / cost, 8.0 / cost)
    places = [first, second]
    assert curves.mean_cost(found, places, "hpa", 0.001) == pytest.approx(math.sqrt(8.0))
    assert curves.best_per_history(found, places, ["forecast", "hpa"], 0.001) == pytest.approx(math.sqrt(6.0))
    assert curves.histories_kept(found, places, "hpa", 0.001) == 1
    curves.show(found, 60.0, 180.0)
    printed = capsys.readouterr().out
    assert "best rule per history in hindsight 2.449; best of ours 2.828" in printed
    assert "15.5 % more" in printed


@pytest.mark.real_data
def test_the_target_is_kept_on_a_real_history_by_every_curve(
    shared_data: Path, benchmark_script: Script
) -> None:
    """A draw that nothing was chosen on, at 180 s; the past says what the next day takes, whatever the curve."""
    curves = benchmark_script("curves")
    name = "servegen_m_mid_10min_total"
    series = curves.history(shared_data / "demand", name, 14)
    demand = sweep.demand_at(series, 60.0, curves.SETTING.tick_s, 31)
    place = curves.Place(name, 31, 60.0, 180.0)
    names = ("past weeks", "forecast")
    ways = [way for way in curves.WAYS if way.name in (*names, "hpa")]
    found = curves.outcomes(Runner(), place, demand, ways, [0.001])
    hpa = found[place, "hpa", 0.001]
    bound = found[place, curves.BOUND, 0.001]
    for curve in names:
        outcome = found[place, curve, 0.001]
        assert outcome.kept_ratio <= 0.001
        assert bound.cost < outcome.cost < hpa.cost
        assert outcome.cost < outcome.online_cost
