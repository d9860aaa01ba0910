"""How fast the fluid simulation is, against the same loop in plain Python; and how soon it answers.

Everything is measured in one run on one core, in CPU time, the best of many turns that alternate between the two
sides. The plain loop is written as one would by hand: floats, a list of starting replicas, a list of past demand.
Once it works demand and curve out at each tick, as a self-contained program does, and once it reads both from lists,
as the kernels read them from arrays.

Run: python benchmarks/speed.py
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from headrace.decide import rules
from headrace.simulate import compiled, fluid, seed_day
from headrace.simulate.inputs import Setting, inputs, known_curve
from headrace.simulate.lanes import ROWS, WIDTH

TURNS = 60
LANES = WIDTH
SETTING = Setting()
TARGET = 0.75


def plain_loop(demand: list[float], ahead: list[float]) -> tuple[float, float, float]:
    """The seed's predictive rule at 75 %, 180 s of start-up, in plain Python; minutes over, requests, GPU-hours."""
    served = SETTING.per_replica
    ready = math.ceil(demand[0] / (served * TARGET))
    starting: list[float] = []
    low_since: float | None = None
    over = over_s = gpu_s = 0.0
    for i, now in enumerate(demand):
        t = i * 10.0
        ready += sum(1 for at in starting if at <= t)
        starting = [at for at in starting if at > t]
        capacity = ready * served
        over += max(0.0, now - capacity) * 10.0
        over_s += 10.0 if now > capacity else 0.0
        gpu_s += (ready + len(starting)) * 8 * 10.0
        want = math.ceil(demand[max(0, i - 6)] / (served * TARGET))
        want = max(want, math.ceil(ahead[i] / (served * TARGET)))
        have = ready + len(starting)
        if want > have:
            starting += [t + 180.0] * (want - have)
            low_since = None
        elif want < ready:
            low_since = t if low_since is None else low_since
            if t - low_since >= 600.0:
                ready -= 1
                low_since = t - 480.0
        else:
            low_since = None
    return over_s / 60, over, gpu_s / 3600


def plain_program() -> tuple[float, float, float]:
    """The same, with the day and its curve worked out tick by tick."""
    demand: list[float] = []
    ahead: list[float] = []
    for i in range(8640):
        demand.append(demand_per_s(i * 10.0))
        ahead.append(curve_per_s((i * 10.0 + 180.0 + 120.0) % 86400.0))
    return plain_loop(demand, ahead)


def curve_per_s(t: float) -> float:
    """The weekday curve at a time of day, requests/s."""
    hour = t / 3600
    consumer = seed_day.PEAK_PER_S * (0.6 - 0.4 * math.cos(2 * math.pi * (hour - 4) / 24))
    return consumer + (
        seed_day.BUSINESS_PER_S * min(1.0, max(0.0, (hour - 9) * 12)) if 9 <= hour < 18 else 0.0
    )


def demand_per_s(t: float) -> float:
    """The day as it comes, requests/s."""
    hour = t / 3600
    surge = 1 + 0.35 * min(1.0, (hour - 15) * 12) if 15 <= hour < 16 else 1.0
    return curve_per_s(t) * surge


def best_s(sides: dict[str, tuple[Callable[[], object], int]]) -> dict[str, float]:
    """Least CPU seconds of one call on each side; the sides take turns."""
    best = dict.fromkeys(sides, math.inf)
    for _ in range(TURNS):
        for name, (call, times) in sides.items():
            begun = time.process_time()
            for _ in range(times):
                call()
            best[name] = min(best[name], (time.process_time() - begun) / times)
    return best


def main() -> None:
    """Print ratios and first-result times."""
    curve, demand = seed_day.day_curve(), seed_day.seed_day()
    rule = rules.predictive(TARGET, SETTING.lag_s, SETTING.tick_s)
    read = inputs(rule, SETTING, known_curve(demand, curve, SETTING))
    timing, ticks = SETTING.timing, len(demand)
    kernel, lane_kernel = compiled.run(None), compiled.run_lanes(None)
    wanted, wants, arriving, leaving = (np.zeros(ticks + timing.start_ticks) for _ in range(4))
    untraced = np.zeros((3, 0))

    def single() -> tuple[float, float, float, float]:
        arriving[:] = 0.0
        return kernel(rule, timing, read, 0.0, 1e9, wanted[:ticks], wants, arriving, leaving, untraced)

    lanes_demand = np.repeat(read.demand[:, None], LANES, 1)
    state = np.zeros((ROWS + timing.start_ticks + 1) * LANES)

    def many() -> np.ndarray:
        state[:] = 0.0
        rows = state.reshape(-1, LANES)
        rows[7], rows[8] = rule.headroom, rule.floor_gain
        lane_kernel(rule, timing, lanes_demand, read.floor_peak, 0.0, 1e9, state)
        return rows

    demand_list, ahead_list = demand.tolist(), (read.floor_peak * SETTING.per_replica).tolist()
    minutes, _, hours = plain_loop(demand_list, ahead_list)
    tally, lanes = fluid.Tally(*single()), many()
    assert math.isclose(tally.paid * 80 / 3600, hours), "not the same loop"
    assert tally.over_ticks / 6 == minutes, "not the same loop"
    assert (lanes[5] == tally.paid).all(), "lanes differ"
    assert (lanes[3] == tally.over_ticks).all(), "lanes differ"
    best = best_s(
        {
            "program": (plain_program, 1),
            "plain": (lambda: plain_loop(demand_list, ahead_list), 1),
            "single": (single, 40),
            "lanes": (many, 1),
        }
    )
    program, plain, one, lane = best["program"], best["plain"], best["single"], best["lanes"] / LANES
    print("one policy on one day of 8,640 ticks (the seed's predictive rule at 75 %), CPU time on one core")
    print(f"  plain Python, day worked out as it goes  {program * 1e3:8.2f} ms")
    print(f"  plain Python, day read from lists        {plain * 1e3:8.2f} ms")
    for name, each, asked in (("one at a time", one, 500), (f"{LANES} lanes in lockstep", lane, 1500)):
        print(
            f"  compiled, {name:<31}{each * 1e6:8.2f} us   {program / each:6.0f} times faster (asked: {asked}); "
            f"{plain / each:.0f} times with the day read from lists"
        )
    first_results()


def first_results() -> None:
    """Print how long a new process takes to its first row, with no kernel kept and with one."""
    print("a new process, wall time until its first row")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "HOME": folder}
        seed = min(first_row_s(environment, "seed-day", "fixed at surge peak") for _ in range(3))
        print(
            f"  seed-day (small enough to run interpreted)        {seed:6.2f} s   (asked: 1.5 cold, 0.6 from cache)"
        )
        cold = first_row_s(environment, "llm-week", "fixed")
        warm = min(first_row_s(environment, "llm-week", "fixed") for _ in range(3))
        print(f"  llm-week, two weeks, six searches, no kernel kept {cold:6.2f} s")
        print(f"  llm-week, kernel kept                             {warm:6.2f} s")


PROGRAM = "import sys; from headrace.cli import main; sys.exit(main())"


def first_row_s(environment: dict[str, str], example: str, row: str) -> float:
    """Seconds from starting the command to its first row on standard output."""
    command = [sys.executable, "-c", PROGRAM, "simulate", "--example", example]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        seconds = None
        for line in process.stdout:
            if seconds is None and line.startswith(row):
                seconds = time.perf_counter() - begun
    if seconds is None:
        raise SystemExit(f"simulate --example {example} printed no row that begins with {row!r}")
    return seconds


if __name__ == "__main__":
    main()
