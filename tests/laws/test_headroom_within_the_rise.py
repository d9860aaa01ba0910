"""Headroom is never more than the whole rise, never less than nothing, and grows with growth and delay."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.headroom import growth_headroom, growth_quantile, surge_gain
from headrace.spec import Surge

AMOUNT = st.floats(0.0, 1e6)
SURGES = st.builds(Surge, st.floats(0.0, 10.0), st.floats(0.0, 1e5))
HISTORIES = st.lists(st.floats(0.1, 1e4) | st.just(math.nan), max_size=60).map(np.array)


@given(st.floats(-1e6, 1e6), AMOUNT, AMOUNT)
def test_between_nothing_and_the_whole_rise(growth_per_s: float, total_rise: float, delay_s: float) -> None:
    headroom = growth_headroom(growth_per_s, total_rise, delay_s)
    assert 0.0 <= headroom <= total_rise
    assert headroom <= max(0.0, growth_per_s * delay_s)


@given(AMOUNT, AMOUNT, AMOUNT, AMOUNT, AMOUNT)
def test_grows_with_growth_and_delay(
    growth_per_s: float, total_rise: float, delay_s: float, more_per_s: float, more_s: float
) -> None:
    headroom = growth_headroom(growth_per_s, total_rise, delay_s)
    assert growth_headroom(growth_per_s + more_per_s, total_rise, delay_s + more_s) >= headroom


@given(SURGES, AMOUNT, AMOUNT)
def test_gain_within_the_rise_of_the_surge(surge: Surge, delay_s: float, more_s: float) -> None:
    gain = surge_gain(surge, delay_s)
    assert 1.0 <= gain <= 1.0 + surge.rise_ratio
    assert gain <= surge_gain(surge, delay_s + more_s) * (1.0 + 1e-12)
    assert surge_gain(surge, surge.ramp_s) == 1.0 + surge.rise_ratio


@given(HISTORIES, st.integers(1, 20), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_growth_quantile_grows_with_the_quantile_and_stays_within_the_history(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], steps: int, q: float, other: float
) -> None:
    low = growth_quantile(values, steps, min(q, other))
    high = growth_quantile(values, steps, max(q, other))
    assert math.isnan(low) == math.isnan(high)
    if not math.isnan(low):
        assert 0.0 <= low <= high * (1.0 + 1e-9)
        assert high <= (np.nanmax(values) / np.nanmin(values) - 1.0) * (1.0 + 1e-9) + 1e-9


@given(HISTORIES, st.integers(1, 20), st.floats(0.0, 1.0), st.sampled_from([0.5, 2.0, 1024.0]))
def test_growth_quantile_has_no_unit(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], steps: int, q: float, scale: float
) -> None:
    one, other = growth_quantile(values, steps, q), growth_quantile(values * scale, steps, q)
    assert one == other or (math.isnan(one) and math.isnan(other))


@given(HISTORIES, st.integers(1, 20), st.floats(0.0, 1.0), st.integers(1, 30))
def test_a_hole_at_the_end_says_nothing(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], steps: int, q: float, hole: int
) -> None:
    """A hole never looks like a fall to zero, nor like the rise after one."""
    holed = np.concatenate([values, np.full(hole, math.nan), values])
    growth = growth_quantile(holed, steps, 1.0)
    if not math.isnan(growth) and hole >= steps:
        # behind a hole as long as the horizon nothing is compared across it: only windows cut short are added
        assert growth <= (np.nanmax(values) / np.nanmin(values) - 1.0) * (1.0 + 1e-9) + 1e-9
    assert math.isnan(growth_quantile(np.full(hole + steps, math.nan), steps, q))
