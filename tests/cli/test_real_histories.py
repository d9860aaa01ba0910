"""`headrace simulate` takes each real demand history as it is, without an option that says how."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAMES = (
    "crane_input0_1min",
    "crane_input1_1min",
    "crane_input2_1min",
    "crane_input11_1min",
    "nab_grok_asg_anomaly",
    "nab_nyc_taxi",
    "servegen_m_large_10min_total",
    "servegen_m_large_10min_diurnal_clients",
    "servegen_m_mid_10min_total",
    "servegen_m_mid_10min_diurnal_clients",
    "taylor_halfhourly_electricity",
)


def test_each_history_is_read_and_the_default_keeps_its_target_on_it(
    run: Callable[..., Any], shared_data: Path
) -> None:
    for name in NAMES:
        ended = run(
            "simulate",
            shared_data / "demand" / f"{name}.csv",
            "--tick",
            "5m",
            "--policy",
            "default",
            "--json",
        )
        assert (ended.code, ended.err) == (0, ""), (name, ended.err)
        default, bound = json.loads(ended.out)["rows"]
        assert 0.0 < default["over_ratio"] <= 0.001, name
        assert 1.0 < default["cost_ratio"] < 8.0, name
        assert 0.9 < bound["cost_ratio"] < 1.4, name  # through a gap nothing is needed


def test_collection_holes_are_said(run: Callable[..., Any], shared_data: Path) -> None:
    path = shared_data / "demand" / "servegen_m_mid_10min_total.csv"
    notes = json.loads(run("simulate", path, "--tick", "5m", "--policy", "fixed", "--json").out)["notes"]
    assert any(
        note.startswith("102 values below 5 % of what is around them are taken for holes") for note in notes
    )
