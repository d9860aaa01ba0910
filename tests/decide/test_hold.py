"""How long a drained replica holds its accelerators, against drains that are played, and what a grace costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.decide.grace import grace_s
from headrace.decide.hold import EXIT_S, Span, Usage, busy_s, grace_cost, held_s
from headrace.durations import Buckets, Durations, durations

VALUES = np.random.default_rng(3).lognormal(3.0, 1.0, 20_000)
SEEN = durations(VALUES)
BOUNDS_S = (1.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 240.0, 480.0, 960.0)
COUNTS = np.histogram(VALUES, [0.0, *BOUNDS_S, np.inf])[0].astype(float)
BUCKETS = Buckets(BOUNDS_S, tuple(COUNTS.tolist()), float(VALUES.sum()))


def always(duration_s: float) -> Durations:
    return durations(np.full(1_000, duration_s))


@pytest.mark.parametrize(
    ("streams", "left_s"), [(1.0, 50.0), (2.0, 100 * 2 / 3), (9.0, 90.0), (99.0, 99.0), (0.0, 0.0)]
)
def test_streams_that_all_take_as_long(streams: float, left_s: float) -> None:
    # what is left of each lies evenly between 0 and 100 s; of k the greatest is at k / (k + 1)
    assert busy_s(always(100.0), 300.0, streams).high == pytest.approx(left_s, abs=0.1)


def test_never_longer_than_n() -> None:
    # 60 s of the 100 that the longest of very many has left
    assert busy_s(always(100.0), 60.0, 1e6).high == pytest.approx(60.0)
    assert busy_s(always(100.0), 60.5, 1.0).high == pytest.approx(60.5 - 60.5**2 / 200.0, abs=0.05)
    assert busy_s(always(100.0), 0.0, 5.0) == Span(0.0, 0.0)


def test_without_memory_what_is_left_is_as_long_as_the_whole() -> None:
    seen = durations(-40.0 * np.log1p(-(np.arange(50_000) + 0.5) / 50_000))
    # the last of k exponentials: mean × (1 + 1/2 + ... + 1/k)
    assert busy_s(seen, 900.0, 1.0).high == pytest.approx(40.0, rel=2e-3)
    assert busy_s(seen, 900.0, 4.0).high == pytest.approx(40.0 * 25 / 12, rel=2e-3)


@pytest.mark.parametrize("streams", [1, 5, 30])
def test_as_long_as_drains_that_are_played(streams: int) -> None:
    rng = np.random.default_rng(4)
    running = rng.choice(VALUES, (20_000, streams), p=VALUES / VALUES.sum())
    left_s = (running * rng.uniform(size=running.shape)).max(axis=1)
    for drain_s in (60.0, 300.0):
        waits_s = np.minimum(left_s, drain_s)
        error_s = 4.0 * waits_s.std() / math.sqrt(len(waits_s))
        assert busy_s(SEEN, drain_s, streams).high == pytest.approx(waits_s.mean(), abs=error_s + 0.05)
        held = np.clip(left_s, 20.0, 20.0 + drain_s) + EXIT_S
        assert held_s(SEEN, drain_s, streams).high == pytest.approx(held.mean(), abs=error_s + 0.05)


def test_an_idle_pod_leaves_after_twenty_five_seconds() -> None:
    assert held_s(SEEN, 300.0, 0.0) == Span(25.0, 25.0)


def test_streams_that_end_while_routers_are_waited_for_add_nothing() -> None:
    assert held_s(always(15.0), 300.0, 50.0).high == pytest.approx(25.0)
    # 100 s streams have at most 80 s left after the 20
    assert held_s(always(100.0), 300.0, 1e6).high == pytest.approx(105.0, abs=0.6)


def test_buckets_give_bounds_on_it() -> None:
    for streams in (0.5, 5.0, 50.0):
        exact, bounds = held_s(SEEN, 300.0, streams), held_s(BUCKETS, 300.0, streams)
        assert exact.low == exact.high
        assert bounds.low <= exact.low <= bounds.high
        assert bounds.high - bounds.low < 200.0


def test_without_requests_all_that_is_known_is_n() -> None:
    assert busy_s(durations(np.array([])), 300.0, 5.0) == Span(0.0, 300.0)
    assert held_s(Buckets((1.0,), (0.0, 0.0)), 300.0, 5.0) == Span(25.0, 325.0)


class TestGraceCost:
    USAGE = Usage(replicas=8, streams=30.0, removals_per_day=20.0, accelerators=8)
    COST = grace_cost(SEEN, 300.0, USAGE)

    def test_a_scale_down_holds_one_replicas_accelerators(self) -> None:
        each = held_s(SEEN, 300.0, 30.0)
        assert self.COST.removal.wait_s == each
        assert self.COST.removal.most_s == grace_s(300.0) == 350.0
        assert self.COST.removal.gpu_hours.high == pytest.approx(each.high * 8 / 3_600)
        assert self.COST.gpu_hours_per_day.high == pytest.approx(20 * each.high * 8 / 3_600)
        assert self.COST.removal.why.startswith("a scale-down waits ")

    def test_a_rollout_waits_once_a_replica(self) -> None:
        assert self.COST.rollout.wait_s.high == pytest.approx(8 * self.COST.rollout_step.wait_s.high)
        assert self.COST.rollout.most_s == 8 * 350.0
        assert self.COST.rollout.gpu_hours.high == pytest.approx(8 * self.COST.rollout_step.gpu_hours.high)

    def test_a_recreate_waits_for_the_last_of_all_and_holds_everything(self) -> None:
        whole = held_s(SEEN, 300.0, 240.0)
        assert self.COST.recreate.wait_s == whole
        assert whole.high > self.COST.removal.wait_s.high
        assert self.COST.recreate.gpu_hours.high == pytest.approx(whole.high * 64 / 3_600)
        assert "the outage grows by it" in self.COST.recreate.why

    def test_a_node_drain_meets_the_autoscalers_own_limit(self) -> None:
        assert "replica by replica" in self.COST.node_drain.why
        long = grace_cost(SEEN, 900.0, self.USAGE).node_drain
        assert long.most_s == 950.0
        assert "waits 600 s for a pod unless told otherwise" in long.why

    def test_streams_cut_in_a_day(self) -> None:
        cut = np.maximum(VALUES - 300.0, 0.0).sum() / VALUES.sum()
        assert self.COST.cut_per_day.high == pytest.approx(20 * 30 * cut)
        assert self.COST.why.startswith(
            "20 removals a day of replicas with 30 running streams hold 10 GPU-hours and cut 7.5 streams"
        )

    def test_from_buckets_it_is_an_interval_around_it(self) -> None:
        bounds = grace_cost(BUCKETS, 300.0, self.USAGE)
        assert bounds.gpu_hours_per_day.low <= self.COST.gpu_hours_per_day.low
        assert self.COST.gpu_hours_per_day.high <= bounds.gpu_hours_per_day.high
        assert bounds.cut_per_day.low <= self.COST.cut_per_day.low <= bounds.cut_per_day.high
        assert " to " in bounds.removal.why

    def test_a_high_n_costs_nothing_while_streams_are_short(self) -> None:
        short = always(8.0)
        low, high = grace_cost(short, 60.0, self.USAGE), grace_cost(short, 900.0, self.USAGE)
        assert low.gpu_hours_per_day == high.gpu_hours_per_day
        assert high.cut_per_day == Span(0.0, 0.0)
