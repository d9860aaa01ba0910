"""Offered concurrency from gateway and samples: what is counted, what is unknown, what is a lower bound."""

from __future__ import annotations

import math

import pytest

from headrace.decide.demand import (
    PARTIAL_HOLD_S,
    QUEUE_PERSISTS_S,
    STALE_S,
    Demand,
    demand,
)
from headrace.memory import NOTHING_KNOWN, DemandMemory, Held
from headrace.snapshot import Gateway, Replica, Sample, Snapshot, State
from headrace.spec import Capacity

CAPACITY = Capacity(slots=256)


def fleet(*samples: Sample | None, since_s: float = -1e6) -> tuple[Replica, ...]:
    return tuple(Replica(f"r{i}", State.READY, since_s, sample) for i, sample in enumerate(samples))


def run(running: float, waiting: float = 0.0, kv: float = 0.0) -> Sample:
    return Sample(running, waiting, kv)


def look(
    at_s: float,
    replicas: tuple[Replica, ...],
    memory: DemandMemory = NOTHING_KNOWN,
    gateway: Gateway | None = None,
    capacity: Capacity = CAPACITY,
) -> Demand:
    return demand(Snapshot(at_s, replicas, gateway), capacity, memory)


class TestWhatIsCounted:
    def test_running_and_waiting_over_ready_replicas(self) -> None:
        seen = look(0.0, fleet(run(100.0), run(50.0, 3.0)))
        assert (seen.slots, seen.answered, seen.asked) == (153.0, 2, 2)
        assert seen.reasons[0] == "153 slots offered now: 150 running, 3 waiting"

    def test_the_gateway_comes_first(self) -> None:
        seen = look(0.0, fleet(run(100.0), run(50.0)), gateway=Gateway(155.0, 20.0))
        assert seen.slots == 175.0
        assert seen.reasons[0] == "175 slots offered now: 155 in flight, 20 queued"

    def test_the_gateway_needs_no_answers(self) -> None:
        seen = look(0.0, fleet(None, None), gateway=Gateway(40.0, 0.0))
        assert (seen.slots, seen.is_missing, seen.answered, seen.asked) == (40.0, False, 0, 2)

    def test_a_gateway_count_may_truly_fall_while_replicas_are_silent(self) -> None:
        before = look(0.0, fleet(run(20.0), run(20.0)), gateway=Gateway(40.0, 0.0))
        assert look(10.0, fleet(None, run(10.0)), before.memory, Gateway(20.0, 0.0)).slots == 20.0

    def test_a_gateway_that_cannot_be_true_is_left_out(self) -> None:
        seen = look(0.0, fleet(run(100.0)), gateway=Gateway(-1.0, 0.0))
        assert seen.slots == 100.0
        assert "the gateway's counts can't be true and are left out" in seen.reasons

    def test_traffic_around_the_gateway_counts(self) -> None:
        seen = look(0.0, fleet(run(120.0), run(80.0)), gateway=Gateway(90.0, 10.0))
        assert seen.slots == 210.0
        assert "some go around it" in seen.reasons[0]

    def test_samples_a_little_older_than_the_gateway_are_no_bypass(self) -> None:
        found = look(0.0, fleet(run(12.0)), gateway=Gateway(4.0, 0.0))
        assert found.slots == 12.0
        assert found.reasons[0] == "12 slots offered now: 4 in flight, 0 queued, 12 on the replicas"
        assert "around it" not in found.reasons[0]

    def test_more_at_the_gateway_is_never_less_demand(self) -> None:
        offered = [
            look(0.0, fleet(run(21.0)), gateway=Gateway(float(known), 0.0)).slots for known in range(30)
        ]
        assert offered == sorted(offered)
        assert (offered[6], offered[12], offered[29]) == (21.0, 21.0, 29.0)

    def test_a_loading_replica_is_not_asked(self) -> None:
        loading = Replica("s", State.STARTING, 0.0, run(99.0))
        seen = look(0.0, (*fleet(run(10.0)), loading))
        assert (seen.slots, seen.asked, seen.is_missing) == (10.0, 1, False)

    def test_work_left_on_a_draining_replica_is_demand_until_others_have_it(self) -> None:
        # four replicas of 60 before; one drains: its requests end there, as many arrive at the others
        leaving = Replica("d", State.DRAINING, 0.0, run(60.0))
        assert look(0.0, (*fleet(*[run(60.0)] * 3), leaving)).slots == 240.0
        leaving = Replica("d", State.DRAINING, 0.0, run(15.0))
        seen = look(20.0, (*fleet(*[run(75.0)] * 3), leaving))
        assert (seen.slots, seen.asked) == (240.0, 3)
        assert "15 on draining replicas" in seen.reasons[0]

    def test_a_silent_draining_replica_is_not_waited_for(self) -> None:
        leaving = Replica("d", State.DRAINING, 0.0)
        seen = look(0.0, (*fleet(run(60.0)), leaving))
        assert (seen.slots, seen.asked, seen.is_missing) == (60.0, 1, False)
        assert seen.memory.complete_at_s == 0.0

    def test_a_deleted_replica_is_no_load(self) -> None:
        before = look(0.0, fleet(run(60.0), run(60.0)))
        assert look(10.0, fleet(run(60.0)), before.memory).slots == 60.0


