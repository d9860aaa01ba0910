"""Durations of the built-in traffic: drawn from published token counts by the stated pace of a replica."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.simulate import llm_requests as llm


def test_a_quantile_that_is_published_is_met_and_the_ends_are_flat() -> None:
    for table in (llm.INPUT_TOKENS, llm.OUTPUT_TOKENS):
        assert llm.tokens(np.array(llm.QUANTILES), table).tolist() == list(table)
        assert llm.tokens(np.array([0.0, 1.0]), table).tolist() == [table[0], table[-1]]


def test_between_quantiles_counts_are_whole_and_never_fall() -> None:
    found = llm.tokens(np.linspace(0.0, 1.0, 10_001), llm.INPUT_TOKENS)
    assert np.array_equal(found, np.round(found))
    assert (np.diff(found) >= 0).all()


def test_the_pace() -> None:
    # 16,000 tokens at 8,000 a second, then 60 at 30 a second
    assert llm.duration_s(np.array([16_000.0]), np.array([60.0])).tolist() == [4.0]


def test_the_same_seed_draws_the_same() -> None:
    one, again, other = (llm.durations_s(1_000, seed) for seed in (7, 7, 8))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert one.shape == (1_000,)


def test_many_are_as_the_tables_say() -> None:
    found = llm.durations_s(200_000)
    longest_s = llm.duration_s(np.array([12_871.0]), np.array([2_270.0]))[0]
    assert found.min() > 0.0
    assert found.max() <= longest_s
    # the middle answer of 53 tokens takes 1.8 s, and the middle prompt of 602 less than a tenth of a second
    assert np.median(found) == pytest.approx(53 / 30 + 602 / 8_000, rel=0.05)
    assert np.quantile(found, 0.99) == pytest.approx(879 / 30, rel=0.05)
