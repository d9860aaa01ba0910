"""Episodes of persisting queue: what is one, what two, and what is not seen."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.queues import Week, begins_at, queues, stretches
from headrace.occupancy import Occupancy

STEP_S = 30.0


def samples(
    waiting: list[float], running: float = 10.0, replicas: float = 1.0, at_s: list[float] | None = None
) -> Occupancy:
    count = len(waiting)
    return Occupancy(
        np.arange(count, dtype=np.float64) * STEP_S if at_s is None else np.array(at_s),
        np.full(count, running),
        np.array(waiting),
        np.full(count, replicas),
        STEP_S,
    )


def test_from_its_first_sample_to_its_last_and_one_step() -> None:
    (found,) = queues(samples([0, 0, 5, 7, 6, 0, 0, 0, 0]), 10.0)
    assert (found.first, found.last, found.start_s, found.length_s) == (2, 4, 60.0, 90.0)
    assert (found.deepest, found.full_ratio, found.lacks_slots, found.slot) == (7.0, 1.0, True, -1)


def test_a_pause_of_a_minute_is_the_same_queue() -> None:
    assert [queue.length_s for queue in queues(samples([5, 0, 0, 5]), 10.0)] == [120.0]
    assert [queue.length_s for queue in queues(samples([5, 0, 0, 0, 5]), 10.0)] == [30.0, 30.0]


def test_what_was_not_seen_did_not_wait() -> None:
    found = queues(samples([5, 5, 5, 5], at_s=[0.0, 30.0, 600.0, 630.0]), 10.0)
    assert [(queue.start_s, queue.length_s) for queue in found] == [(0.0, 60.0), (600.0, 60.0)]


def test_one_sample_that_is_missing_ends_nothing() -> None:
    (found,) = queues(samples([5, 5, 5], at_s=[0.0, 30.0, 90.0]), 10.0)
    assert found.length_s == 120.0


def test_counted_over_the_fleet() -> None:
    (found,) = queues(samples([0.0, 2.0, 0.0], replicas=8.0), 10.0)
    assert found.deepest == 16.0


def test_who_waits_while_slots_are_free_lacks_none() -> None:
    (found,) = queues(samples([5, 5], running=6.0), 10.0)
    assert (found.full_ratio, found.lacks_slots) == (0.6, False)


def test_what_ran_meanwhile_need_not_be_known() -> None:
    (found,) = queues(samples([5, 5], running=np.nan), 10.0)
    assert np.isnan(found.full_ratio)
    assert not found.lacks_slots


def test_no_queue() -> None:
    assert queues(samples([0, 0, np.nan]), 10.0) == ()
    assert queues(samples([]), 10.0) == ()


def test_when_in_the_week() -> None:
    (found,) = queues(samples([0, 5, 5]), 10.0, Week(np.array([8, 9, 9]), 168))
    assert found.slot == 9


@pytest.mark.parametrize(
    ("slot", "slots", "text"),
    [(0, 168, "Mon 00:00"), (9, 168, "Mon 09:00"), (167, 168, "Sun 23:00"), (1_000, 2_016, "Thu 11:20")],
)
def test_a_slot_for_people(slot: int, slots: int, text: str) -> None:
    assert begins_at(slot, slots) == text


def test_stretches_are_told_apart_as_queues_are() -> None:
    starts, lengths_s = stretches(samples([0] * 8), np.array([1, 1, 0, 1, 0, 0, 0, 1], dtype=bool))
    assert starts.tolist() == [0, 7]
    assert lengths_s.tolist() == [120.0, 30.0]
