"""`headrace plan`: the table, JSON, the ModelFleet file, the page, several models, proofs and their exit codes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headrace.cli import table
from headrace.config import load_fleets

COARSE = ("--tick", "5m", "--interpret")
SLOTS = ("--slots", "4")
FLEET = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata: {name: chat}
spec:
  slo: {over: 1%}
  capacity: {slots: 4, accelerators: 2}
  scale: {min: 2, max: 9, target: 75%, headroom: 1.5, drain: 2m}
  start:
  - {name: node, median: 1m}
  - {name: weights, median: 2m, p90: 3m}
"""


@pytest.fixture
def slots(history: Callable[..., Path]) -> Path:
    """Four days of demand in slots, 5 to 15 of them."""
    return history(name="chat.csv", head="ts,in_flight")


@pytest.fixture
def took(tmp_path: Path) -> Path:
    path = tmp_path / "took.csv"
    path.write_text("duration_s\n" + "\n".join(["10"] * 200 + ["20"] * 100 + ["95"] * 10) + "\n")
    return path


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """A week of samples by the minute: three replicas, a queue of half an hour each day."""
    path = tmp_path / "seen.csv"
    rows = (
        f"{1_700_000_000 + 60 * at},{12 if at % 1_440 < 30 else 6},{15 if at % 1_440 < 30 else 0},3"
        for at in range(7 * 1_440)
    )
    path.write_text("ts,running,waiting,replicas\n" + "\n".join(rows) + "\n")
    return path


def document(ended: Any, code: int = 0) -> dict[str, Any]:
    """What --json wrote, and that nothing else was said."""
    assert ended.code == code, ended.err
    assert ended.err == ""
    found: dict[str, Any] = json.loads(
        ended.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON")
    )
    return found


