"""One decision at a time: what a fleet is told in the situations that the design names, and why."""

from __future__ import annotations

from dataclasses import replace

from headrace.decide.step import FORGET_S, recalled, step
from headrace.memory import COLD, Memory
from headrace.snapshot import Gateway, Outlook, Replica, Sample, Snapshot, State
from headrace.spec import Capacity, ModelFleet, Phase, Rule, Scale, Start, Surge
from headrace.verdict import Verdict

PLAIN = Rule(
    floor_gain=0.0,
    curve_weight=0.0,
    samples=1,
    headroom=0.0,
    exponent=1.0,
    on_curve=False,
    down_window_s=60.0,
    down_interval_s=0.0,
)
FLEET = ModelFleet(
    name="m",
    capacity=Capacity(slots=10),
    scale=Scale(min_replicas=1, max_replicas=12, drain_s=120.0, rule=PLAIN),
    start=Start(phases=(Phase("start-up", 100.0, 150.0),)),
)
"""A replica serves 10, takes 100 s to start and is overdue after 300."""


def with_scale(rule: Rule = PLAIN, **changes: object) -> ModelFleet:
    return replace(FLEET, scale=replace(FLEET.scale, rule=rule, **changes))  # type: ignore[arg-type]


def ready(*names: str, since_s: float = -1e4) -> tuple[Replica, ...]:
    return tuple(Replica(name, State.READY, since_s, Sample(1.0, 0.0)) for name in names)


def draining(name: str, since_s: float, running: float = 1.0) -> Replica:
    return Replica(name, State.DRAINING, since_s, Sample(running, 0.0))


def starting(name: str, since_s: float) -> Replica:
    return Replica(name, State.STARTING, since_s)


def seen(at_s: float, replicas: tuple[Replica, ...], slots: float | None, **more: object) -> Snapshot:
    gateway = None if slots is None else Gateway(slots, 0.0)
    return Snapshot(at_s, replicas, gateway, **more)  # type: ignore[arg-type]


def warm(fleet: ModelFleet, replicas: tuple[Replica, ...], slots: float, until_s: float = 100.0) -> Memory:
    """A memory of the same demand for longer than the down window."""
    memory = COLD
    for tick in range(12, 0, -1):
        memory, _ = step(fleet, memory, seen(until_s - 10.0 * tick, replicas, slots))
    return memory


class TestUp:
    def test_at_once(self) -> None:
        _, verdict = step(FLEET, warm(FLEET, ready("a"), 5.0), seen(100.0, ready("a"), 41.0))
        assert (verdict.replicas, verdict.want, verdict.drain, verdict.hold) == (5, 5, (), False)
        assert verdict.reasons[0] == (
            "5 replicas: 41 slots offered now, 41 expected, 0 for growth during 100 s of start-up"
        )
        assert "4 replicas to start: 5 wanted, 1 starting or ready" in verdict.reasons

    def test_an_empty_cold_fleet_is_ordered_at_once(self) -> None:
        _, verdict = step(FLEET, COLD, seen(0.0, (), 41.0))
        assert verdict.replicas == 5

    def test_nothing_known_of_an_empty_fleet_orders_the_least(self) -> None:
        _, verdict = step(with_scale(min_replicas=3), COLD, seen(0.0, (), None))
        assert (verdict.replicas, verdict.hold) == (3, True)

    def test_target_below_one_needs_more(self) -> None:
        _, verdict = step(with_scale(target_ratio=0.5), COLD, seen(0.0, (), 41.0))
        assert verdict.replicas == 9

    def test_drains_are_taken_back_before_anything_starts(self) -> None:
        there = (*ready("a"), draining("b", 90.0, 1.0), draining("c", 80.0, 7.0))
        memory = warm(FLEET, there, 8.0)
        _, verdict = step(FLEET, memory, seen(100.0, there, 19.0))
        assert (verdict.replicas, verdict.drain, verdict.remove) == (2, ("b",), ())
        _, verdict = step(FLEET, memory, seen(100.0, there, 39.0))
        assert (verdict.replicas, verdict.drain) == (4, ())
        assert "2 drains taken back before anything starts: 4 wanted, 1 starting or ready" in verdict.reasons
        assert "1 replica to start: 4 wanted, 1 starting or ready" in verdict.reasons

    def test_a_persistent_queue_raises_the_want(self) -> None:
        there = ready("a", "b")
        memory, verdict = COLD, Verdict(0)
        for tick in range(5):
            queued = replace(seen(tick * 10.0, there, 0.0), gateway=Gateway(8.0, 7.0))
            memory, verdict = step(FLEET, memory, queued)
        assert verdict.replicas == 3
        assert any(reason.startswith("3 replicas at least: 7 requests wait") for reason in verdict.reasons)


