"""`headrace forecast`: the next hour, and how forecasts of the past did, as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_plan import document, sentence


def test_the_next_hour_begins_where_the_history_ends(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    (model,) = document(run("forecast", history(), "--json"))["models"]
    assert (model["name"], model["unit"], model["step_s"], model["level"]) == (
        "demand",
        "requests/s",
        300.0,
        0.95,
    )
    assert model["origin_s"] == 1_700_000_000 + 300 * 4 * 288
    starts = [window["start_s"] - model["origin_s"] for window in model["windows"]]
    assert starts == [300.0 * at for at in range(12)]
    assert all(0.0 < window["expected"] < 20.0 for window in model["windows"])
    assert model["notes"]


def test_the_table_names_the_moment_in_one_line(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    lines = run("forecast", history()).out.splitlines()
    at = next(
        at for at, line in enumerate(lines) if line.startswith("demand: the next hour from 2023-11-18T22:")
    )
    assert lines[at].endswith(" on, requests/s")
    assert lines[at + 1].split() == ["window", "expected", "95%", "below"]
    assert [line.split()[0] for line in lines[at + 2 : at + 14]] == [
        "+0",
        *(f"+{5 * n}m" for n in range(1, 12)),
    ]
    assert any(line.startswith("The last window had ") for line in lines)


def test_quiet_is_the_table_alone(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    assert len(run("forecast", history(), "--quiet", "--level", "80%").out.splitlines()) == 14


def test_several_models_each_have_theirs(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    one, other = history(name="a.csv"), history(name="b.csv", head="ts,in_flight")
    assert [model["name"] for model in document(run("forecast", one, other, "--json"))["models"]] == [
        "a",
        "b",
    ]
    assert "b: the next hour" in run("forecast", one, other).out


def test_the_past_is_forecast_beside_rivals(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    found = document(run("forecast", history(), "--backtest", "--json", "--ahead", "5m", "--ahead", "1h"))
    assert [(row["name"], row["ahead_s"]) for row in found["rows"]] == [
        ("demand", 300.0),
        ("demand", 3_600.0),
    ]
    for row in found["rows"]:
        assert row["loss_ratio"] > 0.0
        assert 0.5 < row["coverage_ratio"] <= 1.0
        assert len(row["rivals"]) == 4
        assert row["gain_ratio"] == pytest.approx(1.0 - row["loss_ratio"] / min(row["rivals"].values()))
        assert row["notes"]


def test_the_table_of_the_past(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    lines = run("forecast", history(), "--backtest").out.splitlines()
    at = lines.index("Loss of the 95% quantile, % of mean demand")
    assert lines[at + 1].startswith("history  ahead  forecast  last week")
    assert [line.split()[:2] for line in lines[at + 2 : at + 4]] == [["demand", "5m"], ["demand", "15m"]]


def test_demand_that_never_moves_has_no_best_rival(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = [f"{300 * at},50" for at in range(4 * 288)]
    ended = run("forecast", history(rows), "--backtest", "--quiet")
    assert ended.code == 0
    assert "nan" not in ended.out
    assert (
        json.loads(run("forecast", history(rows), "--backtest", "--json").out)["rows"][0]["gain_ratio"]
        is None
    )


def test_nothing_is_forecast_to_be_nothing(run: Callable[..., Any], history: Callable[..., Path]) -> None:
    rows = [f"{300 * at},0" for at in range(4 * 288)]
    (model,) = document(run("forecast", history(rows), "--json"))["models"]
    assert {(window["expected"], window["upper"]) for window in model["windows"]} == {(0.0, 0.0)}


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        (
            3,
            ("--backtest",),
            "demand: 15m of demand are too few to forecast 5m ahead and to compare it with what came",
        ),
        (288, ("--backtest",), "demand: 1 day of demand are too few"),
        (None, ("--ahead", "5m"), "--ahead: says nothing without --backtest"),
        (None, ("--time-zone", "X/Y"), "--time-zone: 'X/Y' is no time zone"),
        (None, ("--durations", "x.csv"), "no such option: --durations"),
        (None, ("--value-column", "x"), "demand.csv: there is no column 'x'"),
    ],
    ids=str,
)
def test_what_is_wrong_is_one_sentence(
    run: Callable[..., Any],
    history: Callable[..., Path],
    rows: int | None,
    options: tuple[str, ...],
    words: str,
) -> None:
    few = None if rows is None else [f"{300 * at},{10 + at % 3}" for at in range(rows)]
    path = history(few)
    assert sentence(run("forecast", path, *options)).replace(f"{path.parent}/", "").startswith(words)


@pytest.mark.parametrize(
    ("value", "words"), [("0", "demand is zero, next to nothing"), ("5e-324", "next to nothing")]
)
def test_no_demand_can_not_be_tried(
    run: Callable[..., Any], history: Callable[..., Path], value: str, words: str
) -> None:
    rows = [f"{300 * at},{value}" for at in range(4 * 288)]
    assert words in sentence(run("forecast", history(rows), "--backtest"))


def test_a_value_a_day_says_nothing_of_the_next_hour(
    run: Callable[..., Any], history: Callable[..., Path]
) -> None:
    rows = [f"{86_400 * at},{10 + at % 3}" for at in range(40)]
    told = sentence(run("forecast", history(rows)))
    assert told == "demand: has a value every 24h; a forecast needs one every 8h or more often"


@pytest.mark.parametrize(("step_s", "rows"), [(300, 2), (300, 288), (420, 900), (3_600, 200), (28_800, 30)])
def test_odd_but_right_histories_are_forecast(
    run: Callable[..., Any], history: Callable[..., Path], step_s: int, rows: int
) -> None:
    values = [f"{1_700_000_000 + step_s * at},{10 + at % 3}" for at in range(rows)]
    ended = run("forecast", history(values), "--quiet")
    assert ended.code == 0, ended.err
    assert "nan" not in ended.out
