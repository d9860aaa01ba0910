"""Targets and behavior for an autoscaler that is not ours: reachable, quick up, slow down, within the API's limits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.capacity import unreachable_reason
from headrace.decide.owner import TOLERANCE, behavior, target_ratio, target_running, tolerance
from headrace.spec import Capacity, Rule, Scale


@pytest.mark.parametrize(
    ("of_fleet", "asked", "found"),
    [
        (1.0, None, 0.6),
        (0.85, None, 0.85),
        (0.95, None, 0.9),
        (0.85, 0.3, 0.3),
        (1.0, 0.9, 0.9),
        (0.05, None, 0.05),
    ],
)
def test_the_fleets_own_target_where_it_has_one(of_fleet: float, asked: float | None, found: float) -> None:
    assert target_ratio(Scale(target_ratio=of_fleet), asked) == found


@given(st.integers(1, 65_536), st.floats(0.05, 1), st.none() | st.floats(0.05, 0.9))
def test_every_target_can_be_passed_by_more_than_the_tolerance(
    slots: int, of_fleet: float, asked: float | None
) -> None:
    running = target_running(slots, target_ratio(Scale(target_ratio=of_fleet), asked))
    assert running > 0
    assert unreachable_reason(running, Capacity(slots=slots), tolerance=TOLERANCE) == ""


def test_whole_requests_but_for_few_slots() -> None:
    assert target_running(256, 0.6) == 153
    assert target_running(20, 0.6) == 12
    assert target_running(8, 0.6) == 4.8
    assert target_running(1, 0.05) == 0.05


@given(st.integers(11, 10_000))
def test_one_replica_more_is_seen_at_every_count(most: int) -> None:
    within = tolerance(most)
    assert within is not None
    assert within == 0.001 or within < 1.0 / most


def test_up_to_ten_replicas_the_usual_tolerance_is_enough() -> None:
    assert tolerance(10) is None


def test_up_at_once_down_slowly() -> None:
    found = behavior(Scale(max_replicas=24), 24)
    assert found == (24, 600, 1, 120, 0.02)


def test_slower_where_the_fleet_is_and_never_more_than_the_api_takes() -> None:
    slow = replace(Scale(), rule=Rule(down_window_s=900.5, down_interval_s=300.0))
    assert (behavior(slow, 2).down_window_s, behavior(slow, 2).down_period_s) == (901, 300)
    slower = replace(Scale(), rule=Rule(down_window_s=21_600.0, down_interval_s=21_600.0))
    assert (behavior(slower, 2).down_window_s, behavior(slower, 2).down_period_s) == (3_600, 1_800)