class TestDown:
    def test_only_to_the_greatest_of_the_window(self) -> None:
        there = ready("a", "b", "c", "d", "e")
        memory = warm(FLEET, there, 41.0)
        for tick in range(6):
            memory, verdict = step(FLEET, memory, seen(100.0 + tick * 10.0, there, 15.0 + 5 * (tick == 2)))
            kept = tick < 5
            assert verdict.replicas == (5 if kept else 2)
            if kept:
                assert verdict.reasons[1] == (
                    "nothing goes down yet (2 wanted, 5 starting or ready): 5 were wanted within the last 60 s"
                )
        assert len(verdict.drain) == 3

    def test_starting_ones_go_first_then_the_least_work(self) -> None:
        idle = Replica("d", State.READY, 0.0, Sample(0.5, 0.0))
        there = (*ready("a", "b"), idle, starting("s", 60.0), starting("t", 80.0))
        memory = warm(FLEET, there, 15.0)
        for step_size, drain, remove in ((1.0, (), ("t",)), (2.0, (), ("t", "s")), (3.0, ("d",), ("t", "s"))):
            fleet = with_scale(PLAIN._replace(down_step=step_size))
            _, verdict = step(fleet, replace(memory, verdict=None, at_s=90.0), seen(100.0, there, 15.0))
            assert (verdict.drain, verdict.remove) == (drain, remove)
            assert verdict.replicas == 5 - step_size

    def test_one_step_per_interval(self) -> None:
        fleet = with_scale(PLAIN._replace(down_step=1.0, down_interval_s=30.0))
        there: tuple[Replica, ...] = ready("a", "b", "c", "d")
        memory = warm(fleet, there, 40.0)
        gone = []
        for tick in range(16):
            at_s = 100.0 + tick * 10.0
            memory, verdict = step(fleet, memory, seen(at_s, there, 5.0))
            gone.append(len(verdict.drain))
            there = tuple(
                draining(r.name, at_s) if r.name in verdict.drain and r.state is State.READY else r
                for r in there
            )
        assert gone == [0] * 5 + [1] * 3 + [2] * 3 + [3] * 5

    def test_drained_when_idle_or_after_n(self) -> None:
        there = (*ready("a"), draining("idle", 90.0, 0.0), draining("busy", 90.0), draining("old", -20.0))
        _, verdict = step(FLEET, warm(FLEET, ready("a"), 5.0), seen(100.0, there, 5.0))
        assert set(verdict.drain) == {"idle", "busy", "old"}
        assert set(verdict.remove) == {"idle", "old"}

    def test_one_that_may_go_and_is_still_there_is_told_both_again(self) -> None:
        """Were it no longer named as draining, a world that lost the removal would take it back."""
        there = (*ready("a"), draining("b", 90.0, 0.0))
        memory, verdict = step(FLEET, warm(FLEET, ready("a"), 5.0), seen(100.0, there, 5.0))
        assert (verdict.drain, verdict.remove) == (("b",), ("b",))
        _, verdict = step(FLEET, memory, seen(110.0, there, 5.0))
        assert (verdict.drain, verdict.remove) == (("b",), ("b",))

    def test_a_name_used_again_is_a_new_replica(self) -> None:
        """A StatefulSet gives a new replica the name of the one that went."""
        there = (*ready("a"), draining("b", 0.0))
        memory, verdict = step(FLEET, warm(FLEET, there, 5.0), seen(120.0, there, 5.0))
        assert verdict.remove == ("b",)
        again = (*ready("a"), starting("b", 125.0))
        _, verdict = step(FLEET, memory, seen(130.0, again, 15.0))
        assert (verdict.replicas, verdict.drain, verdict.remove) == (2, (), ())

    def test_a_start_given_up_that_became_ready_drains(self) -> None:
        there = (*ready("a"), starting("s", 60.0))
        memory, verdict = step(FLEET, warm(FLEET, there, 5.0), seen(100.0, there, 5.0))
        assert verdict.remove == ("s",)
        _, verdict = step(FLEET, memory, seen(110.0, (*ready("a"), *ready("s", since_s=105.0)), 5.0))
        assert (verdict.replicas, verdict.drain, verdict.remove) == (1, ("s",), ())


