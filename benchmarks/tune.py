"""What headroom by replay costs: CPU seconds a model for seven days at ten-second ticks, compiled and interpreted.

Days of the built-in kind (a daily wave, a surge each day, wander and noise), and with --data the real histories. Each
row is one call of `tune.tuned` (for one shape, or the choice among all) or of `tune.tuned_for_surge`; making what the
rule reads is within, making the curve is not.

Run: python benchmarks/tune.py [--data FOLDER] [--models 5] [--quick]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from headrace.observe.history import read_demand
from headrace.series import between
from headrace.simulate import compiled, seed_day, shapes, sweep, tune
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import DAY_S, Setting, past_curve
from headrace.simulate.runner import Runner
from headrace.spec import Surge

HISTORIES = (
    "servegen_m_large_10min_total",
    "servegen_m_mid_10min_total",
    "nab_nyc_taxi",
    "crane_input1_1min",
    "nab_grok_asg_anomaly",
)
SURGE = Surge(0.35, 300.0)
REPLICAS = 60.0
DAYS = 14


class Cost(NamedTuple):
    """One call."""

    call: str
    startup_s: float
    cpu_s: float
    tuned: tune.Tuned


def demands(models: int, data: Path | None) -> Iterator[tuple[str, Floats]]:
    """Two weeks of each model at ten-second ticks, in replicas."""
    if data is None:
        for seed in range(models):
            yield f"random days {seed}", sweep.scaled(seed_day.random_days(seed, DAYS).ravel(), REPLICAS)
        return
    for name in HISTORIES[:models]:
        series = read_demand(data / "demand" / f"{name}.csv", step_s=10.0).series
        series = between(series, series.start_s, series.start_s + DAYS * DAY_S)
        yield name, sweep.demand_at(series, REPLICAS, 10.0, 1)


def costs(runner: Runner, demand: Floats, startup_s: float) -> Iterator[Cost]:
    """Each call once."""
    setting = Setting(startup_s=startup_s, drain_s=300.0, per_replica=1.0, accelerators=1)
    traffic = past_curve(demand, setting)
    calls: dict[str, Callable[[], tune.Tuned]] = {
        "0.1 % of requests": lambda: tune.tuned(traffic, setting, 0.001, runner=runner),
        "0.01 % of requests": lambda: tune.tuned(traffic, setting, 0.0001, runner=runner),
        "0.1 %, best of all shapes": lambda: tune.tuned(
            traffic, setting, 0.001, shapes=shapes.SHAPES, runner=runner
        ),
        "+35 % in five minutes": lambda: tune.tuned_for_surge(traffic, setting, SURGE, runner=runner),
    }
    for call, tuned in calls.items():
        begun_s = time.process_time()
        found = tuned()
        yield Cost(call, startup_s, time.process_time() - begun_s, found)


def warm_runner() -> Runner:
    """A runner with its kernel compiled."""
    runner = Runner()
    runner.worth_compiling_ticks = 0
    for _ in costs(runner, np.full(3 * 8_640, 9.0), 180.0):
        break
    return runner


def main() -> None:
    """Run what is asked and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, help="folder of the real data; without: days made here")
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one model, interpreted, 180 s")
    options = parser.parse_args()
    runners = {"interpreted": Runner(interpret=True)}
    if compiled.available() and not options.quick:
        runners["compiled"] = warm_runner()
    startups_s = (180.0,) if options.quick else (180.0, 720.0)
    spent: dict[tuple[str, str], list[float]] = {}
    for name, demand in demands(1 if options.quick else options.models, options.data):
        for how, runner in runners.items():
            for startup_s in startups_s:
                for cost in costs(runner, demand, startup_s):
                    spent.setdefault((how, cost.call), []).append(cost.cpu_s)
                    print(
                        f"{name[:32]:<32} {how:<11} {startup_s:5.0f} s  {cost.call:<26} {cost.cpu_s:6.2f} s CPU, "
                        f"{cost.tuned.runs:3} runs: {cost.tuned.shape}, x {cost.tuned.headroom:.3f}",
                        flush=True,
                    )
    for (how, call), seconds in spent.items():
        print(
            f"{how:<11} {call:<26} {sum(seconds) / len(seconds):5.2f} s of CPU a model, worst {max(seconds):5.2f}"
        )


if __name__ == "__main__":
    main()