def numbers(model: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {number["name"]: number for number in model["numbers"]}


def sentence(ended: Any) -> str:
    """The one sentence on stderr."""
    assert ended.code == 2, ended
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    return str(ended.err).removeprefix("error: ").rstrip("\n")


def test_the_document_has_every_number_outcome_and_note(
    run: Callable[..., Any], slots: Path, took: Path
) -> None:
    found = document(run("plan", slots, *SLOTS, *COARSE, "--json", "--durations", took, "--today", "hpa:60%"))
    assert found.keys() == {"models", "pool", "notes"}
    (model,) = found["models"]
    assert model.keys() == {"name", "numbers", "outcomes", "differences", "holdout", "notes"}
    assert model["name"] == "chat"
    assert all(
        number.keys() == {"name", "value", "text", "why", "data", "today"} for number in model["numbers"]
    )
    of = numbers(model)
    assert list(of) == [
        "min",
        "max",
        "target",
        "headroom",
        "floor",
        "drain N",
        "grace",
        "startup probe",
        "forecast quality",
        "replica size",
    ]
    assert of["grace"]["value"] == of["drain N"]["value"] + 50.0
    assert of["max"]["today"] == "none"
    assert [row["name"] for row in model["outcomes"]] == ["hpa at 60%", "proposed", "bound: knows the future"]
    required = {
        "minutes_over",
        "requests_over",
        "over_ratio",
        "gpu_hours",
        "cut_streams",
        "cut_streams_least",
    }
    assert all(required <= row.keys() for row in model["outcomes"])
    assert model["differences"][0].startswith("From today to the plan: ")
    assert any(note.startswith("Guessed: time column 'ts'") for note in model["notes"])
    assert any(note.startswith("Start-up is taken to be 3 minutes") for note in model["notes"])
    assert found["notes"] == ["Interpreted, as asked (--interpret)."]
    assert (found["pool"], model["holdout"]) == (None, None)


@pytest.mark.parametrize("columns", [80, 120])
def test_the_plan_reads_and_fits(
    run: Callable[..., Any], slots: Path, took: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr(table, "PIPED_COLUMNS", columns)
    ended = run(
        "plan",
        slots,
        *SLOTS,
        *COARSE,
        "--durations",
        took,
        "--today",
        "hpa:60%",
        "--holdout",
        "1d",
        "--pool",
        "8",
    )
    assert ended.code in (0, 1)
    lines = ended.out.splitlines()
    assert "Plan for chat" in lines
    assert "The last 3 days, run again" in lines
    assert "The 1 day that the plan had not seen" in lines
    assert "Promised and kept" in lines
    assert "8 accelerators for all, over 3 days" in lines
    for name in (
        "min",
        "max",
        "target",
        "headroom",
        "floor",
        "drain N",
        "grace",
        "startup probe",
        "replica size",
    ):
        assert any(line.startswith(f"  {name} ") for line in lines), name
    assert max(map(len, lines)) <= columns
    assert all(line == line.rstrip() for line in lines)
    assert "nan" not in ended.out
    assert not re.search(r"\d\.\d{5}", ended.out)
    assert not any(line.lstrip().startswith("% ") for line in lines)  # no share is torn from its figure


def test_quiet_is_the_tables_alone(run: Callable[..., Any], slots: Path) -> None:
    ended = run("plan", slots, *SLOTS, *COARSE, "--quiet", "--pool", "8")
    assert ended.out.startswith("Plan for chat\n")
    assert "Guessed" not in ended.out
    assert "Somebody" not in ended.out
    assert "enough" not in ended.out.partition("for all")[2]
    assert ended.err == ""


def test_the_file_reads_back_and_simulate_takes_it(
    run: Callable[..., Any], slots: Path, took: Path, tmp_path: Path
) -> None:
    out = tmp_path / "plan.yaml"
    ended = run("plan", slots, *SLOTS, *COARSE, "--durations", took, "--out", out, "--json", "--lag", "2m")
    assert ended.err == f"Wrote {out}\n"
    of = numbers(json.loads(ended.out)["models"][0])
    (fleet,) = load_fleets(str(out))
    assert fleet.name == "chat"
    assert fleet.scale.min_replicas == of["min"]["value"]
    assert fleet.scale.max_replicas == of["max"]["value"]
    assert fleet.scale.rule.headroom == of["headroom"]["value"]
    assert fleet.scale.drain_s == of["drain N"]["value"]
    assert fleet.scale.target_ratio == of["target"]["value"]
    text = out.read_text()
    assert "# found for decisions every 5m on samples 2m old (--tick, --lag), which no file says\n" in text
    for name, number in of.items():
        assert f"# {name}: {number['text']}: {number['why']}\n" in text
    again = document(
        run(
            "simulate",
            slots,
            "--fleet",
            out,
            "--tick",
            "5m",
            "--lag",
            "2m",
            "--json",
            "--interpret",
            "--policy",
            "fixed",
        )
    )
    filed = next(row for row in again["rows"] if row["policy"] == "chat, as it is")
    proposed = json.loads(ended.out)["models"][0]["outcomes"][0]
    assert filed["over_ratio"] <= 0.001
    assert filed["gpu_hours"] == pytest.approx(proposed["gpu_hours"], rel=0.05)


def test_requests_per_second_can_be_set_against_the_file(
    run: Callable[..., Any], history: Callable[..., Path], took: Path, tmp_path: Path
) -> None:
    out = tmp_path / "plan.yaml"
    ended = run("plan", history(), "--slots", "16", *COARSE, "--durations", took, "--out", out, "--quiet")
    assert ended.code == 0, ended.err
    (fleet,) = load_fleets(str(out))
    # 16 slots over 15.97 s in service
    assert fleet.capacity.requests_per_s == pytest.approx(1.002, abs=0.001)
    assert run("simulate", history(), "--fleet", out, *COARSE, "--policy", "hpa").code == 0


def test_without_a_rate_of_a_replica_requests_can_not_be_planned_for(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    told = sentence(run("plan", history(), *SLOTS, *COARSE))
    assert told.startswith(
        "demand: counts requests/s, and nothing says how many of them a replica serves; give --per"
    )


def test_a_fleet_s_file_says_what_is_known_and_what_runs_today(
    run: Callable[..., Any], slots: Path, tmp_path: Path
) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(FLEET)
    out = tmp_path / "out.yaml"
    ended = run("plan", slots, "--fleet", path, *COARSE, "--json", "--out", out, "--quiet")
    (model,) = document(ended)["models"]
    of = numbers(model)
    assert {name: number["today"] for name, number in of.items() if number["today"]} == {
        "min": "2",
        "max": "9",
        "target": "75 %",
        "headroom": "x 1.5",
        "drain N": "2m",
    }
    assert (of["min"]["value"], of["max"]["value"], of["target"]["value"]) == (2, 9, 0.75)
    assert model["outcomes"][0]["name"] == "chat, as it is"
    (fleet,) = load_fleets(str(out))
    assert [phase.name for phase in fleet.start.phases] == ["node", "weights"]
    assert (fleet.slo.over_ratio, fleet.capacity.accelerators) == (0.01, 2)


def test_options_beside_a_fleet_s_file_win(run: Callable[..., Any], slots: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "fleet.yaml", tmp_path / "out.yaml"
    path.write_text(FLEET)
    options = (
        "--slots",
        "8",
        "--accelerators",
        "1",
        "--startup",
        "6m",
        "--over",
        "5%",
        "--max",
        "20",
        "--min",
        "3",
    )
    more = ("--engine", "sglang", "--surge", "35%/5m", "--target", "50%", "--out", out, "--quiet", "--json")
    document(run("plan", slots, "--fleet", path, *COARSE, *options, *more))
    (fleet,) = load_fleets(str(out))
    assert (fleet.capacity.slots, fleet.capacity.accelerators, fleet.engine) == (8, 1, "sglang")
    assert (fleet.scale.min_replicas, fleet.scale.max_replicas, fleet.scale.target_ratio) == (3, 20, 0.5)
    assert [phase.median_s for phase in fleet.start.phases] == [360.0]
    assert fleet.slo.over_ratio == 0.05
    assert fleet.scale.surge is not None
    # it reads back, so the exponent is that of a start-up of six minutes
    assert fleet.scale.rule.exponent == 0.25


def test_several_models_take_the_fleets_of_their_names(
    run: Callable[..., Any], slots: Path, history: Callable[..., Path], tmp_path: Path
) -> None:
    other = history(name="code.csv", head="ts,in_flight")
    path, out = tmp_path / "fleets.yaml", tmp_path / "out.yaml"
    path.write_text(
        FLEET + "---\n" + FLEET.replace("name: chat", "name: code").replace("slots: 4", "slots: 2")
    )
    ended = run("plan", slots, f"team/code={other}", "--fleet", path, *COARSE, "--out", out, "--pool", "16")
    assert ended.code == 0, ended.err
    assert ended.out.count("Guessed: time column") == 1  # what is said of all is said once
    lines = ended.out.splitlines()
    at = lines.index("All models")
    assert [line.split()[0] for line in lines[at + 1 : at + 4]] == ["model", "chat", "team/code"]
    assert "Plan for team/code" in lines
    assert [(fleet.name, fleet.capacity.slots) for fleet in load_fleets(str(out))] == [
        ("chat", 4),
        ("code", 2),
    ]
    told = sentence(run("plan", f"else={slots}", other, "--fleet", path, *COARSE))
    assert told == f'--fleet {path}: holds no fleet "else"; it holds chat, code'


def test_names_that_a_file_can_not_have_are_told_apart(
    run: Callable[..., Any], slots: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.yaml"
    ended = run("plan", f"A/b={slots}", f"a.b={slots}", *SLOTS, *COARSE, "--out", out, "--quiet")
    assert ended.code == 0, ended.err
    assert [fleet.name for fleet in load_fleets(str(out))] == ["a-b", "a-b-2"]


def test_a_pool_that_is_too_small_says_who_lacks_what(
    run: Callable[..., Any], slots: Path, history: Callable[..., Path]
) -> None:
    other = history(name="code.csv", head="ts,in_flight")
    pool = document(run("plan", slots, other, *SLOTS, *COARSE, "--json", "--pool", "6"))["pool"]
    assert (pool["accelerators"], pool["days"]) == (6, 3.0)
    assert pool["enough_accelerators"] > 6
    assert pool["tight_ratio"] > 0.5
    assert {row["name"] for row in pool["models"]} == {"chat", "code"}
    assert pool["notes"]


def test_occupancy_sets_the_target_and_the_floor(run: Callable[..., Any], slots: Path, seen: Path) -> None:
    (model,) = document(run("plan", slots, *SLOTS, *COARSE, "--json", "--occupancy", seen))["models"]
    of = numbers(model)
    # 3 replicas whose every slot is taken, and 15 that wait, daily: (12 + 15) / 4
    assert of["floor"]["value"] == of["min"]["value"] >= 5
    assert of["min"]["why"] in of["floor"]["why"]
    assert of["target"]["data"] == "10,080 samples of occupancy"
    assert of["floor"]["data"] == "7 days of what waits, 10,080 samples"


def test_long_prompts_raise_the_floor(run: Callable[..., Any], slots: Path, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts.csv"
    prompts.write_text("prompt_tokens\n" + "\n".join(["500"] * 95 + ["400000"] * 5) + "\n")
    base = ("plan", slots, *SLOTS, *COARSE, "--json")
    (model,) = document(run(*base, "--prompts", prompts))["models"]
    of = numbers(model)
    assert of["floor"]["value"] > 1
    assert any("100 prompt lengths, the longest 400,000 tokens" in note for note in model["notes"])
    (fast,) = document(run(*base, "--prompts", prompts, "--prefill-rate", "1000000"))["models"]
    assert numbers(fast)["floor"]["value"] == 1


def test_an_access_log_is_enough(run: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = (f"{1_700_000_000 + 20 * at},{30 + 40 * (at // 1_000 % 2)}" for at in range(13_000))
    log.write_text("started,duration_s\n" + "\n".join(rows) + "\n")
    (model,) = document(run("plan", "--access-log", f"chat={log}", *SLOTS, *COARSE, "--json"))["models"]
    assert model["name"] == "chat"
    assert numbers(model)["drain N"]["data"] == "13,000 finished requests"


def test_what_runs_today_can_be_said(run: Callable[..., Any], slots: Path) -> None:
    options = ("--today", "fixed:5", "--today-drain", "30s")
    (model,) = document(run("plan", slots, *SLOTS, *COARSE, "--json", *options))["models"]
    assert model["outcomes"][0]["name"] == "fixed at 5"
    assert model["outcomes"][0]["gpu_hours"] == pytest.approx(5 * 72.0)
    assert numbers(model)["drain N"]["today"] == "30s"


def test_what_runs_today_can_be_seen(
    run: Callable[..., Any], slots: Path, seen: Path, history: Callable[..., Path]
) -> None:
    base = ("plan", slots, *SLOTS, *COARSE, "--json", "--occupancy")
    (model,) = document(run(*base, seen))["models"]
    assert model["outcomes"][0]["name"] == "as it was seen"
    assert model["outcomes"][0]["gpu_hours"] == pytest.approx(3 * 72.0)
    rows = seen.read_text().splitlines()[1:]
    head = "ts,running,waiting,replicas"
    part = history(
        rows[: 2 * 1_440], name="part.csv", head=head
    )  # the first of the three days that are judged
    (model,) = document(run(*base, part))["models"]
    assert model["differences"][0].startswith("Replicas were seen in 33 % of this time")
    early = history(rows[:1_000], name="early.csv", head=head)  # the day that is only learned from
    (model,) = document(run(*base, early))["models"]
    assert [row["name"] for row in model["outcomes"]] == ["proposed", "bound: knows the future"]


def test_kept_promises_end_with_0_and_missed_ones_with_1(
    run: Callable[..., Any], slots: Path, history: Callable[..., Path]
) -> None:
    base = (*SLOTS, *COARSE, "--json", "--holdout", "1d", "--over", "1%")
    kept = document(run("plan", slots, *base))["models"][0]["holdout"]
    assert kept["held"]
    assert [promise["what"] for promise in kept["promises"]] == [
        "requests over (share)",
        "minutes over",
        "GPU-hours",
    ]
    assert all(promise["held"] == (promise["kept"] <= promise["limit"]) for promise in kept["promises"])
    rows = slots.read_text().splitlines()[1:]
    wild = [row.replace(",", ",9") if at > 3 * 288 and at % 40 < 6 else row for at, row in enumerate(rows)]
    path = history(wild, name="wild.csv", head="ts,in_flight")
    missed = document(run("plan", path, *base), code=1)["models"][0]["holdout"]
    assert not missed["held"]
    wider = document(run("plan", path, *base, "--tolerance", "50%"), code=1)["models"][0]["holdout"]
    assert [promise["limit"] for promise in wider["promises"]] == pytest.approx(
        [promise["promised"] * 1.5 for promise in wider["promises"]]
    )


def test_a_report_is_written_beside_the_table(
    run: Callable[..., Any], slots: Path, took: Path, seen: Path, tmp_path: Path
) -> None:
    page = tmp_path / "plan.html"
    ended = run(
        "plan",
        slots,
        *SLOTS,
        *COARSE,
        *("--durations", took, "--occupancy", seen, "--report", page, "--holdout", "1d", "--pool", "9"),
        *("--today", "hpa:60%", "--quiet"),
    )
    assert ended.code in (0, 1), ended.err
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    assert "headrace plan: chat" in text
    assert "NaN" not in text
    assert ended.err == ""


def test_nothing_is_written_where_it_can_not_be_and_this_is_told_first(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    missing = tmp_path / "nowhere.csv"  # which would be told if it were looked for
    for option, name in (("--out", "fleet.yaml"), ("--report", "report.html")):
        told = sentence(run("plan", missing, *SLOTS, option, tmp_path))
        assert (
            told == f"{option} {tmp_path}: this is a directory; give the name of a file in it, such as {name}"
        )
        told = sentence(run("plan", missing, *SLOTS, option, tmp_path / "no" / name))
        assert told == f"{option} {tmp_path}/no/{name}: there is no directory {tmp_path}/no to write it to"


def test_ctrl_c_leaves_what_was_there(
    run: Callable[..., Any], slots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, page = tmp_path / "plan.yaml", tmp_path / "plan.html"
    out.write_text("before")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    ended = run("plan", slots, *SLOTS, *COARSE, "--out", out, "--report", page, "--quiet")
    assert ended.code == 130
    assert ended.err == "error: interrupted\n"
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["chat.csv", "plan.yaml"]


ROWS = range(4 * 288)


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        (["1700000000,1"], (), "chat.csv: there is 1 row of data; a history needs at least 2"),
        ([f"{300 * at}," for at in ROWS], (), "chat.csv: none of the 1,152 rows has a value in 'in_flight'"),
        (
            [f"{300 * at},0" for at in ROWS],
            (),
            "chat: demand is zero, next to nothing or not known in the 3 days",
        ),
        ([f"{300 * at},5e-324" for at in ROWS], (), "chat: demand is zero, next to nothing"),
        ([f"{300 * at},{5 if at < 288 else ''}" for at in ROWS], (), "chat: demand is zero, next to nothing"),
        (
            [f"{300 * at},{1e9 + at % 7}" for at in ROWS],
            (),
            "chat: the peak of demand is 416,666,669 replicas, ",
        ),
        (
            [f"{300 * at},{at}" for at in ROWS],
            (),
            "chat.csv: the value column 'in_flight' looks like a counter",
        ),
        (
            None,
            ("--holdout", "5d"),
            "--holdout: 5 days of a history of 4 days leave 0s to plan on; 2 days are the",
        ),
        (
            None,
            ("--holdout", "49h"),
            "--holdout: 2.04 days of a history of 4 days leave 1.96 days to plan on",
        ),
        (None, ("--time-zone", "Nowhere/Land"), "--time-zone: 'Nowhere/Land' is no time zone"),
        (None, ("--value-column", "rq"), "chat.csv: there is no column 'rq'"),
        (None, ("--durations", "nowhere.csv"), "nowhere.csv: there is no such file"),
        (None, ("--occupancy", "nowhere.csv"), "nowhere.csv: there is no such file"),
        (None, ("--prompts", "nowhere.csv"), "nowhere.csv: there is no such file"),
        (None, ("--fleet", "nowhere.yaml"), "nowhere.yaml: can't be read"),
        (None, ("--tick", "1s", "--between", "hold", "--no-such"), "no such option: --no-such"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "" if isinstance(part, list) else None,
)
def test_what_is_wrong_is_one_sentence(
    run: Callable[..., Any],
    history: Callable[..., Path],
    rows: list[str] | None,
    options: tuple[str, ...],
    words: str,
) -> None:
    path = history(rows, name="chat.csv", head="ts,in_flight")
    told = sentence(run("plan", path, *SLOTS, *(() if "--tick" in options else COARSE), *options))
    assert told.replace(f"{path.parent}/", "").startswith(words)


def test_a_tick_that_is_too_short_for_years(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    years = history(
        [f"{day * 86_400},{5 + day % 2}" for day in range(400)], name="chat.csv", head="t_s,in_flight"
    )
    told = sentence(run("plan", years, *SLOTS, "--tick", "1s"))
    assert told == "--tick: 1s makes 34,560,000 ticks of chat; allowed are 20,000,000"


@pytest.mark.parametrize(
    "options",
    [
        ("--startup", "0.1s"),
        ("--startup", "24h"),
        ("--slots", "1"),
        ("--slots", "65536"),
        ("--over", "0"),
        ("--over", "50%"),
        ("--target", "5%"),
        ("--min", "50"),
        ("--max", "1", "--today", "hpa:60%"),
        ("--pool", "1"),
        ("--surge", "1000%/6h"),
        ("--lag", "1h"),
        ("--accelerators", "16384"),
        ("--today", "fixed:10000"),
        ("--per-replica", "1000000"),
        ("--keep-dips",),
        ("--time-zone", "Pacific/Apia"),
    ],
    ids=" ".join,
)
def test_odd_but_right_options_are_planned_with_and_read_back(
    run: Callable[..., Any], slots: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    out = tmp_path / "out.yaml"
    slotted = () if "--slots" in options else SLOTS
    ended = run("plan", slots, *slotted, *COARSE, *options, "--out", out, "--quiet")
    assert ended.code == 0, ended.err
    assert "nan" not in ended.out
    assert len(load_fleets(str(out))) == 1


@pytest.mark.parametrize(
    ("step_s", "rows"),
    [(300, 2), (300, 3), (300, 40), (300, 288), (420, 800), (3_600, 200), (86_400, 40), (604_800, 6)],
)
def test_odd_but_right_histories_are_planned_from(
    run: Callable[..., Any], history: Callable[..., Path], step_s: int, rows: int
) -> None:
    values = [f"{1_700_000_000 + step_s * at},{10 + at % 3}" for at in range(rows)]
    path = history(values, name="chat.csv", head="ts,in_flight")
    ended = run("plan", path, *SLOTS, *COARSE, "--quiet")
    assert ended.code == 0, ended.err
    assert "nan" not in ended.out