class TestNotKnowing:
    def test_missing_demand_holds_and_says_so(self) -> None:
        there = tuple(replace(replica, sample=None) for replica in ready("a", "b", "c"))
        _, verdict = step(FLEET, warm(FLEET, there, 25.0), seen(100.0, there, None))
        assert (verdict.replicas, verdict.drain, verdict.hold) == (3, (), True)
        assert verdict.reasons[0].startswith(
            "3 replicas, held: demand is unknown: 0 of 3 ready replicas answered"
        )

    def test_the_floor_may_still_raise_what_is_held(self) -> None:
        fleet = with_scale(PLAIN._replace(floor_gain=1.0))
        outlook = Outlook(peak=50.0, floor_peak=50.0, at_seen=20.0, mean=30.0)
        silent = (Replica("a", State.READY, 0.0),)
        _, verdict = step(fleet, COLD, seen(0.0, silent, None, outlook=outlook))
        assert verdict.replicas == 5
        assert verdict.reasons[0].endswith("the forecast's floor is 50 slots")

    def test_a_dead_replica_is_replaced_while_holding(self) -> None:
        there = tuple(replace(replica, sample=None) for replica in ready("a", "b", "c"))
        memory = warm(FLEET, there, 25.0)
        _, verdict = step(FLEET, memory, seen(100.0, there[:2], None))
        assert verdict.replicas == 3

    def test_memory_after_a_long_silence_is_cold(self) -> None:
        there = ready("a", "b", "c")
        memory = warm(FLEET, there, 5.0)
        _, verdict = step(FLEET, memory, seen(100.0, there, 5.0))
        assert verdict.replicas == 1
        _, verdict = step(FLEET, memory, seen(91.0 + FORGET_S, there, 5.0))
        assert (verdict.replicas, verdict.hold) == (3, True)
        assert "nothing is remembered of before, so nothing goes down yet" in verdict.reasons

    def test_two_minutes_without_a_tick_are_bridged(self) -> None:
        there = ready("a", "b", "c")
        memory = warm(FLEET, there, 5.0)
        assert memory.at_s == 90.0
        _, verdict = step(FLEET, memory, seen(210.0, there, 5.0))
        assert (verdict.replicas, verdict.hold) == (1, False)
        _, verdict = step(FLEET, memory, seen(211.0, there, 5.0))
        assert (verdict.replicas, verdict.hold) == (3, True)

    def test_what_was_learned_of_demand_outlives_a_silence(self) -> None:
        """It minds its own age: what a request holds of the KV cache is as true after a restart."""
        memory = warm(FLEET, ready("a"), 5.0)
        assert memory.demand.slots == 5.0
        assert recalled(memory, 1e6) == Memory(demand=memory.demand)

    def test_an_empty_fleet_is_not_filled_beyond_what_can_be_scheduled(self) -> None:
        _, verdict = step(with_scale(min_replicas=3), COLD, seen(0.0, (), None, schedulable=1))
        assert (verdict.replicas, verdict.hold) == (1, True)

    def test_the_timer_does_not_outlive_its_discipline(self) -> None:
        """Under the timer nothing may go before it has begun; without it that would mean never."""
        there = ready("a", "b")
        timer = with_scale(PLAIN._replace(low_timer=True))
        memory = warm(timer, there, 15.0)
        assert memory.free_s == float("inf")
        for tick in range(8):
            memory, verdict = step(FLEET, memory, seen(100.0 + tick * 10.0, there, 5.0))
        assert verdict.replicas == 1