class TestUnknownReplicas:
    def test_unknown_counts_as_the_mean_of_the_others(self) -> None:
        seen = look(0.0, fleet(run(100.0), run(50.0), None))
        assert (seen.slots, seen.answered, seen.asked) == (225.0, 2, 3)
        assert (
            "on the 2 of 3 ready replicas that answered, 75 assumed on each of the others" in seen.reasons[0]
        )

    @pytest.mark.parametrize("bad", [run(math.nan), run(-1.0), run(1.0, math.nan), run(math.inf)])
    def test_a_number_that_cannot_be_true_is_unknown(self, bad: Sample) -> None:
        assert look(0.0, fleet(run(100.0), bad)).slots == 200.0

    def test_silence_does_not_lower_demand(self) -> None:
        before = look(0.0, fleet(run(200.0), run(20.0), run(20.0)))
        seen = look(10.0, fleet(None, run(20.0), run(20.0)), before.memory)
        assert seen.slots == 240.0
        assert "no less than before while 1 did not" in seen.reasons[0]

    def test_silence_lets_demand_rise(self) -> None:
        before = look(0.0, fleet(run(20.0), run(20.0)))
        assert look(10.0, fleet(None, run(90.0)), before.memory).slots == 180.0

    def test_a_long_silence_holds_demand_up_by_no_more_than_full_replicas(self) -> None:
        memory = look(0.0, fleet(*[run(200.0)] * 4)).memory
        seen = look(PARTIAL_HOLD_S, fleet(None, *[run(10.0)] * 3), memory)
        assert seen.slots == 800.0
        seen = look(PARTIAL_HOLD_S + 1.0, fleet(None, *[run(10.0)] * 3), memory)
        assert seen.slots == 30.0 + 256.0

    def test_after_a_long_silence_demand_still_does_not_wander(self) -> None:
        memory = look(0.0, fleet(*[run(100.0)] * 4)).memory
        seen = look(PARTIAL_HOLD_S + 1.0, fleet(None, *[run(98.0)] * 3), memory)
        assert seen.slots == 400.0

    def test_exactly_half_is_enough(self) -> None:
        assert not look(0.0, fleet(run(10.0), None)).is_missing

    def test_fewer_than_half_is_missing(self) -> None:
        before = look(0.0, fleet(run(10.0), run(10.0), run(10.0)))
        seen = look(10.0, fleet(run(10.0), None, None), before.memory)
        assert seen.is_missing
        assert seen.slots == 30.0
        assert seen.memory == before.memory
        (reason,) = seen.reasons
        assert reason == (
            "demand is unknown: 1 of 3 ready replicas answered, at least half and one must; 30 slots were"
            " offered when last seen"
        )

    def test_no_answer_ever_is_not_zero(self) -> None:
        seen = look(0.0, fleet(None))
        assert seen.is_missing
        assert math.isnan(seen.slots)
        assert seen.memory == NOTHING_KNOWN

    def test_nothing_ready_is_missing(self) -> None:
        seen = look(0.0, (Replica("s", State.STARTING, 0.0),))
        assert seen.is_missing
        assert seen.reasons == ("demand is unknown: no replica is ready",)


