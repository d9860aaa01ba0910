"""What is planned for: a past without what was not collected, all engines of a replica, what a file says in vain."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headrace.cli import plan_asks
from headrace.cli.plan_wanted import plan_wanted
from headrace.past import Past

FLEET = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata: {{name: {name}}}
spec:
  capacity: {{slots: 8, dataParallel: 4, kvTokens: 400000}}
  scale: {{max: 9}}
"""
COARSE = ("--tick", "5m", "--interpret")


@pytest.fixture
def filed(tmp_path: Path) -> Path:
    path = tmp_path / "fleet.yaml"
    path.write_text(FLEET.format(name="chat"))
    return path


def slots_passed(monkeypatch: pytest.MonkeyPatch, **typed: object) -> int | None:
    """What the sources of the past are told that a replica runs at once."""
    told: list[int | None] = []

    def none_found(*_: object, slots: int | None, **__: object) -> tuple[Past, ...]:
        told.append(slots)
        return ()

    monkeypatch.setattr(plan_asks, "pasts", none_found)
    assert plan_asks.asks(plan_wanted({"url": "http://localhost", **typed})) == ()
    return told[0]


def test_a_replica_is_full_when_all_its_engines_are(
    monkeypatch: pytest.MonkeyPatch, filed: Path, tmp_path: Path
) -> None:
    assert slots_passed(monkeypatch, slots="16") == 16
    assert slots_passed(monkeypatch, fleet=str(filed)) == 32
    assert slots_passed(monkeypatch, fleet=str(filed), slots="16") == 64
    both = tmp_path / "both.yaml"
    both.write_text(FLEET.format(name="chat") + "---\n" + FLEET.format(name="code"))
    assert slots_passed(monkeypatch, fleet=str(both)) is None


def test_a_kv_cache_that_can_not_be_reckoned_with_is_told(
    run: Callable[..., Any], history: Callable[..., Path], filed: Path
) -> None:
    chat = history(name="chat.csv", head="ts,in_flight")
    (model,) = json.loads(run("plan", chat, "--fleet", filed, *COARSE, "--json").out)["models"]
    assert sum("kvTokens is not reckoned with" in note for note in model["notes"]) == 1
    (model,) = json.loads(run("plan", chat, "--slots", 4, *COARSE, "--json").out)["models"]
    assert not any("kvTokens" in note for note in model["notes"])


def test_the_forecast_is_tried_on_what_was_collected(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = history(name="chat.csv", head="ts,in_flight").read_text().splitlines()[1:]
    for step in range(100, len(rows), 97):
        rows[step] = f"{rows[step].partition(',')[0]},0"
    chat = history(rows, name="chat.csv", head="ts,in_flight")
    (model,) = json.loads(run("plan", chat, "--slots", 4, *COARSE, "--json").out)["models"]
    quality = next(number for number in model["numbers"] if number["name"] == "forecast quality")
    assert "of it missing" in next(number for number in model["numbers"] if number["name"] == "max")["data"]
    tried = json.loads(run("forecast", "--backtest", chat, "--ahead", "10m", "--json").out)
    assert quality["value"] == pytest.approx(tried["rows"][0]["loss_ratio"], rel=1e-9)
    kept = json.loads(run("plan", chat, "--slots", 4, *COARSE, "--keep-dips", "--json").out)["models"][0]
    assert next(n for n in kept["numbers"] if n["name"] == "forecast quality")["value"] > quality["value"]


def test_the_days_held_out_do_not_change_what_was_planned_before_them(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = history(name="chat.csv", head="ts,in_flight").read_text().splitlines()[1:]
    held_out = len(rows) // 4
    told = []
    for factor in (1.0, 2.5):
        for step in range(len(rows) - held_out, len(rows), 2):
            moment, _, value = rows[step].partition(",")
            rows[step] = f"{moment},{float(value) * factor:.4f}"
        chat = history(rows, name="chat.csv", head="ts,in_flight")
        ended = run(
            "plan", chat, "--slots", 4, "--tick", "60s", "--interpret", "--json", "--quiet", "--holdout", "1d"
        )
        told.append(json.loads(ended.out)["models"][0]["holdout"])
    calm, rough = told
    assert calm["headroom"] == rough["headroom"]
    minutes = [next(each for each in one["promises"] if each["what"] == "minutes over") for one in told]
    assert minutes[0]["promised"] == minutes[1]["promised"] > 0.0
    assert minutes[0]["kept"] < minutes[1]["kept"]