class TestLimits:
    def test_ceilings_are_said(self) -> None:
        _, verdict = step(FLEET, COLD, seen(0.0, ready("a"), 200.0))
        assert verdict.replicas == 12
        assert "20 replicas would be needed, and max is 12" in verdict.alarms
        _, verdict = step(FLEET, COLD, seen(0.0, ready("a"), 200.0, schedulable=7))
        assert (verdict.replicas, verdict.want) == (7, 12)
        assert "20 replicas would be needed, and 7 can be scheduled" in verdict.alarms

    def test_what_runs_is_not_removed_by_a_wrong_count(self) -> None:
        there = ready("a", "b", "c")
        _, verdict = step(FLEET, warm(FLEET, there, 25.0), seen(100.0, there, 25.0, schedulable=0))
        assert (verdict.replicas, verdict.drain) == (3, ())

    def test_nor_is_it_where_no_window_holds_it(self) -> None:
        fleet, there = with_scale(PLAIN._replace(down_window_s=0.0)), ready("a", "b", "c")
        _, verdict = step(fleet, warm(fleet, there, 25.0), seen(100.0, there, 25.0, schedulable=1))
        assert (verdict.replicas, verdict.drain, verdict.hold) == (3, (), False)

    def test_late_starts_are_said_and_not_replaced(self) -> None:
        stuck = replace(starting("u", 80.0), schedulable=False)
        there = (*ready("a"), starting("old", -201.0), stuck, starting("new", 95.0))
        _, verdict = step(FLEET, warm(FLEET, there, 35.0), seen(100.0, there, 35.0))
        assert verdict.replicas == 4
        what = "it is not counted on, and nothing is started in its place"
        assert verdict.alarms[:2] == (
            f"old was ordered 301 s ago, and a start may take 300 s: {what}",
            f"u can't be placed, 20 s after it was ordered: {what}",
        )

    def test_late_starts_go_first_under_both_disciplines(self) -> None:
        there = (*ready("a", "b"), starting("old", -201.0), starting("new", 95.0))
        for low_timer in (False, True):
            fleet = with_scale(PLAIN._replace(low_timer=low_timer, down_step=1.0, down_window_s=0.0))
            _, verdict = step(fleet, warm(fleet, there, 35.0), seen(100.0, there, 5.0))
            assert (verdict.drain, verdict.remove) == ((), ("old",))


