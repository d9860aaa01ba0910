"""The N to run with, its grace period, its limits, and when a running N is changed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.decide.cut import UNKNOWN, Share
from headrace.decide.drain import drain, drift, percent
from headrace.decide.grace import Limits, grace_s
from headrace.durations import Buckets, Durations, durations

VLLM_S = (1.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0)


def exponential(mean_s: float, count: int = 20_000) -> Durations:
    """A distribution whose cut(N) is known: exp(-N / mean)."""
    return durations(-mean_s * np.log1p(-(np.arange(count) + 0.5) / count))


def buckets(seen: Durations, total_s: float | None = None) -> Buckets:
    places = np.searchsorted(np.array(VLLM_S), np.arange(len(seen.counts)), side="left")
    counts = np.bincount(places, weights=seen.counts, minlength=len(VLLM_S) + 1)
    return Buckets(VLLM_S, tuple(counts.tolist()), total_s)


def test_grace_is_twenty_before_and_thirty_after() -> None:
    assert grace_s(300.0) == 350.0
    assert grace_s(900.0) == 950.0


@pytest.mark.parametrize(("mean_s", "drain_s"), [(20.0, 120.0), (40.0, 210.0), (100.0, 480.0)])
def test_smallest_multiple_of_thirty_that_cuts_one_percent(mean_s: float, drain_s: float) -> None:
    # exp(-N / mean) <= 1 % from N = 4.605 means on: 92.1, 184.2 and 460.5 s
    found = drain(exponential(mean_s))
    assert found.drain_s == found.best_s == found.needed_s == drain_s
    assert found.grace_s == drain_s + 50.0
    assert found.cut.high == pytest.approx(math.exp(-drain_s / mean_s), rel=0.02)
    assert found.requests == 20_000
    assert found.why.startswith(
        f"N {drain_s:g} s, the smallest multiple of 30 s that cuts at most 1 %; it cuts"
    )
    assert "seen in 20,000 requests" in found.why


def test_short_requests_get_the_shortest() -> None:
    found = drain(exponential(5.0))
    assert (found.drain_s, found.needed_s) == (60.0, 30.0)
    assert found.why.startswith("N 60 s, the shortest allowed: 30 s would do to cut at most 1 %; it cuts")


def test_long_requests_get_the_longest_and_say_what_is_cut() -> None:
    found = drain(exponential(300.0))
    assert (found.drain_s, found.needed_s) == (900.0, 1_410.0)
    assert found.why.startswith("N 900 s, the longest allowed: to cut at most 1 % takes 1410 s; it cuts 5 %")
    assert drain(exponential(2_000.0)).needed_s == math.inf
    assert "takes more than an hour" in drain(exponential(2_000.0)).why


def test_limits_can_be_set() -> None:
    limits = Limits(cut_ratio=0.1, step_s=10.0, shortest_s=20.0, longest_s=75.0)
    assert drain(exponential(20.0), limits).drain_s == 50.0
    assert drain(exponential(100.0), limits).drain_s == 75.0
    assert drain(exponential(100.0), limits).needed_s == 240.0
    assert drain(exponential(1.0), limits).drain_s == 20.0


def test_a_few_very_long_generations_push_it_to_the_ceiling_within_a_day() -> None:
    usual = drain(exponential(20.0))
    long = drain(durations(np.append(-20.0 * np.log1p(-(np.arange(20_000) + 0.5) / 20_000), [1_500.0] * 20)))
    assert usual.drain_s == 120.0
    assert long.drain_s == 900.0
    assert long.longer.high == pytest.approx(0.001, rel=0.01)


def test_from_buckets_the_safe_one_with_the_best_case_beside_it() -> None:
    seen = exponential(40.0)
    summed, plain = drain(buckets(seen, seen.total_s)), drain(buckets(seen))
    assert summed.best_s <= 210.0 <= summed.drain_s
    assert plain.best_s <= summed.best_s
    assert summed.drain_s <= plain.drain_s
    assert not summed.cut.is_exact
    assert f"for all that the buckets say ({summed.best_s:g} s may do)" in summed.why
    assert " % to " in summed.why


def test_without_any_request_the_longest() -> None:
    unseen, unsaid = "no finished request has been seen yet", "nothing says how long requests take"
    nothings = ((None, unsaid), (durations(np.array([])), unseen), (Buckets((1.0,), (0.0, 0.0)), unseen))
    for nothing, why in nothings:
        found = drain(nothing)
        assert (found.drain_s, found.best_s, found.needed_s) == (900.0, 60.0, math.inf)
        assert found.cut == found.longer == UNKNOWN
        assert found.why == f"N 900 s, the longest allowed: {why}"


def test_few_requests_are_said_to_be_few() -> None:
    assert "seen in only 200 requests" in drain(exponential(40.0, 200)).why


class TestDrift:
    def test_a_little_over_is_not_worth_a_rollout(self) -> None:
        # exp(-180 / 40) = 1.1 %
        found = drift(180.0, exponential(40.0))
        assert (found.action, found.drain_s) == ("keep", 180.0)
        assert found.why == (
            "kept: N 180 s cuts 1.1 % of running streams today, over the 1 % allowed but under 2 times that: not worth"
            " a restart of every replica"
        )

    def test_twice_over_is(self) -> None:
        found = drift(150.0, exponential(40.0))
        assert (found.action, found.drain_s) == ("raise", 210.0)
        assert found.cut.high == pytest.approx(math.exp(-3.75), rel=0.02)
        assert found.why.startswith(
            "raise to 210 s: N 150 s cuts 2.4 % of running streams today, more than 2"
        )

    def test_lowered_only_where_half_would_do(self) -> None:
        assert drift(390.0, exponential(40.0)).action == "keep"
        found = drift(420.0, exponential(40.0))
        assert (found.action, found.drain_s) == ("lower", 210.0)
        assert found.why.startswith("lower to 210 s: it would cut 0.52 %")

    def test_at_the_ceiling_there_is_nothing_to_raise(self) -> None:
        found = drift(900.0, exponential(300.0))
        assert (found.action, found.drain_s) == ("keep", 900.0)
        assert "900 s is the longest allowed" in found.why

    def test_a_day_of_few_requests_changes_nothing(self) -> None:
        assert drift(60.0, exponential(100.0, 299)).action == "keep"
        assert "too few" in drift(60.0, exponential(100.0, 299)).why
        assert drift(60.0, exponential(100.0, 300)).action == "raise"

    def test_buckets_that_can_not_tell_change_nothing(self) -> None:
        seen = exponential(40.0)
        found = drift(210.0, buckets(seen, seen.total_s))
        assert found.action == "keep"
        assert found.cut.low <= 0.01 < found.cut.high
        assert "buckets can't say" in found.why

    def test_buckets_that_can_tell_raise(self) -> None:
        assert drift(60.0, buckets(exponential(40.0))).action == "raise"


def test_shares_for_people() -> None:
    assert percent(Share(0.0062, 0.0062)) == "0.62 %"
    assert percent(Share(0.001, 0.024)) == "0.1 % to 2.4 %"
    assert percent(Share(0.0, 1.0)) == "0 % to 100 %"
    assert percent(Share(0.01001, 0.01002)) == "1 %"
