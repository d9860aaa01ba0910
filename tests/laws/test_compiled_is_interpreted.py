"""The compiled simulation is the interpreted one, figure by figure: on random rules, worlds and demand with gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.fleets import rules

from headrace.simulate import compiled, fluid
from headrace.simulate.fluid import Inputs, Timing
from headrace.spec import Rule

pytestmark = pytest.mark.skipif(
    not compiled.available(), reason="compiled == interpreted needs numba, which is not installed"
)
TICKS = 150


def column(random: np.random.Generator, *, gaps: bool) -> np.ndarray:
    """Steps of random height and length, rough on top, and perhaps with gaps."""
    values = np.empty(TICKS)
    at = 0
    while at < TICKS:
        length = int(random.integers(1, 60))
        is_gap = gaps and random.random() < 0.2
        values[at : at + length] = math.nan if is_gap else random.choice([0.0, random.uniform(0.0, 30.0)])
        at += length
    return np.asarray(values * (1.0 + 0.1 * random.random(TICKS)))


TIMINGS = st.builds(
    Timing, st.sampled_from([1.0, 10.0]), st.integers(0, 9), st.integers(1, 40), st.integers(0, 40)
)


@given(rules, TIMINGS, st.integers(0, 2**32 - 1), st.integers(0, 5), st.integers(1, 60))
@settings(max_examples=200)
def test_equal(rule: Rule, timing: Timing, seed: int, least: int, spread: int) -> None:
    random = np.random.default_rng(seed)
    demand, seen, at_seen, peak, floor_peak, mean = (
        column(random, gaps=gaps) for gaps in (True, True, False, False, True, False)
    )
    # a curve of zero under a rule without softening divides by it: not what the inputs are made of
    read = Inputs(demand, seen, at_seen + 0.01, peak, floor_peak, mean + 0.01)
    results = []
    for run in (fluid.run, compiled.run(None)):
        size = TICKS + max(timing.start_ticks, timing.drain_ticks)
        trace = np.zeros((3, TICKS))
        wanted, wants, arriving, leaving = (np.zeros(count) for count in (TICKS, TICKS, size, size))
        limits = float(least), float(least + spread)
        tally = run(rule, timing, read, *limits, wanted, wants, arriving, leaving, trace)
        results.append((tuple(map(float, tally)), trace))
    (interpreted, counts), (fast, fast_counts) = results
    assert np.array_equal(counts, fast_counts)
    assert interpreted == pytest.approx(fast, rel=1e-12)
