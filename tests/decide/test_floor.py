"""Floors from how long queues lasted: brief spikes, mornings that come back, incidents, too little data."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.floor import DAY_S, Fleet, floor
from headrace.decide.queues import Week
from headrace.occupancy import Occupancy

STEP_S = 60.0
SLOTS = 100.0
FLEET = Fleet(slots=SLOTS, tolerated_s=300.0, startup_s=180.0, accelerators=8)
A_DAY = int(DAY_S / STEP_S)


def past(demand: np.ndarray, replicas: np.ndarray | float) -> tuple[Occupancy, Week]:
    """What samples would show of a demand (slots of the whole fleet) on so many replicas."""
    there = np.broadcast_to(np.asarray(replicas, dtype=float), demand.shape).copy()
    running = np.minimum(demand, there * SLOTS)
    at_s = np.arange(len(demand), dtype=np.float64) * STEP_S
    week = Week((at_s // 3_600.0).astype(np.int64) % 168, 168)
    return Occupancy(at_s, running / there, (demand - running) / there, there, STEP_S), week


def level(days: float, slots: float) -> np.ndarray:
    return np.full(int(days * A_DAY), slots)


def test_no_queue_asks_for_no_floor() -> None:
    found = floor(past(level(7.0, 150.0), 2)[0], FLEET)
    assert (found.replicas, found.queues, found.long) == (1, (), 0)
    assert found.is_whole_week
    assert found.why == "floor 1: no queue stood within 7.0 days"


def test_the_deepest_queue_of_the_week_needs_none_if_it_is_brief() -> None:
    demand = level(7.0, 150.0)
    demand[5_000:5_003] = 5_000.0
    found = floor(past(demand, 2)[0], FLEET._replace(allowed_per_week=0.0))
    assert (found.replicas, len(found.queues), found.long) == (1, 1, 0)
    assert (
        "none lasted longer than the 300 s tolerated (the longest 180 s; the deepest, of 4800, stood 180 s)"
        in (found.why)
    )


def test_a_shallow_queue_that_stands_does() -> None:
    demand = level(7.0, 150.0)
    for day in range(7):
        demand[day * A_DAY + 600 : day * A_DAY + 620] = 230.0
    occupancy, week = past(demand, 2)
    found = floor(occupancy, FLEET, week)
    assert (found.replicas, found.long, found.recurring) == (3, 7, 7)
    assert found.unforeseen == 1
    assert (
        "7 of 7 queues within 7.0 days lasted longer than the 300 s tolerated, 1 of which may happen"
        in found.why
    )
    assert (
        "7 came back at the same time (Mon 10:00): with those left to a forecast or a schedule, 1 would do"
        in (found.why)
    )


def test_what_ran_already_counts() -> None:
    # nine replicas in the middle of the day, two in the morning: a floor of three would have been no help at noon
    demand, replicas = level(7.0, 150.0), level(7.0, 2.0)
    for day in range(7):
        noon = slice(day * A_DAY + 700, day * A_DAY + 800)
        demand[noon], replicas[noon] = 850.0, 9.0
        morning = slice(day * A_DAY + 300, day * A_DAY + 315)
        demand[morning] = 280.0
    found = floor(past(demand, replicas)[0], FLEET)
    assert found.replicas == 3
    assert found.long == 7


def test_an_incident_a_week_sets_no_floor_unless_none_is_allowed() -> None:
    demand = level(14.0, 150.0)
    demand[3_000:3_060] = 950.0
    occupancy, _ = past(demand, 2)
    assert floor(occupancy, FLEET).replicas == 1
    assert floor(occupancy, FLEET._replace(allowed_per_week=0.0)).replicas == 10
    assert floor(occupancy, FLEET._replace(allowed_per_week=0.0, most=6)).replicas == 6


def test_within_less_than_a_week_nothing_counts_as_an_incident() -> None:
    demand = level(3.0, 150.0)
    demand[3_000:3_060] = 950.0
    found = floor(past(demand, 2)[0], FLEET)
    assert (found.replicas, found.is_whole_week) == (10, False)
    assert found.why.endswith("less than a week is known, so what happens on the other days is not in it")


def test_queues_over_before_a_replica_could_start_are_counted() -> None:
    demand = level(7.0, 150.0)
    for day in range(7):
        demand[day * A_DAY + 200 : day * A_DAY + 202] = 300.0
    tolerant, strict = FLEET, FLEET._replace(tolerated_s=60.0)
    occupancy, _ = past(demand, 2)
    assert floor(occupancy, tolerant).replicas == 1
    found = floor(occupancy, strict)
    assert found.replicas == 3
    assert (
        "7 of all 7 were over before a replica could have started (180 s), so only a floor or headroom could have met"
        in found.why
    )


def test_slots_that_were_free_meanwhile_are_named() -> None:
    occupancy, _ = past(level(7.0, 150.0), 2)
    waiting = occupancy.waiting.copy()
    waiting[1_000:1_100] = 20.0
    found = floor(
        Occupancy(occupancy.at_s, occupancy.running, waiting, occupancy.replicas, STEP_S),
        FLEET._replace(allowed_per_week=0.0),
    )
    assert (found.replicas, found.long) == (1, 1)
    assert "in 1 of the long ones slots were free meanwhile, which more replicas need not change" in found.why


def test_options_say_what_each_floor_costs() -> None:
    demand = level(7.0, 150.0)
    for day in range(7):
        demand[day * A_DAY + 600 : day * A_DAY + 620] = 430.0
    found = floor(past(demand, 2)[0], FLEET)
    assert found.replicas == 5
    by_floor = {option.floor: option for option in found.options}
    assert (by_floor[2].queues, by_floor[2].longest_s, by_floor[2].gpu_hours_per_day) == (7, 1_200.0, 0.0)
    assert by_floor[5].queues == 0
    assert by_floor[5].gpu_hours_per_day == pytest.approx(3 * 8 * 24.0)


def test_weekly_ones_come_back_in_another_week() -> None:
    demand = level(28.0, 150.0)
    for week in range(4):
        demand[week * 7 * A_DAY + 600 : week * 7 * A_DAY + 640] = 330.0
    occupancy, week_of = past(demand, 2)
    found = floor(occupancy, FLEET._replace(allowed_per_week=0.5), week_of)
    assert (found.replicas, found.recurring, found.unforeseen) == (4, 4, 1)
    assert floor(occupancy, FLEET._replace(allowed_per_week=0.5)).recurring == 0


def test_give_or_take_an_hour_however_fine_the_slots_are() -> None:
    demand = level(7.0, 150.0)
    for day, late in enumerate((0, 20, 45, 10, 50, 30, 5)):
        demand[day * A_DAY + 600 + late : day * A_DAY + 640 + late] = 330.0
    occupancy, _ = past(demand, 2)
    minutes = Week((occupancy.at_s // 60.0).astype(np.int64) % 10_080, 10_080)
    assert floor(occupancy, FLEET, minutes).recurring == 7
    # three hours apart each, no two days are alike
    spread = level(7.0, 150.0)
    for day in range(7):
        spread[day * A_DAY + 60 + 180 * day : day * A_DAY + 100 + 180 * day] = 330.0
    assert floor(past(spread, 2)[0], FLEET, minutes).recurring == 0


def test_without_samples_the_least() -> None:
    for nothing in (None, past(level(0.0, 0.0), 1)[0]):
        found = floor(nothing, FLEET._replace(least=2))
        assert (found.replicas, found.unforeseen, found.is_whole_week) == (2, 2, False)
        assert "no samples" in found.why


def test_holes_lack_nothing() -> None:
    demand = level(7.0, 150.0)
    occupancy, _ = past(demand, 2)
    running = occupancy.running.copy()
    running[1_000:2_000] = np.nan
    holed = Occupancy(occupancy.at_s, running, occupancy.waiting, occupancy.replicas, STEP_S)
    assert floor(holed, FLEET).replicas == 1
