"""What a replica serves: as given, as measured, in slots, or by Little's law; and what is missing to tell it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import ask, demand, fleet

from headrace.durations import Buckets, durations
from headrace.errors import InputError
from headrace.plan.ask import Ask
from headrace.plan.kv import kv_cache
from headrace.plan.replica import Serves, mean_s, serves
from headrace.series import Series

TAKEN = durations(np.array([2.0, 4.0, 6.0, 8.0]))


def of(one: Ask, target_ratio: float) -> Serves:
    return serves(one, target_ratio, kv_cache(one))


def rates() -> Series:
    return replace(demand(4), unit="requests/s")


def test_slots_are_slots_at_the_target() -> None:
    assert of(ask(demand(4)), 0.5) == (32.0, 32.0, "32 slots")


def test_requests_per_second_are_slots_over_time_in_service() -> None:
    found = of(ask(rates(), durations=TAKEN), 0.5)
    assert found.demand == pytest.approx(32.0 / 5.0)
    assert found.slots == 32.0
    assert found.why == "32 slots over 5 s in service: 6.4 requests/s"


def test_a_queue_of_requests_is_served_at_that_rate() -> None:
    # Little's law against a fleet of one replica: 32 servers, each busy for the durations in turn
    free_s = np.zeros(32)
    taken_s = np.tile([2.0, 4.0, 6.0, 8.0], 2_000)
    for duration_s in taken_s:
        first = int(free_s.argmin())
        free_s[first] += duration_s
    rate = len(taken_s) / free_s.mean()
    assert of(ask(rates(), durations=TAKEN), 0.5).demand == pytest.approx(rate, rel=0.01)


def test_what_was_measured_comes_before_what_is_reckoned() -> None:
    found = of(ask(rates(), fleet(requests_per_s=7.5), durations=TAKEN), 0.8)
    assert found.demand == pytest.approx(6.0)
    assert found.why == "6 requests/s, as measured"


def test_what_was_given_comes_before_all() -> None:
    found = of(ask(rates(), fleet(requests_per_s=7.5), per_replica=3.0), 0.5)
    assert (found.demand, found.slots, found.why) == (1.5, 32.0, "1.5 requests/s, as given")
    unknown = of(ask(replace(demand(4), unit=""), per_replica=3.0), 1.0)
    assert unknown.why == "3 units of demand, as given"


def test_large_figures_keep_their_digits_and_small_ones_are_short() -> None:
    assert of(ask(rates(), per_replica=123_456.7), 1.0).why == "123457 requests/s, as given"
    assert of(ask(rates(), per_replica=0.033333333), 1.0).why == "0.03333 requests/s, as given"


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        ("requests/s", "how many of them a replica serves; give --per-replica"),
        ("", "what the history counts"),
    ],
)
def test_what_is_missing_is_said(unit: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        of(ask(replace(demand(4), unit=unit)), 0.5)


def test_durations_of_nothing_say_nothing() -> None:
    with pytest.raises(InputError, match="all durations are 0 s"):
        of(ask(rates(), durations=durations(np.zeros(5))), 0.5)


def test_the_mean_duration() -> None:
    assert mean_s(TAKEN) == 5.0
    assert mean_s(Buckets((1.0, 10.0), (2.0, 2.0, 0.0), 12.0)) == 3.0
    assert mean_s(Buckets((1.0, 10.0), (2.0, 2.0, 0.0))) is None
    assert mean_s(durations(np.zeros(0))) is None
    assert mean_s(None) is None
