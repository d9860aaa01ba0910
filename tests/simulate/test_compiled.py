"""The compiled kernel: lanes equal single runs, and an edit in `decide` is never answered by a stale kernel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import headrace
from headrace.decide import rules
from headrace.simulate import compiled, seed_day, seed_table
from headrace.simulate.inputs import Setting, inputs
from headrace.simulate.lanes import ROWS, WIDTH
from headrace.simulate.runner import Runner

SETTING = Setting()


def lane_rows(demand: np.ndarray, headroom: np.ndarray, gain: np.ndarray, interpret: bool) -> np.ndarray:
    """The state rows after a run of all lanes."""
    from headrace.simulate import lanes

    rule = rules.predictive(0.9, SETTING.lag_s, SETTING.tick_s)
    read = inputs(rule, SETTING, seed_table.traffic(SETTING))
    state = np.zeros((ROWS + SETTING.timing.start_ticks + 1) * WIDTH)
    rows = state.reshape(-1, WIDTH)
    rows[7], rows[8] = headroom, gain
    run = lanes.run_lanes if interpret else compiled.run_lanes(None)
    run(rule, SETTING.timing, demand, read.floor_peak[: len(demand)], 0.0, 1e9, state)
    return rows


@pytest.mark.parametrize("interpret", [True, False], ids=["interpreted", "compiled"])
def test_lanes_equal_single_runs(interpret: bool) -> None:
    ticks = 700 if interpret else 8640
    days = np.resize(seed_day.random_days(11, 8), (WIDTH, 8640))[:, :ticks] / SETTING.per_replica
    targets = np.linspace(0.6, 0.99, WIDTH)
    rows = lane_rows(np.ascontiguousarray(days.T), 1 / targets - 1, 1 / targets, interpret)
    day = seed_table.traffic(SETTING)
    runner = Runner(interpret=True)
    for lane in range(0, WIDTH, 17):
        target = float(targets[lane])
        rule = rules.predictive(target, SETTING.lag_s, SETTING.tick_s)
        read = inputs(rule, SETTING, day)
        cut = type(read)(*(column[:ticks] for column in read))
        demand = days[lane]
        seen = np.concatenate([np.full(6, demand[0]), demand[:-6]])
        tally = runner.tally(rule, SETTING, cut._replace(demand=demand, seen=seen))
        assert rows[3:7, lane].tolist() == [tally.over_ticks, tally.over, tally.paid, tally.events]


SCRIPT = """
import sys
from pathlib import Path
from headrace.simulate import compiled, seed_table
from headrace.simulate.inputs import Setting
from headrace.simulate.runner import Runner
runner = Runner(Path(sys.argv[1]))
runner.worth_compiling_ticks = 0
print([score[:4] for score in seed_table.seed_scores(runner, Setting())][2])
print(compiled.source_key())
"""


def test_an_edit_in_decide_is_never_answered_by_a_stale_kernel(tmp_path: Path) -> None:
    package = tmp_path / "src" / "headrace"
    shutil.copytree(Path(headrace.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"

    def answer() -> tuple[str, str]:
        command = [sys.executable, "-c", SCRIPT, str(cache)]
        environment = {"PYTHONPATH": str(tmp_path / "src"), "HOME": str(tmp_path), "PATH": ""}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        row, key = done.stdout.split("\n")[:2]
        return row, key

    first, first_key = answer()
    again, again_key = answer()
    assert (again, again_key) == (first, first_key)
    scale = package / "decide" / "scale.py"
    edited = scale.read_text().replace("return float(np.ceil(wanted))", "return float(np.ceil(wanted)) + 1.0")
    assert edited != scale.read_text()
    scale.write_text(edited)
    changed, changed_key = answer()
    assert changed_key != first_key
    assert changed != first
    assert {path.name for path in cache.iterdir()} == {first_key, changed_key}