class TestOutlook:
    OUTLOOK = Outlook(peak=60.0, floor_peak=70.0, at_seen=30.0, mean=40.0)

    def test_what_is_seen_follows_the_curve(self) -> None:
        fleet = with_scale(PLAIN._replace(curve_weight=1.0, curve_softening=0.0))
        _, verdict = step(fleet, COLD, seen(0.0, (), 33.0, outlook=self.OUTLOOK))
        assert verdict.replicas == 7
        assert verdict.reasons[0].startswith("7 replicas: 33 slots offered now, 66 expected")

    def test_without_one_there_is_no_floor_and_no_rise(self) -> None:
        fleet = with_scale(PLAIN._replace(curve_weight=1.0, floor_gain=1.0, headroom=0.5, exponent=0.5))
        _, verdict = step(fleet, COLD, seen(0.0, (), 20.0))
        assert verdict.replicas == 3

    def test_levels_of_another_kind_are_not_averaged(self) -> None:
        fleet = with_scale(PLAIN._replace(curve_weight=1.0, samples=3))
        memory, _ = step(fleet, COLD, seen(0.0, (), 20.0))
        memory, _ = step(fleet, memory, seen(10.0, (), 20.0))
        assert len(memory.levels) == 2
        memory, _ = step(fleet, memory, seen(20.0, (), 20.0, outlook=self.OUTLOOK))
        assert len(memory.levels) == 1
        memory, _ = step(fleet, memory, seen(60.0, (), 20.0, outlook=self.OUTLOOK))
        assert len(memory.levels) == 1, "a gap ends the run of levels"
        memory, _ = step(fleet, memory, seen(80.0, (), 20.0, outlook=self.OUTLOOK))
        assert len(memory.levels) == 2, "one tick that was missed does not"

    def test_a_curve_of_zero_divides_nothing(self) -> None:
        fleet = with_scale(PLAIN._replace(curve_weight=1.0, curve_softening=0.0))
        _, verdict = step(fleet, COLD, seen(0.0, (), 20.0, outlook=Outlook(0.0, 0.0, 0.0, 0.0)))
        assert verdict.replicas == 2

    def test_a_floor_that_is_higher_than_the_surge_needs_stays(self) -> None:
        fleet = with_scale(PLAIN._replace(floor_gain=1.5), surge=Surge(0.4, 340.0))
        _, verdict = step(fleet, COLD, seen(0.0, (), 20.0, outlook=self.OUTLOOK))
        assert verdict.replicas == 11  # 1.5 times 70 slots, where the surge asks for 1.2 times

    def test_an_outlook_that_cannot_be_true_is_none(self) -> None:
        fleet = with_scale(PLAIN._replace(curve_weight=1.0, curve_softening=0.0, floor_gain=1.0))
        for peak in (-60.0, float("inf"), float("nan")):
            wrong = self.OUTLOOK._replace(peak=peak, floor_peak=peak)
            _, verdict = step(fleet, COLD, seen(0.0, (), 33.0, outlook=wrong))
            assert verdict.replicas == 4, peak

    def test_the_surge_raises_the_floor(self) -> None:
        # lag 60 + start-up 100 + tick 10 of a ramp of 340 s: half of the rise
        fleet = with_scale(surge=Surge(0.4, 340.0))
        _, verdict = step(fleet, COLD, seen(0.0, (), 20.0, outlook=self.OUTLOOK))
        assert verdict.replicas == 9
        assert "the forecast's floor of 84 slots asks for more than what is seen" in verdict.reasons
        _, verdict = step(fleet, COLD, seen(0.0, (), 20.0))
        assert verdict.replicas == 2
        assert any(alarm.startswith("there is no forecast yet") for alarm in verdict.alarms)


class TestSync:
    FLEET = with_scale(PLAIN._replace(sync_s=30.0))

    def test_between_decisions_the_verdict_stands(self) -> None:
        memory, first = step(self.FLEET, COLD, seen(0.0, ready("a"), 25.0))
        assert first.replicas == 3
        memory, verdict = step(self.FLEET, memory, seen(10.0, ready("a"), 95.0))
        assert verdict.replicas == 3
        assert "the rule decides every 30 s, so the last verdict stands" in verdict.reasons
        memory, _ = step(self.FLEET, memory, seen(20.0, ready("a"), 95.0))
        _, verdict = step(self.FLEET, memory, seen(30.0, ready("a"), 95.0))
        assert verdict.replicas == 10

    def test_a_drain_taken_back_stays_taken_back(self) -> None:
        there = (*ready("a"), draining("b", -50.0))
        memory, verdict = step(self.FLEET, COLD, seen(0.0, there, 15.0))
        assert (verdict.replicas, verdict.drain) == (2, ())
        _, verdict = step(self.FLEET, memory, seen(10.0, there, 15.0))
        assert (verdict.replicas, verdict.drain, verdict.remove) == (2, (), ())
