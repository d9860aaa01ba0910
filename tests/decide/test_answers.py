"""Which numbers of a snapshot are believed: traps that real servers have set."""

from __future__ import annotations

import math

import pytest

from headrace.decide.answers import answers_of, sample_load
from headrace.snapshot import Gateway, Replica, Sample, Snapshot, State


@pytest.mark.parametrize(
    ("sample", "load"),
    [
        (None, None),
        (Sample(3.0, 2.0), 5.0),
        (Sample(0.0, 0.0), 0.0),
        (Sample(-1.0, 0.0), None),
        (Sample(1.0, -1.0), None),
        (Sample(math.nan, 0.0), None),
        (Sample(0.0, math.nan), None),
        (Sample(math.inf, 0.0), None),
    ],
)
def test_sample_load(sample: Sample | None, load: float | None) -> None:
    assert sample_load(sample) == load


def test_only_ready_replicas_are_asked() -> None:
    seen = answers_of(
        Snapshot(
            100.0,
            (
                Replica("r1", State.READY, 10.0, Sample(3.0, 1.0)),
                Replica("r2", State.READY, 40.0),
                Replica("s", State.STARTING, 90.0, Sample(50.0, 50.0)),
                Replica("d", State.DRAINING, 95.0, Sample(7.0, 0.0)),
            ),
        )
    )
    assert (seen.asked, seen.answered) == (2, 1)
    assert (seen.running, seen.engine_waiting, seen.draining, seen.load) == (3.0, 1.0, 7.0, 11.0)
    assert seen.newest_ready_s == 40.0


@pytest.mark.parametrize("gateway", [Gateway(-1.0, 0.0), Gateway(0.0, math.nan), Gateway(math.inf, 0.0)])
def test_a_gateway_that_cannot_be_true_is_none(gateway: Gateway) -> None:
    assert answers_of(Snapshot(0.0, gateway=gateway)).gateway is None


@pytest.mark.parametrize(
    ("running", "waiting", "has_queue"),
    [
        (9000.0, 13.0, False),  # each request passes through the waiting state for one engine step
        (9000.0, 181.0, True),
        (10.0, 0.0, False),
        (10.0, 1.0, True),
        (0.0, 0.4, False),
    ],
)
def test_what_counts_as_a_queue(running: float, waiting: float, has_queue: bool) -> None:
    replica = Replica("r", State.READY, 0.0, Sample(running, waiting))
    assert answers_of(Snapshot(0.0, (replica,))).has_queue is has_queue


def test_requests_queued_at_the_gateway_are_a_queue() -> None:
    replica = Replica("r", State.READY, 0.0, Sample(10.0, 0.0))
    assert answers_of(Snapshot(0.0, (replica,), Gateway(10.0, 5.0))).has_queue
