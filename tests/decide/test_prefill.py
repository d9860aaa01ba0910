"""What one long prompt does to others, and the replicas that keep them out of its way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.decide.prefill import Block, Prefill, block, prefill_floor

WHOLE = Prefill(8_000.0)
CHUNKED = Prefill(8_000.0, 8_192.0)
SHARED = Prefill(8_000.0, 8_192.0, long_ratio=0.5)
PROMPTS = np.array([500.0] * 995 + [120_000.0] * 5)


def test_a_long_prompt_blocks_everything_for_as_long_as_it_takes() -> None:
    assert block(120_000.0, WHOLE) == Block(15.0, 15.0)


def test_chunked_running_streams_go_on_but_newcomers_wait() -> None:
    assert block(120_000.0, CHUNKED) == Block(15.0, 1.024)
    assert block(800.0, CHUNKED) == Block(0.1, 0.1)


def test_limited_to_a_share_of_each_step_newcomers_pass() -> None:
    assert block(120_000.0, SHARED) == Block(1.024, 1.024)


def test_short_prompts_need_no_second_replica() -> None:
    found = prefill_floor(np.full(100, 4_000.0), 50.0, WHOLE, 2.0)
    assert (found.replicas, found.blocked, found.blocking_ratio) == (1, 0.0, 0.0)
    assert found.why.startswith(
        "1 replica is enough for prompts: the longest, of 4,000 tokens, makes others wait 0.5 s"
    )


def test_one_that_comes_rarely_needs_a_second() -> None:
    found = prefill_floor(PROMPTS, 0.1, WHOLE, 2.0)
    assert found.replicas == 2
    assert found.blocked == pytest.approx(0.1 * 0.005 * 15.0)
    assert found.worst == Block(15.0, 15.0)
    assert found.why.startswith(
        "2 replicas at least: 0.5 % of prompts make others wait longer than 2 s for a first token (the longest, of"
        " 120,000 tokens, 15 s)"
    )


@pytest.mark.parametrize(
    ("requests_per_s", "over_ratio"), [(7.5, 0.001), (7.5, 0.1), (60.0, 0.001), (60.0, 0.01)]
)
def test_many_need_so_many_that_one_is_free(requests_per_s: float, over_ratio: float) -> None:
    found = prefill_floor(PROMPTS, requests_per_s, WHOLE, 2.0, over_ratio)
    mean = requests_per_s * 0.005 * 15.0
    assert found.blocked == pytest.approx(mean)

    def all_blocked(replicas: int) -> float:
        return 1.0 - sum(math.exp(-mean) * mean**n / math.factorial(n) for n in range(replicas))

    assert all_blocked(found.replicas) <= over_ratio
    assert found.replicas == 2 or all_blocked(found.replicas - 1) > over_ratio


def test_as_often_blocked_as_when_played() -> None:
    rng = np.random.default_rng(8)
    found = prefill_floor(PROMPTS, 60.0, WHOLE, 2.0, 0.01)
    at_s = np.cumsum(rng.exponential(1.0 / (60.0 * 0.005), 60_000))
    moments_s = rng.uniform(100.0, at_s[-1], 20_000)
    blocked = np.searchsorted(at_s, moments_s) - np.searchsorted(at_s, moments_s - 15.0)
    assert blocked.mean() == pytest.approx(found.blocked, rel=0.02)
    assert np.mean(blocked >= found.replicas) <= 0.013


def test_the_cure_is_named() -> None:
    assert (
        "chunked prefill would let running streams go on meanwhile"
        in prefill_floor(PROMPTS, 1.0, WHOLE, 2.0).why
    )
    assert "--long-prefill-token-threshold" in prefill_floor(PROMPTS, 1.0, CHUNKED, 2.0).why
    assert prefill_floor(PROMPTS, 1.0, SHARED, 2.0).replicas == 1


def test_very_many_are_counted_without_overflow() -> None:
    found = prefill_floor(np.full(10, 120_000.0), 100.0, WHOLE, 2.0)
    assert 1_500 < found.replicas < 1_800


def test_without_prompts() -> None:
    assert prefill_floor(np.array([]), 1.0, WHOLE, 2.0).replicas == 1
