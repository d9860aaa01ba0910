"""What a run comes to: streams of removed replicas counted one by one, capacity as it was seen, the bound."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plan.asks import runner

from headrace.decide import rules
from headrace.decide.cut import Share
from headrace.plan.outcome import Streams, bound, removed_streams, run, seen
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import Setting, Traffic

SETTING = Setting(300.0, 60.0, 600.0, 300.0, per_replica=10.0, accelerators=4, least=1)
NONE_CUT = Streams(10.0, Share(0.0, 0.0))


def traffic(demand: Floats) -> Traffic:
    return Traffic(demand, np.full(len(demand), np.nan), np.full(len(demand), float(np.nanmean(demand))))


def counted(ready: list[int], streams: list[int], slots: int) -> int:
    """Streams dealt out to replicas like cards, no more than there are slots; those of the removed ones counted."""
    removed = 0
    for before, after, running in zip(ready, ready[1:], streams, strict=False):
        hands = [0] * before
        for card in range(min(running, before * slots)):
            hands[card % before] += 1
        removed += sum(hands[after:])
    return removed


@given(
    ready=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    per_replica=st.lists(st.integers(0, 30), min_size=12, max_size=12),
)
def test_removed_streams_are_those_on_the_removed_replicas(ready: list[int], per_replica: list[int]) -> None:
    slots = 20
    streams = [count * many for count, many in zip(ready, per_replica, strict=False)]  # evenly dealt
    demand = np.array(streams) / slots
    assert removed_streams(np.array(ready, np.float64), demand, slots) == pytest.approx(
        counted(ready, streams, slots)
    )


def test_where_replicas_or_demand_are_not_known_no_stream_is_counted() -> None:
    ready = np.array([4.0, np.nan, 2.0, 1.0, 0.0, 0.0])
    demand = np.array([2.0, 2.0, np.nan, 0.5, 0.5, 0.5])
    assert removed_streams(ready, demand, 10.0) == pytest.approx(5.0)  # one replica, half full
    assert removed_streams(np.zeros(0), np.zeros(0), 10.0) == 0.0


def test_a_removal_cuts_between_what_is_surely_cut_and_what_may_be() -> None:
    demand = np.concatenate([np.full(30, 100.0), np.full(30, 20.0)])
    fixed = rules.real_demand(300.0)._replace(headroom=0.0)
    done = run("falls", runner(), fixed, SETTING, traffic(demand), Streams(10.0, Share(0.1, 0.3))).outcome
    assert 0.0 < done.cut_streams_least < done.cut_streams
    assert done.cut_streams_least * 3.0 == pytest.approx(done.cut_streams)


def test_durations_that_are_not_known_leave_cut_streams_unknown() -> None:
    unknown = Streams(10.0, Share(math.nan, math.nan))
    done = run("any", runner(), rules.real_demand(300.0), SETTING, traffic(np.full(50, 30.0)), unknown)
    assert math.isnan(done.outcome.cut_streams)


def test_what_fills_a_replica_may_be_more_than_what_the_rule_counts_on() -> None:
    came = traffic(np.concatenate([np.full(50, 30.0), np.full(50, 45.0)]))
    rule = rules.real_demand(300.0)._replace(headroom=0.0)
    strict = run("strict", runner(), rule, SETTING, came, NONE_CUT)
    lenient = run("lenient", runner(), rule, SETTING, came, NONE_CUT, full=20.0)
    assert np.array_equal(strict.replicas, lenient.replicas)
    assert strict.outcome.over_ratio > 0.0
    assert lenient.outcome.over_ratio == 0.0
    assert lenient.outcome.gpu_hours == strict.outcome.gpu_hours


def test_replicas_as_they_were_seen() -> None:
    ready = np.array([3.0, 3.0, np.nan, 2.0])
    done = seen("seen", ready, SETTING, traffic(np.array([25.0, 40.0, 90.0, 30.0])), NONE_CUT).outcome
    assert done.minutes_over == 10.0  # the second and the fourth tick; the third is not known
    assert done.requests_over == pytest.approx((10.0 + 10.0) * 300.0)
    assert done.gpu_hours == pytest.approx(8 * 4 * 300.0 / 3_600.0)
    assert done.most_replicas == 3.0
    assert done.over_ratio == pytest.approx(20.0 / 95.0)
    assert done.cost_ratio == pytest.approx(
        8.0 / 9.5
    )  # of the three ticks that are known, as what was paid is


def test_the_bound_is_never_over_and_never_dearer() -> None:
    came = traffic(np.round(40.0 + 30.0 * np.sin(np.arange(600) / 40.0), 3))
    best = bound(SETTING, came)
    rule = rules.real_demand(300.0)._replace(headroom=1.0)
    done = run("any", runner(), rule, SETTING._replace(least=0), came, NONE_CUT).outcome
    assert best.outcome.is_bound
    assert best.outcome.over_ratio == best.outcome.minutes_over == 0.0
    assert best.replicas.shape == (3, 0)
    assert best.outcome.gpu_hours <= done.gpu_hours
    assert best.outcome.days == pytest.approx(600 * 300.0 / 86_400.0)
