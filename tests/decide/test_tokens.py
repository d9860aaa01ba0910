"""What a running request holds of the KV cache: from samples, and over time."""

from __future__ import annotations

import math

import pytest

from headrace.decide.tokens import LEARN_S, held_by, learned
from headrace.memory import Held
from headrace.snapshot import Sample
from headrace.spec import Capacity

KNOWN = Capacity(slots=256, kv_tokens=400_000)


def test_from_kv_usage_and_the_size_of_the_cache() -> None:
    held = held_by([Sample(100.0, 0.0, 0.5)], KNOWN)
    assert held.tokens == pytest.approx(2_000.0)
    assert held.kv_share == pytest.approx(0.005)


def test_all_requests_weigh_the_same() -> None:
    held = held_by([Sample(100.0, 0.0, 0.5), Sample(300.0, 0.0, 0.5)], KNOWN)
    assert held.tokens == pytest.approx(1_000.0)


def test_each_rank_has_its_own_cache() -> None:
    held = held_by([Sample(100.0, 0.0, 0.25)], Capacity(slots=256, data_parallel=2, kv_tokens=400_000))
    assert held.tokens == pytest.approx(2_000.0)


def test_without_the_size_of_the_cache_only_the_share_is_known() -> None:
    held = held_by([Sample(100.0, 0.0, 0.5)], Capacity(slots=256))
    assert held.tokens is None
    assert held.kv_share == pytest.approx(0.005)


def test_tokens_that_the_engine_tells_come_first() -> None:
    assert held_by([Sample(100.0, 0.0, 0.9, tokens=150_000.0)], KNOWN).tokens == pytest.approx(1_500.0)


@pytest.mark.parametrize(
    "sample",
    [
        Sample(100.0, 0.0, 0.0),  # not told
        Sample(100.0, 0.0, -1.0),
        Sample(100.0, 0.0, 55.0),  # percent, not a ratio
        Sample(100.0, 0.0, math.nan),
        Sample(0.0, 0.0, 0.5),
        Sample(7.0, 0.0, 0.9),  # few requests say nothing about the mix
    ],
)
def test_what_teaches_nothing(sample: Sample) -> None:
    assert held_by([sample], KNOWN) == Held()


@pytest.mark.parametrize("tokens", [math.nan, math.inf, -5.0, 0.0])
def test_tokens_that_cannot_be_true_leave_the_usage(tokens: float) -> None:
    assert held_by([Sample(100.0, 0.0, 0.5, tokens=tokens)], KNOWN).tokens == pytest.approx(2_000.0)


def test_the_first_look_is_taken_whole() -> None:
    assert learned(Held(), Held(2_000.0, 0.005), math.inf) == Held(2_000.0, 0.005)


def test_later_looks_move_it_by_their_time() -> None:
    after = learned(Held(2_000.0, 0.005), Held(3_000.0, 0.0075), LEARN_S)
    assert after.tokens == pytest.approx(3_000.0 - 1_000.0 / math.e)


def test_many_short_looks_are_one_long_one() -> None:
    held = Held(2_000.0)
    for _ in range(60):
        held = learned(held, Held(3_000.0), LEARN_S / 60)
    assert held.tokens == pytest.approx(3_000.0 - 1_000.0 / math.e)


def test_nothing_seen_changes_nothing() -> None:
    assert learned(Held(2_000.0, 0.005), Held(), 1e6) == Held(2_000.0, 0.005)


def test_a_clock_that_stands_still_or_goes_back_changes_nothing() -> None:
    assert learned(Held(2_000.0), Held(3_000.0), -5.0) == Held(2_000.0)


def test_the_greater_of_two() -> None:
    assert Held(1.0, None).or_more(Held(2.0, 0.5)) == Held(2.0, 0.5)
    assert Held(3.0, 0.7).or_more(Held(2.0, None)) == Held(3.0, 0.7)
