"""`headrace simulate FILE`: equal service, notes, a fleet's file, surges, limits, the page and the sweep."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headrace.cli import table
from headrace.cli.wanted import POLICY_NAMES

COARSE = ("--tick", "5m")
FLEETS = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata: {name: chat}
spec:
  slo: {over: 1%}
  capacity: {slots: 64, accelerators: 4, requestsPerSecond: 0.5}
  scale: {min: 2, max: 40}
  start: 6m
---
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata: {name: code}
spec:
  capacity: {slots: 8}
  scale: {max: 12, target: 50%}
"""


@pytest.fixture
def fleets(tmp_path: Path) -> Path:
    path = tmp_path / "fleets.yaml"
    path.write_text(FLEETS)
    return path


def document(ended: Any) -> dict[str, Any]:
    """What --json wrote, and that nothing else was said."""
    assert ended.code == 0, ended.err
    assert ended.err == ""
    found: dict[str, Any] = json.loads(
        ended.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON")
    )
    return found


def test_every_policy_just_keeps_the_target(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    found = document(run("simulate", history(), *COARSE, "--json", "--over", "1%,0"))
    rows = found["rows"]
    names = [*POLICY_NAMES, "bound: knows the future"]
    assert [(row["policy"], row["target_over_ratio"]) for row in rows] == [
        (name, target) for target in (0.01, 0.0) for name in names
    ]
    kept = [row for row in rows if row["gpu_hours"] is not None]
    assert len(kept) >= 10
    assert all(row["over_ratio"] <= row["target_over_ratio"] for row in kept)
    bound = rows[-1]["gpu_hours"]
    assert all(row["gpu_hours"] >= bound for row in kept if row["target_over_ratio"] == 0.0)
    required = {"policy", "minutes_over", "requests_over", "gpu_hours", "events_per_hour"}
    assert all(required <= row.keys() for row in rows)
    assert len(found["conclusion"]) >= 2


def test_notes_say_what_was_guessed_learned_and_assumed(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    notes = " ".join(document(run("simulate", history(), *COARSE, "--json", "--interpret"))["notes"])
    for words in (
        "Guessed: time column 'ts'",
        "Judged: 3 days, after 1 day that are only learned from; the curve is the mean of the days before.",
        "mean demand is 20 replicas (assumed; --per-replica, --replicas or --fleet says it)",
        "Start-up 3m, metric lag 1m, drain 5m, tick 5m, 1 accelerator a replica.",
        "Interpreted, as asked (--interpret).",
    ):
        assert words in notes


def test_the_table_reads_and_fits(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    ended = run("simulate", history(), *COARSE)
    assert ended.code == 0
    lines = ended.out.splitlines()
    at = lines.index("At most 0.1% of requests over")
    assert [line.split()[0] for line in lines[at + 1 : at + 9]] == ["policy", *POLICY_NAMES, "bound"]
    assert re.search(r"^fixed +\S+% +\S+ +\S+ +\S+ +\S+ +0\.00 +\d+ replicas$", lines[at + 2])
    assert any(
        line.startswith("At most 0.1% of requests over: ") and " is cheapest, " in line for line in lines
    )
    assert all(len(line) <= table.PIPED_COLUMNS and line == line.rstrip() for line in lines)


def test_quiet_is_the_table_alone(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    lines = run("simulate", history(), *COARSE, "--quiet", "--policy", "hpa").out.splitlines()
    assert lines[0] == "At most 0.1% of requests over"
    assert len(lines) == 4


def test_only_the_policies_asked_for(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    found = document(
        run("simulate", history(), *COARSE, "--json", "--policy", "default", "--policy", "fixed")
    )
    assert [row["policy"] for row in found["rows"]] == ["fixed", "default", "bound: knows the future"]


def test_a_fleet_gives_capacity_start_up_limits_and_target(
    run: Callable[..., Any], history: Callable[..., Path], fleets: Path
) -> None:
    found = document(run("simulate", history(), *COARSE, "--json", "--fleet", f"{fleets}#chat"))
    notes = " ".join(found["notes"])
    assert "One replica serves 0.5 requests/s;" in notes
    assert '(fleet "chat")' in notes
    assert "Start-up 6m" in notes
    assert "4 accelerators a replica, 2 to 40 replicas." in notes
    assert {row["target_over_ratio"] for row in found["rows"]} == {0.01}
    fixed = found["rows"][0]
    assert fixed["gpu_hours"] == pytest.approx(fixed["headroom"] * 4 * 72)


def test_options_beside_a_fleet_win(
    run: Callable[..., Any], history: Callable[..., Path], fleets: Path
) -> None:
    options = ("--per-replica", "2", "--startup", "20s", "--accelerators", "1", "--over", "0")
    found = document(run("simulate", history(), *COARSE, "--json", "--fleet", f"{fleets}#chat", *options))
    notes = " ".join(found["notes"])
    assert "One replica serves 2 requests/s" in notes
    assert "Start-up 20s" in notes
    assert {row["target_over_ratio"] for row in found["rows"]} == {0.0}


def test_slots_are_set_against_slots(
    run: Callable[..., Any], history: Callable[..., Path], fleets: Path
) -> None:
    path = history(head="ts,in_flight")
    notes = document(run("simulate", path, *COARSE, "--json", "--fleet", f"{fleets}#code"))["notes"]
    assert any(note.startswith("One replica serves 4 slots;") for note in notes)  # half of 8


@pytest.mark.parametrize(
    ("place", "head", "words"),
    [
        ("", "ts,rps", "holds 2 fleets (chat, code); name one"),
        ("#chatt", "ts,rps", 'no fleet "chatt"; it holds chat, code'),
        ("#code", "ts,rps", '"code" has no spec.capacity.requestsPerSecond'),
        ("#code", "ts,value", "does not say what it counts"),
    ],
)
def test_a_fleet_that_does_not_fit(
    run: Callable[..., Any], history: Callable[..., Path], fleets: Path, place: str, head: str, words: str
) -> None:
    ended = run("simulate", history(head=head), *COARSE, "--fleet", f"{fleets}{place}")
    assert ended.code == 2
    assert words in ended.err


@pytest.mark.parametrize(
    "more",
    ["headroom: 2", "surge: {rise: 300%, within: 5m}", "downWindow: 2h", "downInterval: 30m", "drain: 3h"],
)
def test_a_fleet_is_also_shown_as_its_file_has_it(
    run: Callable[..., Any], history: Callable[..., Path], tmp_path: Path, more: str
) -> None:
    def row(scale: str) -> dict[str, Any]:
        path = tmp_path / "fleet.yaml"
        path.write_text(FLEETS.partition("---")[0].replace("max: 40", f"max: 400, {scale}".rstrip(", ")))
        found = document(run("simulate", history(), *COARSE, "--json", "--fleet", path))["rows"]
        return next(row for row in found if row["policy"] == "chat, as it is")

    plain, changed = row(""), row(more)
    assert plain["headroom"] == 0.6
    assert changed["gpu_hours"] > plain["gpu_hours"]


def test_a_fleet_s_ceiling_can_be_too_low(
    run: Callable[..., Any], history: Callable[..., Path], tmp_path: Path
) -> None:
    low = tmp_path / "low.yaml"
    low.write_text(FLEETS.partition("---")[0].replace("max: 40", "max: 12"))
    found = document(run("simulate", history(), *COARSE, "--json", "--fleet", low))
    *searched, as_it_is, _bound = found["rows"]
    assert all(row["gpu_hours"] is None for row in searched)
    assert as_it_is["policy"] == "chat, as it is"
    assert as_it_is["over_ratio"] > 0.01
    assert found["conclusion"] == [
        (
            "At most 1% of requests over: no headroom is enough for "
            "fixed, hpa, reactive, predictive, known-curve and default."
        )
    ]


def test_a_surge_comes_unannounced_and_costs(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    base = (
        "simulate",
        history(),
        *COARSE,
        "--json",
        "--policy",
        "hpa",
        "--over",
        "0",
        "--per-replica",
        "0.5",
    )
    plain, surged = (document(run(*base, *more)) for more in ((), ("--surge", "100%/10m@15:00")))
    assert surged["rows"][0]["gpu_hours"] > plain["rows"][0]["gpu_hours"]
    assert "Added, unannounced: 100%/10m@15:00." in surged["notes"]


def test_a_removal_discipline_is_everybody_s(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    base = ("simulate", history(), *COARSE, "--json", "--policy", "reactive", "--per-replica", "0.5")
    own, fast = (document(run(*base, *more))["rows"][0] for more in ((), ("--removal", "0s/all/0s")))
    assert fast["events_per_hour"] > own["events_per_hour"]


def test_without_a_curve_the_curve_s_policies_are_left_out(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = [f"{300 * step},{10 + step % 7}" for step in range(288)]
    found = document(run("simulate", history(rows, head="t_s,rps"), *COARSE, "--json"))
    assert [row["policy"] for row in found["rows"]][:-1] == ["fixed", "hpa", "reactive", "default"]
    assert any(note.startswith("Left out: predictive and known-curve") for note in found["notes"])


def test_days_cuts_the_history(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    found = document(run("simulate", history(), *COARSE, "--json", "--days", "2", "--policy", "fixed"))
    assert any(note.startswith("Judged: 1 day, after 1 day") for note in found["notes"])


@pytest.mark.parametrize("how", ["line", "hold"])
def test_a_coarse_history_says_what_stands_between_its_values(
    run: Callable[..., Any], history: Callable[..., Path], how: str
) -> None:
    base = ("simulate", history(), "--tick", "1m", "--json", "--policy", "fixed")
    notes = document(run(*base, "--between", how))["notes"]
    assert any("5m" in note and f"--between {'rough' if how == 'line' else how}" in note for note in notes)


def test_the_page_has_a_chart_for_each_policy_that_keeps_the_target(
    run: Callable[..., Any], history: Callable[..., Path], tmp_path: Path
) -> None:
    page = tmp_path / "out.html"
    ended = run("simulate", history(), *COARSE, "--chart", page, "--json")
    assert json.loads(ended.out)["rows"]
    assert ended.err == f"Wrote {page}\n"
    text = page.read_text()
    assert all(name in text for name in POLICY_NAMES)
    assert "2023-11-1" in text


def test_the_sweep(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    base = (
        "simulate",
        history(),
        *COARSE,
        "--sweep",
        "--policy",
        "hpa",
        "--policy",
        "fixed",
        "--over",
        "1%,0",
    )
    found = document(run(*base, "--json"))["rows"]
    swept = {
        (row["policy"], row["mean_replicas"], row["startup_s"], row["target_over_ratio"]) for row in found
    }
    expected = {
        (policy, replicas, startup_s, over)
        for policy in ("fixed", "hpa")
        for replicas in (8.0, 60.0)
        for startup_s in (20.0, 180.0, 720.0)
        for over in (0.01, 0.0)
    }
    bounds = {("bound: knows the future", r, s, 0.0) for r in (8.0, 60.0) for s in (20.0, 180.0, 720.0)}
    assert swept == expected | bounds
    assert all(
        row["cost_ratio"] >= 1.0 for row in found if row["target_over_ratio"] == 0.0 and row["cost_ratio"]
    )
    lines = run(*base).out.splitlines()
    assert "Mean demand of 8 replicas: cost at 1% / 0% of requests over" in lines
    hpa = [line for line in lines if line.startswith("hpa")]
    assert len(hpa) == 2
    assert all(re.fullmatch(r"hpa( +[\d.]+ / ([\d.]+|fails)){3}", line) for line in hpa), hpa


@pytest.mark.parametrize("columns", [80, 120])
def test_a_table_fits_its_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    from headrace.simulate.score import Score

    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    screen = table.console()
    assert screen.width == columns
    rows = table.blank_table("At most 0.01% of requests over", table.service_headings("requests/s"), screen)
    row = Score("known-curve", 10_079.5, 123_456_789.0, 1_234_567.8, 181.62, 0.0999, 276.28, 2.469)
    table.add_row(rows, table.service_cells(row))
    with screen.capture() as written:
        table.print_table(rows, screen)
    text = written.get()
    assert "…" not in text
    assert "123,456,789" in text


def test_between_rows_demand_is_rough_by_default_and_seeded(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    base = ("simulate", history(), "--tick", "1m", "--json", "--policy", "reactive", "--days", "2")
    plain, again, other, line = (
        document(run(*base, *more)) for more in ((), ("--seed", "7"), ("--seed", "8"), ("--between", "line"))
    )
    assert any("as rough as it is at that step (--between rough, seed 7)" in note for note in plain["notes"])
    assert plain == again
    assert len({found["rows"][0]["gpu_hours"] for found in (plain, other, line)}) == 3


def test_single_requests_cost_a_small_fleet_more(
    run: Callable[..., Any], history: Callable[..., Path], fleets: Path
) -> None:
    base = (
        "simulate",
        history(),
        *COARSE,
        "--json",
        "--policy",
        "reactive",
        "--over",
        "0",
        "--replicas",
        "8",
    )
    plain, noisy = (document(run(*base, *more)) for more in ((), ("--noise",)))
    assert noisy["rows"][0]["gpu_hours"] > plain["rows"][0]["gpu_hours"]
    assert (
        "Requests come and go by chance (--noise): 150 at once in a full replica, 20s each." in noisy["notes"]
    )
    notes = document(run(*base, "--noise", "--fleet", f"{fleets}#chat"))["notes"]
    # 64 slots that serve 0.5 requests/s hold each for 128 s
    assert "Requests come and go by chance (--noise): 64 at once in a full replica, 2m8s each." in notes


def test_a_lone_dip_is_a_hole_unless_it_is_said_to_be_demand(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = [f"{300 * step},{0.01 if step in (700, 701) else 10}" for step in range(4 * 288)]
    base = ("simulate", history(rows, head="t_s,rps"), *COARSE, "--json", "--policy", "fixed")
    masked, kept = (document(run(*base, *more)) for more in ((), ("--keep-dips",)))
    assert any(
        note.startswith("2 values below 5 % of what is around them are taken for holes")
        for note in masked["notes"]
    )
    assert not any("below 5 %" in note for note in kept["notes"])
    assert masked["rows"][0]["cost_ratio"] == pytest.approx(1.0)
    assert kept["rows"][0]["cost_ratio"] > 1.0


def test_the_generated_week(run: Callable[..., Any]) -> None:
    found = document(
        run("simulate", "--example", "llm-week", "--days", "3", *COARSE, "--json", "--policy", "hpa")
    )
    assert found["notes"][0] == "Generated: 3 days of LLM traffic, seed 7 (--seed draws others)."
    assert found["rows"][0]["gpu_hours"] > found["rows"][1]["gpu_hours"] > 0


def test_without_numba_it_says_so_and_finds_the_same(
    run: Callable[..., Any], history: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = ("simulate", history(), *COARSE, "--json", "--policy", "hpa")
    with_numba = document(run(*base))
    monkeypatch.setattr("headrace.simulate.compiled.available", lambda: False)
    without = document(run(*base))
    assert without["rows"] == with_numba["rows"]
    assert without["notes"][-1].startswith(
        "Interpreted: numba is not installed (pip install 'headrace[simulate]'"
    )


def test_without_duckdb_it_says_what_to_install(
    run: Callable[..., Any], history: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    ended = run("simulate", history())
    assert ended.code == 2
    assert ended.out == ""
    assert "pip install 'headrace[history]'" in ended.err
    assert ended.err.count("\n") == 1


def test_a_history_that_begins_with_a_gap_begins_after_it(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = [f"{300 * step},{'' if step < 7 else 10 + step % 3}" for step in range(200)]
    whole = run("simulate", history(rows, head="t_s,rps"), "--tick", "5m", "--json")
    document = json.loads(whole.out)
    assert "The first 35m have no value: the history is taken to begin after them." in document["notes"]
    figures = {row["policy"]: row["gpu_hours"] for row in document["rows"]}
    assert None not in figures.values(), "a policy that begins in a gap would begin with nothing"
    known = run("simulate", history(rows[7:], head="t_s,rps"), "--tick", "5m", "--json")
    assert json.loads(known.out)["rows"] == document["rows"]


def test_judging_does_not_begin_in_a_gap(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    rows = [f"{300 * step},{10 + step % 3}" for step in range(4 * 288) if not 280 <= step < 300]
    ended = run("simulate", history(rows, head="t_s,rps"), "--tick", "5m", "--json", "--policy", "hpa")
    document = json.loads(ended.out)
    assert any(note.startswith("Judging begins 1h late, where a gap ends.") for note in document["notes"])
    assert document["rows"][0]["gpu_hours"] is not None