class TestSaturation:
    def test_room_everywhere_is_exact(self) -> None:
        assert not look(0.0, fleet(run(200.0), run(100.0))).is_lower_bound

    def test_running_at_max_num_seqs_says_nothing_about_the_queue(self) -> None:
        assert look(0.0, fleet(run(256.0), run(100.0))).is_lower_bound

    def test_all_ranks_count(self) -> None:
        capacity = Capacity(slots=256, data_parallel=2)
        assert not look(0.0, fleet(run(256.0)), capacity=capacity).is_lower_bound
        assert look(0.0, fleet(run(512.0)), capacity=capacity).is_lower_bound

    def test_a_queue(self) -> None:
        seen = look(0.0, fleet(run(100.0, 20.0)))
        assert seen.is_lower_bound
        assert "all slots are taken somewhere: demand may be higher than what is seen" in seen.reasons

    def test_a_full_kv_cache(self) -> None:
        assert look(0.0, fleet(run(100.0, 1.0, 0.97))).is_lower_bound

    def test_a_full_gateway(self) -> None:
        assert look(0.0, fleet(run(250.0)), gateway=Gateway(256.0, 0.0)).is_lower_bound
        assert not look(0.0, fleet(run(250.0)), gateway=Gateway(255.0, 0.0)).is_lower_bound


class TestPersistentQueue:
    def ticks(self, replicas: tuple[Replica, ...], times: list[float]) -> list[Demand]:
        memory, seen = NOTHING_KNOWN, []
        for at_s in times:
            seen.append(look(at_s, replicas, memory))
            memory = seen[-1].memory
        return seen

    def test_it_asks_for_more_than_is_ready_though_occupancy_is_low(self) -> None:
        hot_and_idle = fleet(run(100.0, 20.0), *[run(10.0)] * 9)
        seen = self.ticks(hot_and_idle, [0.0, 10.0, 20.0, QUEUE_PERSISTS_S])
        assert [each.at_least_replicas for each in seen] == [0, 0, 0, 11]
        assert seen[-1].slots == 210.0
        assert "11 replicas at least: 20 requests wait, and have for 30 s with 10 ready" in seen[-1].reasons

    def test_a_long_queue_asks_for_as_many_as_it_fills(self) -> None:
        seen = self.ticks(fleet(*[run(256.0, 500.0)] * 10), [0.0, QUEUE_PERSISTS_S])
        assert seen[-1].at_least_replicas == 10 + math.ceil(5000 / 256)
        assert seen[-1].slots == 7560.0

    def test_starting_replicas_do_not_compound_it(self) -> None:
        loading = tuple(Replica(f"s{i}", State.STARTING, 0.0) for i in range(20))
        seen = self.ticks((*fleet(run(256.0, 10.0)), *loading), [0.0, 30.0, 60.0, 90.0])
        assert [each.at_least_replicas for each in seen] == [0, 2, 2, 2]

    def test_a_newcomer_has_its_chance_first(self) -> None:
        memory = self.ticks(fleet(run(100.0, 20.0)), [0.0, 30.0])[-1].memory
        joined = (*fleet(run(100.0, 20.0)), Replica("new", State.READY, 35.0, run(0.0)))
        assert look(40.0, joined, memory).at_least_replicas == 0
        assert look(65.0, joined, memory).at_least_replicas == 3

    def test_a_break_starts_it_anew(self) -> None:
        memory = self.ticks(fleet(run(100.0, 20.0)), [0.0, 20.0])[-1].memory
        memory = look(25.0, fleet(run(100.0)), memory).memory
        assert memory.queue_since_s is None
        assert look(30.0, fleet(run(100.0, 20.0)), memory).at_least_replicas == 0

    def test_what_was_not_seen_for_long_did_not_last(self) -> None:
        memory = self.ticks(fleet(run(100.0, 20.0)), [0.0])[-1].memory
        assert look(STALE_S + 1.0, fleet(run(100.0, 20.0)), memory).at_least_replicas == 0
        assert look(STALE_S, fleet(run(100.0, 20.0)), memory).at_least_replicas == 2

    def test_silence_does_not_end_it(self) -> None:
        full = fleet(run(100.0, 20.0), run(10.0))
        memory = self.ticks(full, [0.0, 30.0])[-1].memory
        hidden = look(40.0, fleet(None, run(10.0)), memory)
        assert hidden.at_least_replicas == 3
        assert look(50.0, full, hidden.memory).at_least_replicas == 3

    def test_the_gateway_queue_counts(self) -> None:
        # a gateway that admits too few per replica: half-empty replicas, users queued
        memory = look(0.0, fleet(run(60.0)), gateway=Gateway(60.0, 40.0)).memory
        seen = look(30.0, fleet(run(60.0)), memory, Gateway(60.0, 40.0))
        assert seen.at_least_replicas == 2


