"""`headrace simulate --example seed-day`: the published rows, the options that apply, a page of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SEED_DAY = ("simulate", "--example", "seed-day")
PUBLISHED = {
    "fixed at surge peak": (0.0, 0.0, 5_568.0),
    "fixed at the usual peak": (59.333, 172_491.37, 4_224.0),
    "reactive, cold 12 min": (29.333, 46_321.37, 2_675.467),
    "reactive, warm 3 min": (11.333, 9_040.16, 2_675.467),
    "reactive, wake 20 s": (1.5, 116.49, 2_675.467),
    "predictive + cold 12 min": (13.833, 22_599.73, 2_715.467),
    "predictive + warm 3 min": (4.833, 3_950.58, 2_691.467),
    "predictive + warm, 75% target": (0.0, 0.0, 3_225.489),
}


def rows(ended: Any) -> list[dict[str, Any]]:
    assert ended.code == 0, ended.err
    assert ended.err == ""
    found: list[dict[str, Any]] = json.loads(ended.out)["rows"]
    return found


def test_json_has_the_published_rows_then_the_known_curve_and_the_bounds(run: Callable[..., Any]) -> None:
    found = rows(run(*SEED_DAY, "--json"))
    for row, (policy, (minutes, requests, hours)) in zip(found, PUBLISHED.items(), strict=False):
        assert row["policy"] == policy
        assert round(row["minutes_over"], 3) == minutes
        assert round(row["requests_over"], 2) == requests
        assert round(row["gpu_hours"], 3) == hours
    rest = [(row["policy"], row["is_bound"]) for row in found[8:]]
    expected = []
    for start in ("cold 12 min", "warm 3 min", "wake 20 s"):
        expected += [
            (f"known curve, {start}", False),
            (f"bound: survives +35 %/5 min, {start}", True),
            (f"bound: knows the future, {start}", True),
        ]
    assert rest == expected
    assert all(row["events_per_hour"] is None for row in found if row["is_bound"])


def test_the_table_has_the_same_figures(run: Callable[..., Any]) -> None:
    lines = run(*SEED_DAY).out.splitlines()
    line = next(line for line in lines if line.startswith("predictive + warm 3 min"))
    assert line.split()[5:] == ["4.8", "3,951", "2,691.5", "2.33"]
    conclusion = " ".join(line.strip() for line in lines[-2:])
    assert conclusion == (
        "With 3 minutes of start-up, the known-curve rule has nobody over capacity for 3,046.5 GPU-hours, 5.5 % less "
        "than the cheapest of the seed's rules that does as well (predictive + warm, 75% target)."
    )
    assert all(line == line.rstrip() for line in lines)


def test_quiet_is_the_table_alone(run: Callable[..., Any]) -> None:
    lines = run(*SEED_DAY, "--quiet").out.splitlines()
    assert lines[0].startswith("policy ")
    assert len(lines) == 1 + 8 + 3 * 3


@pytest.mark.parametrize(
    ("options", "warm_75"),
    [
        (("--surge", "35%/30s@15:00"), 3_228.689),
        (("--lag", "3m"), 3_231.889),
        (("--per-replica", "1.875", "--accelerators", "2"), 3_212.767),
    ],
    ids=["steeper surge", "longer lag", "smaller replicas"],
)
def test_variants(run: Callable[..., Any], options: tuple[str, ...], warm_75: float) -> None:
    found = rows(run(*SEED_DAY, "--json", *options))
    assert round(found[7]["gpu_hours"], 3) == warm_75


def test_without_a_surge_the_usual_peak_is_enough(run: Callable[..., Any]) -> None:
    found = rows(run(*SEED_DAY, "--json", "--surge", "none"))
    assert found[1]["minutes_over"] == 0.0
    assert found[0]["gpu_hours"] == found[1]["gpu_hours"] == 4_224.0


def test_drains_are_paid(run: Callable[..., Any]) -> None:
    without, with_drains = (rows(run(*SEED_DAY, "--json", "--drain", drain)) for drain in ("0s", "5m"))
    assert with_drains[7]["gpu_hours"] > without[7]["gpu_hours"]
    assert with_drains[0]["gpu_hours"] == without[0]["gpu_hours"]


def test_the_page_draws_each_policy_and_lists_the_bounds(run: Callable[..., Any], tmp_path: Path) -> None:
    page = tmp_path / "day.html"
    ended = run(*SEED_DAY, "--chart", page)
    assert ended.err == f"Wrote {page}\n"
    text = page.read_text()
    assert all(text.count(policy) >= 2 for policy in PUBLISHED)
    assert "known curve, warm 3 min" in text
    assert "bound: knows the future" in text
    assert list(tmp_path.glob("*.tmp")) == []
