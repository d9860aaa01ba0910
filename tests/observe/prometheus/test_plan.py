"""`headrace plan` and `forecast` on a real Prometheus: two fleets, found by their labels, planned and proven."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from headrace.cli import main

DAYS = 4
END = "2024-01-05T00:00:00Z"


def test_two_fleets_are_planned_from_what_prometheus_has(
    weeks: ModuleType,
    prometheus_programs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    models = [weeks.model(seed, DAYS) for seed in range(2)]
    weeks.make_blocks(models, DAYS, tmp_path, prometheus_programs)

    def told(command: str, *more: str) -> Any:
        source = ("--prometheus", url, "--since", f"{DAYS}d", "--until", END, "--json", "--quiet")
        assert main([command, *source, *more]) in (0, 1)
        return json.loads(capsys.readouterr().out)

    with weeks.serving(tmp_path, prometheus_programs) as url:
        plan = told("plan", "--slots", "64", "--tick", "60s", "--holdout", "1d", "--pool", "4")
        ahead = told("forecast", "--selector", 'model_name="model-01"')
    assert [model["name"] for model in plan["models"]] == ["prod/model-00", "prod/model-01"]
    for model in plan["models"]:
        numbers = {number["name"]: number for number in model["numbers"]}
        # N from a histogram's buckets is an interval
        assert re.search(r"it cuts \d+ % to 100 % of the streams", numbers["drain N"]["why"])
        assert "samples" in numbers["target"]["data"]
        today, proposed, bound = model["outcomes"]
        assert today["name"] == "as it was seen"
        assert today["gpu_hours"] > 2 * 24 * 2 * 0.9  # two replicas all day and night
        assert bound["gpu_hours"] < proposed["gpu_hours"]
        assert len(model["holdout"]["promises"]) == 3
    assert plan["pool"]["accelerators"] == 4
    (found,) = ahead["models"]
    assert found["name"] == "prod/model-01"
    assert len(found["windows"]) == 12
    assert all(window["expected"] <= window["upper"] for window in found["windows"])
