"""Who goes first, who is taken back first, and when a drained replica may go."""

from __future__ import annotations

import math

import pytest

from headrace.decide.victim import gone, leaving_order, undo_order
from headrace.snapshot import Replica, Sample, State


def ready(name: str, running: float | None, waiting: float = 0.0, since_s: float = 0.0) -> Replica:
    return Replica(name, State.READY, since_s, None if running is None else Sample(running, waiting))


def starting(name: str, since_s: float, schedulable: bool = True) -> Replica:
    return Replica(name, State.STARTING, since_s, schedulable=schedulable)


def draining(name: str, running: float | None, since_s: float = 0.0) -> Replica:
    return Replica(name, State.DRAINING, since_s, None if running is None else Sample(running, 0.0))


def test_starting_ones_go_before_idle_ready_ones_the_newest_first() -> None:
    replicas = [ready("idle", 0.0), starting("old", 10.0), starting("new", 20.0)]
    assert leaving_order(replicas) == ("new", "old", "idle")


def test_one_that_cannot_be_placed_goes_before_all() -> None:
    replicas = [starting("new", 20.0), starting("stuck", 0.0, schedulable=False), ready("idle", 0.0)]
    assert leaving_order(replicas) == ("stuck", "new", "idle")


def test_least_work_goes_first_and_waiting_is_work() -> None:
    replicas = [ready("a", 5.0, 10.0), ready("b", 12.0), ready("c", 3.0)]
    assert leaving_order(replicas) == ("c", "b", "a")


@pytest.mark.parametrize("silent", [ready("silent", None), ready("silent", math.nan), ready("silent", -1.0)])
def test_unknown_is_the_busiest_not_idle(silent: Replica) -> None:
    assert leaving_order([silent, ready("full", 256.0, 500.0)]) == ("full", "silent")


def test_ties_go_by_name() -> None:
    assert leaving_order([ready("b", 1.0), ready("a", 1.0), starting("d", 5.0), starting("c", 5.0)]) == (
        "c",
        "d",
        "a",
        "b",
    )


def test_draining_ones_are_not_chosen_again() -> None:
    assert leaving_order([draining("gone", 0.0), ready("stays", 9.0)]) == ("stays",)


def test_most_work_left_is_taken_back_first() -> None:
    replicas = [draining("nearly", 1.0), draining("busy", 40.0), ready("r", 0.0), draining("silent", None)]
    assert undo_order(replicas) == ("busy", "nearly", "silent")


def test_the_last_to_drain_is_taken_back_first_where_work_is_equal() -> None:
    assert undo_order([draining("early", 3.0, 0.0), draining("late", 3.0, 60.0)]) == ("late", "early")


@pytest.mark.parametrize(
    ("replica", "at_s", "expected"),
    [
        (draining("idle", 0.0, since_s=100.0), 100.0, True),
        (draining("busy", 1.0, since_s=100.0), 399.0, False),
        (draining("busy", 1.0, since_s=100.0), 400.0, True),
        (draining("silent", None, since_s=100.0), 399.0, False),
        (draining("silent", None, since_s=100.0), 400.0, True),
        (draining("broken", math.nan, since_s=100.0), 399.0, False),
        (ready("ready", 0.0), 1e9, False),
        (starting("starting", 0.0), 1e9, False),
    ],
)
def test_gone(replica: Replica, at_s: float, expected: bool) -> None:
    assert gone(replica, at_s, drain_s=300.0) is expected


def test_waiting_requests_are_not_idle() -> None:
    replica = Replica("r", State.DRAINING, 0.0, Sample(0.0, 1.0))
    assert not gone(replica, 10.0, drain_s=300.0)


def test_idle_is_not_believed_while_routers_still_send() -> None:
    replica = draining("idle", 0.0, since_s=100.0)
    assert not gone(replica, 119.0, drain_s=300.0, settle_s=20.0)
    assert gone(replica, 120.0, drain_s=300.0, settle_s=20.0)
