"""What equal service costs each policy on real demand histories, by fleet size and start-up time.

Method: a week is only learned from, the rest is judged; holes are bridged; each history's roughness is continued below
its step; requests come and go one by one; starting replicas are paid, and removed ones for five minutes. Each policy's
one headroom number is swept on the judged weeks, for all alike. Cost is accelerator-hours over those of mean demand.
Taxi and electricity are cut to their first four weeks.

The draws judged are those of seeds 11, 12 and 13, which were set down before the default was chosen; others only show
how far the figures depend on the draw.

Run: python benchmarks/real_demand.py [--data FOLDER] [--seeds 11,12,13] [--only main|all] [--quick]
"""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path

from headrace.observe.history import read_demand
from headrace.series import Series, between
from headrace.simulate import policies, sweep
from headrace.simulate.inputs import DAY_S, WEEK_S, Setting
from headrace.simulate.runner import Runner

MAIN = {
    "nab_nyc_taxi": 28,
    "taylor_halfhourly_electricity": 28,
    "servegen_m_large_10min_total": 14,
    "servegen_m_large_10min_diurnal_clients": 14,
    "servegen_m_mid_10min_total": 14,
    "servegen_m_mid_10min_diurnal_clients": 14,
}
"""The six histories of the geometric mean, and how many days of each are used."""
OTHERS = {
    "crane_input0_1min": 9,
    "crane_input1_1min": 16,
    "crane_input2_1min": 16,
    "crane_input11_1min": 16,
    "nab_grok_asg_anomaly": 16,
}
SETTING = Setting(drain_s=sweep.DRAIN_S, per_replica=1.0, accelerators=1)


def history(folder: Path, name: str, days: int) -> Series:
    """The first days of a history."""
    series = read_demand(folder / f"{name}.csv", step_s=SETTING.tick_s).series
    return between(series, series.start_s, series.start_s + days * DAY_S)


def costs(
    runner: Runner, folder: Path, names: dict[str, int], seeds: list[int], plan: sweep.Plan
) -> dict[tuple[str, str, float, float, float], list[float]]:
    """Cost ratios by (history, policy, replicas, start-up, share over), one for each seed."""
    found: dict[tuple[str, str, float, float, float], list[float]] = {}
    for name, days in names.items():
        series = history(folder, name, days)
        learned_s = WEEK_S if days >= 14 else 2 * DAY_S
        for seed in seeds:
            cells = sweep.swept(
                runner,
                plan,
                lambda replicas, series=series, seed=seed: sweep.demand_at(
                    series, replicas, SETTING.tick_s, seed
                ),
                SETTING,
                learned_s,
            )
            for cell in cells:
                key = (name, cell.policy, cell.replicas, cell.startup_s, cell.over_ratio)
                found.setdefault(key, []).append(cell.cost_ratio)
    return found


def saving_ratio(
    found: dict, names: dict[str, int], replicas: float, startup_s: float, over: float
) -> list[float]:
    """What the default saves against the HPA, each history's mean over the seeds, then all histories' together."""
    logs = []
    for name in names:
        ours = found[name, "default", replicas, startup_s, over]
        theirs = found[name, "hpa", replicas, startup_s, over]
        pairs = [
            math.log(a / b)
            for a, b in zip(ours, theirs, strict=True)
            if math.isfinite(a) and math.isfinite(b)
        ]
        logs.append(sum(pairs) / len(pairs) if pairs else math.nan)
    return [1 - math.exp(each) for each in (*logs, sum(logs) / len(logs))]


def show(found: dict, names: dict[str, int], plan: sweep.Plan, title: str) -> None:
    """Print the geometric means, and what the default saves against the HPA."""
    print(f"\n{title}: accelerator-hours over those of mean demand, at 0.1 % / 0.01 % / 0 of requests over")
    for replicas in plan.replicas:
        print(f"  {replicas:g} replicas of mean demand")
        print("    " + " " * 24 + "".join(f"{startup_s:>14g} s    " for startup_s in plan.startups_s))
        for policy in (*(policy.name for policy in plan.policies), "bound: knows the future"):
            line = ""
            for startup_s in plan.startups_s:
                texts = []
                for over in plan.over_ratios:
                    keys = [(name, policy, replicas, startup_s, over) for name in names]
                    ratios = [ratio for key in keys for ratio in found.get(key, [])]
                    texts.append(text(ratios) if ratios else "  –  ")
                line += "  " + "/".join(texts)
            print(f"    {policy:<24}{line}")
    for replicas in plan.replicas:
        for startup_s in plan.startups_s:
            for over in plan.over_ratios:
                each = saving_ratio(found, names, replicas, startup_s, over)
                texts = " ".join(f"{100 * value:5.1f}" for value in each[:-1])
                print(
                    f"  default against hpa, {replicas:g} replicas, {startup_s:g} s, {100 * over:g} % over: "
                    f"{100 * each[-1]:5.1f} % less   ({texts})"
                )


def text(ratios: list[float]) -> str:
    """The geometric mean, or how many histories the policy fails on."""
    failed = sum(not math.isfinite(ratio) for ratio in ratios)
    return f"fails {failed}" if failed else f"{sweep.geometric_mean(ratios):5.3f}"


def main() -> None:
    """Run what is asked and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    default = os.environ.get("HEADRACE_DATA") or str(Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--seeds", default="11,12,13")
    parser.add_argument("--only", choices=("main", "all"), default="all")
    parser.add_argument("--quick", action="store_true", help="only the HPA and the default, 60 replicas")
    options = parser.parse_args()
    folder = options.data / "demand"
    if not folder.is_dir():
        print(
            f"{folder} is not there: this benchmark needs the real demand histories (--data names their folder)"
        )
        return
    seeds = [int(each) for each in options.seeds.split(",")]
    runner = Runner()
    plan = sweep.Plan(policies.POLICIES)
    if options.quick:
        plan = sweep.Plan((policies.HPA, policies.DEFAULT), replicas=(60.0,))
    found = costs(runner, folder, MAIN, seeds, plan)
    show(found, MAIN, plan, f"geometric mean of {len(MAIN)} histories, seeds {options.seeds}")
    if options.only == "all":
        for name, days in {**MAIN, **OTHERS}.items():
            rows = found if name in MAIN else costs(runner, folder, {name: days}, seeds[:1], plan)
            show(rows, {name: days}, plan, name)


if __name__ == "__main__":
    main()
