"""Whatever is wrong with a file or an option: exit 2 and one sentence that names it, before any long work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

COARSE = ("--tick", "5m")
FEW = ("1700000000,1", "1700000060,2", "1700000120,3")


def sentence(ended: Any) -> str:
    """The one sentence on stderr."""
    assert ended.code == 2, ended
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    return str(ended.err).removeprefix("error: ").rstrip("\n")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((), ["demand.csv", "no row of data"]),
        (FEW[:1], ["demand.csv", "1 row", "at least 2"]),
        ((*FEW[:2], "1700000120,-3"), ["demand.csv, row 4", "-3"]),
        ((*FEW[:2], "1700000120,many"), ["demand.csv, row 4", "many"]),
        ((*FEW[:2], "1700000120,inf"), ["demand.csv, row 4", "inf"]),
        ((*FEW[:2], "1700000060,3"), ["demand.csv, row 4", "1700000060"]),
        ((*FEW[:2], "1700000030,3"), ["demand.csv, row 4", "1700000030"]),
        (
            ("2024-03-01T00:00:00Z,1", "2024-03-01T00:01:00,2", "2024-03-01T00:02:00Z,3"),
            ["demand.csv, row 3", "zone"],
        ),
    ],
    ids=["empty", "one row", "negative", "text", "infinite", "duplicated", "unsorted", "mixed zones"],
)
def test_a_wrong_history(
    run: Callable[..., Any], history: Callable[..., Path], rows: tuple[str, ...], words: list[str]
) -> None:
    told = sentence(run("simulate", history(rows)))
    assert all(word in told for word in words), told


def test_an_empty_file(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    assert "empty.csv: the file is empty" in sentence(run("simulate", tmp_path / "empty.csv"))


def test_a_missing_file(run: Callable[..., Any], tmp_path: Path) -> None:
    assert "nowhere.csv: there is no such file" in sentence(run("simulate", tmp_path / "nowhere.csv"))


def test_a_file_that_is_not_what_its_name_says(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    assert "demand.parquet" in sentence(run("simulate", history(FEW, "demand.parquet")))


def test_a_column_that_is_not_there(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    told = sentence(run("simulate", history(FEW), "--value-column", "rqs"))
    assert "'rqs'" in told
    assert "did you mean 'rps'?" in told


def test_no_demand_at_all(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    told = sentence(
        run("simulate", history([f"{60 * step},0" for step in range(50)], head="t_s,rps"), "--tick", "1m")
    )
    assert "demand.csv: demand is zero throughout" in told


OPTIONS = [
    (("--startup", "180"), ["--startup", '"180"', '"180s"']),
    (("--startup", "2d"), ["--startup", '"2d"', "24h"]),
    (("--drain", "-5m"), ["--drain", '"-5m"', "0s or more"]),
    (("--lag", "2h"), ["--lag", '"2h"', "1h"]),
    (("--tick", "0s"), ["--tick", '"0s"', "1s"]),
    (("--learn", "4d"), ["--learn", "4 days", "nothing to judge"]),
    (("--learn", "1week"), ["--learn", '"1week"', '"168h"']),
    (("--days", "0"), ["--days", '"0"', "1"]),
    (("--days", "1.5"), ["--days", '"1.5"', "1 or 2"]),
    (("--seed", "-1"), ["--seed", '"-1"', "0"]),
    (("--between", "spline"), ["--between", '"spline"', "rough, line, hold"]),
    (("--policy", "hpaa"), ["--policy", '"hpaa"', "did you mean hpa?"]),
    (("--per-replica", "0"), ["--per-replica", '"0"', "above 0"]),
    (("--per-replica", "nan"), ["--per-replica", '"nan"']),
    (("--per-replica", "0.001"), ["--per-replica", "0.001", "10,000"]),
    (("--replicas", "many"), ["--replicas", '"many"']),
    (("--replicas", "20000"), ["--replicas", '"20000"', "10000"]),
    (("--accelerators", "eight"), ["--accelerators", '"eight"', "digits"]),
    (("--over", "60%"), ["--over", '"60%"', "50%"]),
    (("--over", "0.1%,"), ["--over", '""']),
    (("--removal", "600s/1"), ["--removal", '"600s/1"', "WINDOW/STEP/INTERVAL"]),
    (("--removal", "600s/0/2m"), ["--removal", '"0"', "1"]),
    (("--surge", "35%/5m"), ["--surge", '"35%/5m"', "@"]),
    (("--surge", "35%/5m@25:00"), ["--surge", '"25:00"', "23:59"]),
    (("--surge", "0%/5m@15:00"), ["--surge", '"0%"', "above 0%"]),
    (("--surge", "35%/2h/1h@15:00"), ["--surge", "ramp"]),
    (("--surge", "35%/5m@1h"), ["--surge", "35%/5m@1h", "1 day to 4 days"]),
    (("--surge", "35%/5m@9d"), ["--surge", "35%/5m@9d", "1 day to 4 days"]),
    (("--surge", "none", "--surge", "35%/5m@15:00"), ["--surge", "none"]),
    (("--chart", "nowhere/chart.html"), ["--chart nowhere/chart.html", "no directory"]),
    (("--fleet", "nowhere.yaml"), ["nowhere.yaml"]),
    (("--per-replica", "3", "--replicas", "3"), ["--replicas", "--per-replica"]),
    (("--sweep", "--startup", "3m"), ["--startup", "--sweep"]),
    (("--sweep", "--chart", "chart.html"), ["--chart", "--sweep"]),
    (("--sweep", "--surge", "35%/5m@15:00"), ["--surge", "--sweep"]),
    (("--example", "seed-day"), ["--example", "demand.csv"]),
    (("--days",), ["--days", "requires an argument"]),
    (("--no-such",), ["--no-such"]),
    (("another.csv",), ["another.csv"]),
]


@pytest.mark.parametrize(("options", "words"), OPTIONS, ids=lambda part: " ".join(part))
def test_a_wrong_option(
    run: Callable[..., Any],
    history: Callable[..., Path],
    options: tuple[str, ...],
    words: list[str],
) -> None:
    told = sentence(run("simulate", history(), *(() if "--tick" in options else COARSE), *options))
    assert all(word in told for word in words), told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("simulate",), ["FILE", "--example seed-day"]),
        (("simulate", "--example", "sed-day"), ["did you mean seed-day?"]),
        (("simulate", "--example", "seed-day", "--startup", "3m"), ["--startup", "seed-day", "--surge"]),
        (("simulate", "--example", "seed-day", "--surge", "35%/5m@1d"), ["--surge", "one day"]),
        (
            ("simulate", "--example", "seed-day", "--surge", "9%/5m@1:00", "--surge", "9%/5m@2:00"),
            ["one surge"],
        ),
        (("simulate", "--example", "seed-day", "--per-replica", "0.1"), ["--per-replica", "1,000"]),
        (("simulate", "--example", "llm-week", "--time-column", "t"), ["--time-column", "example"]),
        (("simulat",), ["simulat"]),
        (("replay",), ["JOURNAL"]),
        (("schema", "more"), ["more"]),
    ],
    ids=lambda part: " ".join(part),
)
def test_a_wrong_command_line(run: Callable[..., Any], arguments: tuple[str, ...], words: list[str]) -> None:
    told = sentence(run(*arguments))
    assert all(word in told for word in words), told


def test_a_wrong_option_is_told_before_the_file_is_read(run: Callable[..., Any], tmp_path: Path) -> None:
    assert "--lag" in sentence(run("simulate", tmp_path / "nowhere.csv", "--lag", "1"))


def test_an_unwritable_chart_is_told_before_the_file_is_read(run: Callable[..., Any], tmp_path: Path) -> None:
    told = sentence(run("simulate", tmp_path / "nowhere.csv", "--chart", tmp_path))
    assert f"--chart {tmp_path}: this is a directory" in told


def test_too_short_a_tick_for_a_long_history(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    years = [f"{day * 86_400},5" for day in range(400)]
    told = sentence(run("simulate", history(years, head="t_s,rps"), "--tick", "1s", "--between", "line"))
    assert "--tick" in told
    assert "34,560,000" in told


def test_a_gap_of_days_is_simulated_around_and_said(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = [f"{300 * step},10" for step in range(8 * 288) if not 4 * 288 <= step < 6 * 288]
    ended = run(
        "simulate", history(rows, head="t_s,rps"), *COARSE, "--policy", "fixed", "--json", "--replicas", "2"
    )
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert any("Gap of 2 days" in note for note in document["notes"])
    fixed = document["rows"][0]
    assert fixed["minutes_over"] == 0.0
    # two replicas for the seven days that are judged: the gap is neither demand nor a free ride
    assert fixed["gpu_hours"] == pytest.approx(2 * 7 * 24)
    assert fixed["cost_ratio"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--fleet", ""), "--fleet: names no file"),
        (("--replicas", "9000"), "--replicas: the peak of demand, surges included, is"),
        (("--per-replica", "0.0000000001"), "--per-replica: "),
        (("--replicas", "0.0001"), '--replicas: "0.0001" is below the smallest allowed value, 0.001'),
        (("--surge", "35%/5m/10000d@1d"), '--surge: "10000d" is above the largest allowed value, 3650d'),
        (("--surge", "10000%/0s@2d", "--surge", "10000%/0s@2d"), "demand.csv: the peak of demand"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_what_is_to_blame_is_named(
    run: Callable[..., Any], history: Callable[..., Path], options: tuple[str, ...], words: str
) -> None:
    assert words in sentence(run("simulate", history(), *COARSE, *options))


def test_demand_too_small_for_floats(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    told = sentence(run("simulate", history([f"{60 * step},5e-324" for step in range(50)], head="t_s,rps")))
    assert "below the smallest that is reckoned with, 1e-09" in told


def test_a_name_with_commands_to_the_terminal_is_told_in_one_plain_line(run: Callable[..., Any]) -> None:
    assert "no\\n\\x1b[31mwhere.csv: there is no such file" in sentence(
        run("simulate", "no\n\x1b[31mwhere.csv")
    )


def test_a_sweep_of_a_peak_that_would_never_end(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = [f"{300 * step},{1e6 if step == 900 else 1}" for step in range(4 * 288)]
    told = sentence(run("simulate", history(rows, head="t_s,rps"), *COARSE, "--sweep"))
    assert told.endswith("; --sweep allows 10,000")


def test_a_sweep_of_nothing(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    rows = [f"{300 * step},{1 if step < 288 else ''}" for step in range(4 * 288)]
    told = sentence(run("simulate", history(rows, head="t_s,rps"), *COARSE, "--sweep"))
    assert "no value is known in the 3 days that are judged" in told
