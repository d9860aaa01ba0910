"""What the texts of plan's options mean, and each that can't mean anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.cli.forecast_wanted import ForecastWanted, forecast_wanted
from headrace.cli.plan_wanted import PlanWanted, TodayWanted, plan_wanted
from headrace.errors import InputError
from headrace.spec import Surge


def of(**typed: object) -> PlanWanted:
    return plan_wanted({"files": ["a.csv"], "slots": "64", **typed})


def test_what_is_not_given_is_not_said() -> None:
    plain = of(over=None, keep_dips=False)
    assert plain == PlanWanted(past=plain.past, slots=64)


@pytest.mark.parametrize(
    ("text", "today"),
    [
        ("fixed:12", ("fixed", 12.0, "fixed at 12")),
        ("hpa:70%", ("hpa", 0.7, "hpa at 70%")),
        ("hpa:0.7", ("hpa", 0.7, "hpa at 70%")),
        ("predictive:100%", ("predictive", 1.0, "predictive at 100%")),
    ],
)
def test_what_runs_today(text: str, today: tuple[str, float, str]) -> None:
    assert of(today=text).today == TodayWanted(*today, text)


@pytest.mark.parametrize("text", ["35%/5m", "+35%/5m", "0.35/5m", "35%/300s"])
def test_a_class_of_surge(text: str) -> None:
    assert of(surge=text).surge == Surge(0.35, 300.0)


def test_a_range_and_a_share_of_the_drain() -> None:
    found = of(drain_range="60s..15m", drain_cut="0.5%")
    assert (found.drain_range, found.drain_cut) == ((60.0, 900.0), 0.005)
    assert of(drain_range="5m..5m").drain_range == (300.0, 300.0)
    assert of(drain_range="1.5s..1h").drain_range == (1.5, 3_600.0)


def test_figures_and_places() -> None:
    found = of(
        per_replica="450/m",
        startup_s="1h30m",
        over="0",
        target="0.75",
        out="a.yaml",
        report="b.html",
        holdout_s="7d",
    )
    assert (found.per_replica, found.startup_s, found.over, found.target) == (7.5, 5_400.0, 0.0, 0.75)
    assert (found.out, found.report, found.holdout_s) == (Path("a.yaml"), Path("b.html"), 604_800.0)


def test_a_fleet_says_slots_too() -> None:
    assert plan_wanted({"files": ["a.csv"], "fleet": "fleet.yaml"}).slots is None


WRONG = [
    ({"slots": None}, "headrace plan: needs to know what a replica runs at once; give --slots"),
    ({"slots": "0"}, '--slots: "0" is below the smallest allowed value, 1'),
    ({"slots": "many"}, '--slots: "many" is not a whole number'),
    ({"per_replica": "0"}, '--per-replica: "0" is not above 0'),
    ({"accelerators": "1.5"}, '--accelerators: "1.5" is not a whole number; write 1 or 2'),
    ({"startup_s": "180"}, '--startup: "180" has no unit: write "180s"'),
    ({"startup_s": "2d"}, '--startup: "2d" is above the largest allowed value, 24h'),
    ({"engine": "vlm"}, '--engine: "vlm" is not one of vllm, sglang; did you mean vllm?'),
    ({"over": "60%"}, '--over: "60%" is above the largest allowed value, 50%'),
    ({"over": "-1%"}, '--over: "-1%" is negative'),
    ({"surge": "35%"}, '--surge: "35%" is not a class of surge; write RISE/RAMP such as 35%/5m'),
    ({"surge": "35/5m"}, '--surge: "35/5m" has a rise without %'),
    ({"surge": "/5m"}, "--surge: "),
    ({"surge": "35%/0s"}, '--surge: "0s" is below the smallest allowed value, 1s'),
    ({"surge": "35%/5m@15:00"}, '--surge: "5m@15:00" is not a duration'),
    ({"kv_tokens": "1.2e6"}, '--kv-tokens: "1.2e6" is not'),
    ({"tokens_per_request": "0"}, '--tokens-per-request: "0" is not above 0'),
    (
        {"drain_range": "60s"},
        '--drain-range: "60s" is not a range; write SHORTEST..LONGEST such as 60s..900s',
    ),
    ({"drain_range": "60..900"}, '--drain-range: "60" has no unit: write "60s"'),
    ({"drain_range": "..900s"}, '--drain-range: "" is not a duration'),
    ({"drain_range": "60s...900s"}, '--drain-range: ".900s" is not a duration'),
    ({"drain_range": "0s..900s"}, '--drain-range: "0s" is below the smallest allowed value, 1s'),
    ({"drain_range": "60s..2h"}, '--drain-range: "2h" is above the largest allowed value, 1h'),
    (
        {"drain_range": "900s..60s"},
        '--drain-range: "900s..60s" ends before it begins; write the shorter one first',
    ),
    ({"drain_cut": "0%"}, '--drain-cut: "0%" is below the smallest allowed value, 0.01%'),
    ({"drain_cut": "60%"}, '--drain-cut: "60%" is above the largest allowed value, 50%'),
    ({"kv_column": "kv"}, "--kv-column: says nothing without --occupancy"),
    ({"target": "4%"}, '--target: "4%" is below the smallest allowed value, 5%'),
    ({"least": "0"}, '--min: "0" is below the smallest allowed value, 1'),
    ({"least": "5", "most": "3"}, "--max: 3 is below --min, 5"),
    ({"pool": "0"}, '--pool: "0" is below the smallest allowed value, 1'),
    ({"lag_s": "2h"}, '--lag: "2h" is above the largest allowed value, 1h'),
    ({"tick_s": "0.5s"}, '--tick: "0.5s" is below the smallest allowed value, 1s'),
    ({"between": "spline"}, '--between: "spline" is not one of rough, line, hold'),
    ({"seed": "-1"}, '--seed: "-1" is below the smallest allowed value, 0'),
    ({"today": "hpa"}, '--today: "hpa" has no number; write fixed:12 or hpa:70%'),
    (
        {"today": "hpaa:70%"},
        '--today: "hpaa" is not one of fixed, hpa, reactive, predictive; did you mean hpa?',
    ),
    ({"today": "hpa:0%"}, '--today: "0%" is below the smallest allowed value, 5%'),
    ({"today": "hpa:"}, '--today: "" is not a share'),
    ({"today": "fixed:0.5"}, '--today: "0.5" is not a whole number'),
    ({"today_min": "3"}, "--today-min: says nothing without --today"),
    (
        {"today": "fixed:3", "today_max": "9"},
        "--today-max: says nothing beside --today fixed:3, which never scales",
    ),
    ({"today": "hpa:70%", "today_min": "9", "today_max": "3"}, "--today-max: 3 is below --today-min, 9"),
    ({"today_drain_s": "-1s"}, '--today-drain: "-1s" is negative'),
    ({"holdout_s": "30m"}, '--holdout: "30m" is below the smallest allowed value, 1h'),
    ({"holdout_s": "1week"}, '--holdout: "1week" is not a duration; did you mean "168h"?'),
    ({"tolerance": "5%"}, "--tolerance: says nothing without --holdout"),
    ({"prefill_rate": "100"}, "--prefill-rate: says nothing without --prompts"),
    ({"prompt_column": "n"}, "--prompt-column: says nothing without --prompts"),
    ({"prompts": ""}, "--prompts: names no file; write FILE"),
    ({"fleet": ""}, "--fleet: names no file; write FILE or FILE#NAME"),
    ({"out": ""}, "--out: names no file; write FILE.yaml"),
    ({"report": ""}, "--report: names no file; write FILE.html"),
    ({"out": "x", "report": "x"}, '--report: "x" is what --out writes; name another file'),
]


@pytest.mark.parametrize(("typed", "words"), WRONG, ids=str)
def test_what_does_not_go_is_one_sentence(typed: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as caught:
        of(**typed)
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)


def test_a_forecast_s_options() -> None:
    plain = forecast_wanted({"files": ["a.csv"]})
    assert plain == ForecastWanted(past=plain.past)
    assert (plain.level, plain.ahead_s) == (0.95, ())
    tried = forecast_wanted(
        {"files": ["a.csv"], "backtest": True, "ahead_s": ["5m", "300s", "1h"], "level": "99%"}
    )
    assert (tried.ahead_s, tried.level) == ((300.0, 3_600.0), 0.99)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"ahead_s": ["5m"]}, "--ahead: says nothing without --backtest"),
        ({"ahead_s": ["2h"], "backtest": True}, '--ahead: "2h" is above the largest allowed value, 1h'),
        ({"level": "40%"}, '--level: "40%" is below the smallest allowed value, 50%'),
        ({"level": "1"}, '--level: "1" is above the largest allowed value, 99.9%'),
        ({"seed": "x"}, '--seed: "x" is not a whole number'),
    ],
    ids=str,
)
def test_a_forecast_s_options_that_do_not_go(typed: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as caught:
        forecast_wanted({"files": ["a.csv"], **typed})
    assert str(caught.value).startswith(words)
