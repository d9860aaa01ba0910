"""A series at a fixed step: its gaps, its slices, its values at other ticks; holes stay holes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.series import Series, between, gaps, known_mean, known_ratio, resampled, tick_means

HOLE = math.nan
ANY_SERIES = st.builds(
    lambda start_s, step_s, values: Series(start_s, step_s, np.array(values, dtype=np.float64)),
    st.integers(0, 2_000_000_000).map(float),
    st.sampled_from([0.5, 1.0, 7.0, 10.0, 600.0]),
    st.lists(st.one_of(st.just(HOLE), st.floats(0, 1e6)), max_size=40),
)


def series(*values: float, start_s: float = 100.0, step_s: float = 10.0) -> Series:
    return Series(start_s, step_s, np.array(values), "slots")


def same(found: Series, *values: float) -> None:
    np.testing.assert_allclose(found.values, np.array(values), rtol=1e-12)


def test_gaps_are_runs_of_holes() -> None:
    assert gaps(series(HOLE, 1, HOLE, HOLE, 2, HOLE)) == ((100.0, 110.0), (120.0, 140.0), (150.0, 160.0))
    assert gaps(series(1, 0)) == ()
    assert gaps(series()) == ()


def test_mean_and_ratio_count_what_is_known() -> None:
    assert known_mean(series(1, HOLE, 3)) == 2.0
    assert known_ratio(series(1, HOLE, 3, 4)) == 0.75
    assert math.isnan(known_mean(series(HOLE)))
    assert known_ratio(series()) == 0.0


def test_between_takes_the_steps_that_begin_within() -> None:
    whole = series(0, 1, 2, 3)
    part = between(whole, 105.0, 130.0)
    assert (part.start_s, part.unit) == (110.0, "slots")
    same(part, 1, 2)
    assert np.shares_memory(part.values, whole.values)
    same(between(whole, 0.0, 1e9), 0, 1, 2, 3)
    assert len(between(whole, 130.0, 110.0)) == 0
    assert len(between(whole, 500.0, 600.0)) == 0
    same(between(series(0, 1, 2, 3, start_s=0.0, step_s=0.1), 0.1 + 0.2, 9.0), 3)


def test_held_values_last_their_step() -> None:
    same(resampled(series(1, HOLE, 3), 5.0), 1, 1, HOLE, HOLE, 3, 3)
    same(resampled(series(1, 2, 3, 4), 20.0), 1, 3)


def test_line_runs_from_value_to_value_and_is_held_before_a_hole() -> None:
    same(resampled(series(0, 10, HOLE, 4, 8), 5.0, "line"), 0, 5, 10, 10, HOLE, HOLE, 4, 6, 8, 8)


def test_ticks_keep_to_the_grid_over_a_long_history() -> None:
    values = np.arange(100_000.0)
    ticks = resampled(Series(0.0, 0.3, values), 0.1)
    np.testing.assert_array_equal(ticks.values, np.repeat(values, 3))


def test_tick_means_leave_holes_out() -> None:
    found = tick_means(series(1, 3, HOLE, 5, HOLE, HOLE, 7), 2)
    assert found.step_s == 20.0
    same(found, 2, 5, HOLE, 7)


@pytest.mark.parametrize("tick_s", [0.0, -1.0, math.nan, math.inf])
def test_tick_must_be_positive(tick_s: float) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        resampled(series(1), tick_s)
    with pytest.raises(ValueError, match="at least 1"):
        tick_means(series(1), 0)


@given(ANY_SERIES, st.integers(1, 7))
def test_holding_over_equal_ticks_and_taking_their_means_gives_the_series_back(
    whole: Series, every: int
) -> None:
    fine = resampled(whole, whole.step_s / every)
    np.testing.assert_allclose(tick_means(fine, every).values, whole.values, rtol=1e-12)


@given(ANY_SERIES, st.sampled_from(["hold", "line"]), st.floats(0.1, 700.0))
def test_a_tick_is_known_where_its_step_is(whole: Series, how: str, tick_s: float) -> None:
    ticks = resampled(whole, tick_s, "line" if how == "line" else "hold")
    held = resampled(whole, tick_s)
    np.testing.assert_array_equal(np.isnan(ticks.values), np.isnan(held.values))
    known = whole.values[~np.isnan(whole.values)]
    found = ticks.values[~np.isnan(ticks.values)]
    if found.size:
        slack = 1e-9 * (1.0 + known.max())
        assert known.min() - slack <= found.min() <= found.max() <= known.max() + slack


@given(ANY_SERIES)
def test_gaps_cover_exactly_the_holes(whole: Series) -> None:
    covered = np.zeros(len(whole), dtype=bool)
    for start_s, end_s in gaps(whole):
        first, after = (round((at_s - whole.start_s) / whole.step_s) for at_s in (start_s, end_s))
        covered[first:after] = True
    np.testing.assert_array_equal(covered, np.isnan(whole.values))
