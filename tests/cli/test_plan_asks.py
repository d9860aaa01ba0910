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
    assert sum("kvTokens lowers none of the 32 slots" in note for note in model["notes"]) == 1
    (model,) = json.loads(run("plan", chat, "--slots", 4, *COARSE, "--json").out)["models"]
    assert not any("kvTokens" in note for note in model["notes"])
    said = run("plan", chat, "--slots", 4, "--tokens-per-request", 500, *COARSE)
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "error: --tokens-per-request: says nothing without --kv-tokens, or spec.capacity.kvTokens in --fleet\n"
    )


def test_a_kv_cache_that_is_full_before_the_slots_lowers_them(
    run: Callable[..., Any], history: Callable[..., Path], filed: Path, tmp_path: Path
) -> None:
    chat = history(name="chat.csv", head="ts,in_flight")

    def target(*more: object) -> dict[str, Any]:
        (model,) = json.loads(run("plan", chat, *more, *COARSE, "--json").out)["models"]
        return next(number for number in model["numbers"] if number["name"] == "target")

    # 4 engines of 8 slots and 400,000 tokens
    given = target("--fleet", filed, "--tokens-per-request", 100_000)
    assert "of 16 slots" in given["why"]
    assert "a replica holds 16 requests, not 32: each holds 100,000 tokens, as given" in given["why"]
    sized = target("--slots", 8, "--kv-tokens", 6_000, "--tokens-per-request", 1_000)
    assert "a replica holds 6 requests, not 8" in sized["why"]
    asked = tmp_path / "prompts.csv"
    asked.write_text("prompt_tokens\n100000\n100000\n")
    assert "100,000 tokens, those of the mean prompt" in target("--fleet", filed, "--prompts", asked)["why"]
    seen = tmp_path / "seen.csv"
    rows = (f"{1_700_000_000 + 60 * at},2,0,0.5,0.4" for at in range(600))
    seen.write_text("ts,running,waiting,gpu_cache_usage_perc,own\n" + "\n".join(rows) + "\n")
    assert "a replica holds 4 requests, not 8" in target("--slots", 8, "--occupancy", seen)["why"]
    named = target("--slots", 8, "--occupancy", seen, "--kv-column", "own")
    assert "a replica holds 5 requests, not 8: each holds 20 % of the KV cache" in named["why"]


def test_the_range_of_a_drain_is_the_user_s(
    run: Callable[..., Any], history: Callable[..., Path], tmp_path: Path
) -> None:
    chat = history(name="chat.csv", head="ts,in_flight")
    took = tmp_path / "took.csv"
    took.write_text("duration_s\n" + "20\n" * 400 + "200\n" * 40)

    def drain_s(*more: object) -> float:
        ended = run(
            "plan", chat, "--slots", 4, "--durations", took, "--holdout", "1d", *more, *COARSE, "--json"
        )
        (model,) = json.loads(ended.out)["models"]
        numbers = {number["name"]: number["value"] for number in model["numbers"]}
        assert numbers["grace"] == numbers["drain N"] + 50.0
        return float(numbers["drain N"])

    assert drain_s() == drain_s("--drain-range", "60s..900s", "--drain-cut", "1%") == 210.0
    assert drain_s("--drain-range", "10s..100s") == 100.0
    assert drain_s("--drain-range", "220s..300s") == 220.0
    assert drain_s("--drain-cut", "10%") == 180.0


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
