"""What the texts of the options mean."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from headrace.cli.texts import duration_s
from headrace.cli.wanted import POLICY_NAMES, AddedSurge, Removal, Wanted, wanted
from headrace.simulate.policies import POLICIES


def of(**typed: object) -> Wanted:
    return wanted({"file": "demand.csv", **typed})


def test_policies_are_those_that_there_are_in_their_order() -> None:
    assert tuple(policy.name for policy in POLICIES) == POLICY_NAMES
    assert of(policies=["default", "hpa", "hpa"]).policies == ("hpa", "default")


def test_days_may_stand_in_front_of_a_duration() -> None:
    assert duration_s("--learn", "2d", 0.0, 1e9) == 172_800.0
    assert duration_s("--learn", "2d12h30m", 0.0, 1e9) == 217_800.0
    assert duration_s("--learn", "90s", 0.0, 1e9) == 90.0


@pytest.mark.parametrize(
    ("text", "surge"),
    [
        ("35%/5m@15:00", (0.35, 300.0, 3_600.0, 54_000.0, True)),
        ("+35%/5m/30m@15:00", (0.35, 300.0, 1_800.0, 54_000.0, True)),
        ("0.5/0s@2d15h", (0.5, 0.0, 3_600.0, 226_800.0, False)),
        ("200%/2h@90m", (2.0, 7_200.0, 7_200.0, 5_400.0, False)),
    ],
)
def test_a_surge(text: str, surge: tuple[float, float, float, float, bool]) -> None:
    assert of(surges=[text]).surges == (AddedSurge(*surge, text),)


def test_no_surge_is_not_the_same_as_none_said() -> None:
    assert of(surges=["none"]).surges == ()
    assert of(surges=None).surges is None


@pytest.mark.parametrize(
    ("text", "removal"),
    [
        ("600s/1/120s", Removal(600.0, 1.0, 120.0)),
        ("300s/all/0s", Removal(300.0, math.inf, 0.0)),
        ("seed", Removal(600.0, 1.0, 120.0, low_timer=True)),
        ("fast", Removal(300.0, math.inf, 0.0)),
        ("slow", Removal(600.0, 1.0, 120.0)),
    ],
)
def test_a_removal_discipline(text: str, removal: Removal) -> None:
    assert of(removal=text).removal == removal


def test_several_targets_each_once() -> None:
    assert of(over_ratios="0.1%, 0.01%,0,0.001").over_ratios == (0.001, 0.0001, 0.0)


def test_what_is_not_given_is_not_said() -> None:
    plain = of(lag_s=None, tick_s=None, noise=False, surges=[])
    assert plain == Wanted(file=Path("demand.csv"))
    assert plain.lag_s == 60.0
