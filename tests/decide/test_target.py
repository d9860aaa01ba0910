"""The target where a real backlog begins, found again in fleets that are made with a known one."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.cut import UNKNOWN
from headrace.decide.target import reachable_ratio, target
from headrace.occupancy import Occupancy
from headrace.spec import Capacity

STEP_S = 30.0
CAPACITY = Capacity(slots=256)


def fleet(
    holds: float,
    days: float = 7.0,
    mean: float = 0.5,
    swing: float = 0.45,
    slots: float = 256.0,
    seed: int = 1,
) -> Occupancy:
    """One replica whose demand swings by the day and wanders; it runs `holds` requests, and the rest wait."""
    rng = np.random.default_rng(seed)
    at_s = np.arange(int(days * 86_400 / STEP_S), dtype=np.float64) * STEP_S
    wander = np.zeros(len(at_s))
    for step in range(1, len(at_s)):
        wander[step] = 0.95 * wander[step - 1] + rng.normal(0.0, 0.02)
    demand = slots * np.maximum(0.0, mean + swing * np.sin(2 * np.pi * at_s / 86_400) + wander)
    running = np.rint(np.minimum(demand, holds))
    return Occupancy(at_s, running, np.rint(demand) - running, np.full(len(at_s), np.nan), STEP_S)


def averaged(hot_share: float, replicas: int = 4) -> Occupancy:
    """A fleet of which one replica takes a greater share of the load than the others, seen as a mean."""
    whole = fleet(1e9, slots=256.0 * replicas)
    hot = np.minimum(whole.running * hot_share, 256.0)
    others = np.minimum(whole.running * (1.0 - hot_share), 256.0 * (replicas - 1))
    waiting = whole.running - hot - others
    return Occupancy(
        whole.at_s,
        (hot + others) / replicas,
        waiting / replicas,
        np.full(len(whole), float(replicas)),
        STEP_S,
    )


def test_a_replica_that_fills_all_its_slots_may_be_filled() -> None:
    found = target(fleet(256.0), CAPACITY)
    assert (found.ratio, found.is_measured) == (0.95, True)
    assert found.running == pytest.approx(243.2)
    assert found.onset.low <= 0.95 <= found.onset.high
    assert found.why.startswith(
        "target 95 % of 256 slots, 243.2 running requests: a backlog begins there, in "
    )


@pytest.mark.parametrize("holds", [60.0, 110.0, 180.0])
def test_where_the_kv_cache_is_full_first_it_follows_what_is_held(holds: float) -> None:
    found = target(fleet(holds), CAPACITY)
    assert found.is_measured
    assert holds / 256.0 - 0.06 < found.ratio <= holds / 256.0
    assert f"requests wait while no more than {holds:.3g} of 256 slots are in use" in found.why


def test_the_learned_tokens_of_a_request_lower_the_slots_themselves() -> None:
    capacity = Capacity(slots=256, kv_tokens=220_000)
    found = target(fleet(110.0), capacity, tokens_per_request=2_000.0)
    assert (found.slots, found.ratio) == (110, 0.95)
    assert "requests wait while" not in found.why


def test_load_spread_unevenly_over_replicas_begins_to_queue_at_a_low_mean() -> None:
    # one of four takes 45 % of the load: it is full when the mean is at 1 / (4 × 0.45) = 56 %
    found = target(averaged(0.45), CAPACITY)
    assert (found.ratio, found.is_measured) == (0.55, True)
    assert "samples are means over 4 replicas, which hide one that queues while others are idle" in found.why
    # as even as can be, it is full when all are
    assert target(averaged(0.25), CAPACITY).ratio == 0.95


def test_no_backlog_up_to_what_was_in_use_allows_that() -> None:
    found = target(fleet(256.0, mean=0.4, swing=0.2), CAPACITY)
    assert 0.65 < found.ratio < 0.85
    assert found.is_measured
    assert "no backlog up to" in found.why


def test_never_much_in_use_says_nothing_beyond_the_usual() -> None:
    found = target(fleet(256.0, mean=0.2, swing=0.1), CAPACITY)
    assert (found.ratio, found.is_measured) == (0.6, False)
    assert "(the usual advice): no backlog up to" in found.why


class TestTooLittleData:
    def test_none_at_all(self) -> None:
        for nothing in (None, fleet(256.0, days=0.0)):
            found = target(nothing, CAPACITY)
            assert (found.ratio, found.running, found.is_measured) == (0.6, 153.6, False)
            assert found.onset == UNKNOWN
            assert found.why == (
                "target 60 % of 256 slots, 153.6 running requests (the usual advice): no samples of what runs and waits"
            )

    def test_a_few_hours(self) -> None:
        found = target(fleet(256.0, days=0.1), CAPACITY)
        assert (found.ratio, found.is_measured) == (0.6, False)
        assert "288 samples from 2.5 hours" in found.why
        assert "are too few" in found.why

    def test_one_spike_in_a_quiet_week_lowers_nothing(self) -> None:
        quiet = fleet(256.0, mean=0.2, swing=0.15)
        running, waiting = quiet.running.copy(), quiet.waiting.copy()
        running[5_000:5_030], waiting[5_000:5_030] = 130.0, 50.0
        found = target(Occupancy(quiet.at_s, running, waiting, quiet.replicas, STEP_S), CAPACITY)
        assert (found.ratio, found.is_measured) == (0.6, False)

    def test_a_backlog_above_all_that_is_usual_is_said_to_be_seen_rarely(self) -> None:
        quiet = fleet(256.0, mean=0.2, swing=0.15)
        running, waiting = quiet.running.copy(), quiet.waiting.copy()
        for spell in range(4):
            running[5_000 + 40 * spell], waiting[5_000 + 40 * spell] = 220.0, 50.0
        found = target(Occupancy(quiet.at_s, running, waiting, quiet.replicas, STEP_S), CAPACITY)
        assert not found.is_measured
        assert found.ratio >= 0.6
        assert "but those are few" in found.why


def test_a_fleet_that_is_always_full_tells_that_it_begins_there_or_below() -> None:
    found = target(fleet(120.0, mean=0.8, swing=0.2), CAPACITY)
    # six tenths of the 120 that it holds
    assert (found.ratio, found.is_measured) == (0.28, False)
    assert "the least that was ever in use: it begins there or below" in found.why


def test_who_waits_on_an_idle_replica_waits_for_something_else() -> None:
    whole = fleet(256.0)
    rng = np.random.default_rng(2)
    waiting = np.where(rng.uniform(size=len(whole)) < 0.3, 10.0, whole.waiting)
    found = target(Occupancy(whole.at_s, whole.running, waiting, whole.replicas, STEP_S), CAPACITY)
    assert (found.ratio, found.is_measured) == (0.6, False)
    assert "so not for want of slots" in found.why


def test_a_little_waiting_everywhere_is_set_aside() -> None:
    whole = fleet(256.0)
    rng = np.random.default_rng(2)
    waiting = np.where(rng.uniform(size=len(whole)) < 0.1, 10.0, whole.waiting)
    found = target(Occupancy(whole.at_s, whole.running, waiting, whole.replicas, STEP_S), CAPACITY)
    assert (found.ratio, found.is_measured) == (0.95, True)
    assert "and in 9 % where a replica is nearly idle" in found.why


def test_an_hpa_ignores_its_tolerance_so_that_less_can_be_reached() -> None:
    found = target(fleet(256.0), CAPACITY, tolerance=0.1)
    assert found.ratio == 0.9
    assert found.why.endswith("90 % is the most that a full replica passes by more than the tolerance of 0.1")


@pytest.mark.parametrize(("tolerance", "ratio"), [(0.0, 0.99), (0.1, 0.9), (0.25, 0.79), (0.05, 0.95)])
def test_most_that_can_be_reached(tolerance: float, ratio: float) -> None:
    assert reachable_ratio(tolerance) == ratio


def test_samples_without_an_answer_are_left_out() -> None:
    whole = fleet(256.0)
    running = whole.running.copy()
    running[::7] = np.nan
    found = target(Occupancy(whole.at_s, running, whole.waiting, whole.replicas, STEP_S), CAPACITY)
    assert found.ratio == 0.95