class TestKvCache:
    def test_slots_follow_what_requests_hold(self) -> None:
        capacity = Capacity(slots=256, kv_tokens=400_000)
        seen = look(0.0, fleet(run(100.0, 0.0, 0.5)), capacity=capacity)
        assert seen.replica_slots == 200
        assert "a replica holds 200 requests, not 256: each holds 2,000 tokens in the mean" in seen.reasons

    def test_without_the_size_of_the_cache_they_follow_its_usage(self) -> None:
        seen = look(0.0, fleet(run(100.0, 0.0, 0.5)))
        assert seen.replica_slots == 200
        assert (
            "a replica holds 200 requests, not 256: each holds 0.50% of the KV cache in the mean"
            in seen.reasons
        )

    @pytest.mark.parametrize("capacity", [CAPACITY, Capacity(slots=256, kv_tokens=400_000)])
    def test_a_replica_that_stays_full_holds_what_it_runs(self, capacity: Capacity) -> None:
        before = DemandMemory(at_s=-10.0, held=Held(1_000.0, 0.0025))
        full = fleet(run(90.0, 30.0, 0.95), run(20.0, 0.0, 0.1))
        first = look(0.0, full, before, capacity=capacity)
        assert first.replica_slots == 256
        seen = look(30.0, full, first.memory, capacity=capacity)
        assert seen.replica_slots == 90
        assert seen.at_least_replicas == 3
        # the queue gone, it is forgotten slowly, not at once
        later = look(40.0, fleet(run(90.0, 0.0, 0.5)), seen.memory, capacity=capacity)
        assert 90 <= later.replica_slots < 100

    def test_a_replica_at_max_num_seqs_waits_for_that_not_for_the_cache(self) -> None:
        first = look(0.0, fleet(run(256.0, 30.0, 0.92)))
        seen = look(30.0, fleet(run(256.0, 30.0, 0.92)), first.memory)
        assert seen.memory.held.kv_share == pytest.approx(0.92 / 256)

    def test_a_queue_for_other_reasons_teaches_nothing_about_the_cache(self) -> None:
        first = look(0.0, fleet(run(90.0, 30.0, 0.3)))
        assert look(30.0, fleet(run(90.0, 30.0, 0.3)), first.memory).replica_slots == 256

    def test_missing_keeps_what_was_learned(self) -> None:
        memory = look(0.0, fleet(run(100.0, 0.0, 0.5))).memory
        assert look(10.0, fleet(None), memory).replica_slots == 200
