"""The rise among noisy samples: told from noise, as steep as it is, carried on to the ceiling and no further."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.scale import average, carried, ceiling, rise

RAMP = (1.0, 1.0, 1.0, 1.2, 1.4)
"""Level 1, then 0.2 a tick."""
windows = st.lists(st.floats(0.1, 10.0), min_size=2, max_size=9)
noises = st.sampled_from([0.0, 0.02]) | st.floats(0.0, 0.5)


def of(levels: tuple[float, ...] | list[float], noise: float) -> float:
    return rise(levels, 0, len(levels) - 1, noise)


class TestRise:
    def test_without_noise_it_is_the_windows(self) -> None:
        assert of(RAMP, 0.0) == pytest.approx(0.4 / 4)

    def test_with_noise_it_is_as_steep_as_the_line_that_began(self) -> None:
        assert of(RAMP[:4], 1e-9) == pytest.approx(0.2)

    def test_of_moments_that_it_may_have_begun_at_the_last_says_steepest(self) -> None:
        assert of(RAMP, 1e-9) == pytest.approx(1.4 - 1.05)

    def test_what_noise_explains_does_not_count(self) -> None:
        # at the last: 0.35 over four of mean 1.05, more than 0.29 times its scatter and less than 0.3 times
        assert of(RAMP, 0.29) == pytest.approx(0.35)
        # after the third: two on the line (mean 1.3) over three (mean 1), 1.5 ticks apart
        assert of(RAMP, 0.3) == pytest.approx(0.3 / 1.5)
        assert of(RAMP, 0.4) == 0.0

    @pytest.mark.parametrize("noise", [0.0, 0.02])
    def test_a_fall_a_flat_line_and_a_single_sample_are_none(self, noise: float) -> None:
        assert of(RAMP[::-1], noise) == of((1.0, 1.0, 1.0), noise) == of((1.0,), noise) == 0.0

    def test_two_samples_are_the_same_by_both(self) -> None:
        assert of((1.0, 1.3), 1e-12) == pytest.approx(of((1.0, 1.3), 0.0))

    def test_a_steep_rise_is_told_at_its_first_sample_and_noise_for_hours_is_not(self) -> None:
        noisy = 1.0 + 0.01 * np.random.default_rng(11).standard_normal(3_000)
        begun = np.array([of(noisy[at : at + 7].tolist(), 0.03) for at in range(2_994)])
        assert (begun > 0.0).mean() < 0.02
        ratio = np.array([noisy[at : at + 7].max() - noisy[at : at + 7].min() for at in range(2_994)])
        assert ratio.mean() > 0.02  # which the whole window would have carried on
        steep = [of([*noisy[at : at + 6].tolist(), 1.1], 0.03) for at in range(1_000)]
        assert np.mean(np.array(steep) > 0.0) > 0.99

    @given(windows, noises, st.floats(1.0, 8.0))
    def test_a_raised_newest_sample_and_a_scaled_window_rise_no_less(
        self, levels: list[float], noise: float, factor: float
    ) -> None:
        assert of([*levels[:-1], levels[-1] * factor], noise) >= of(levels, noise)
        assert of([level * factor for level in levels], noise) >= of(levels, noise) * (1 - 1e-9) - 1e-12


def test_the_newest_are_averaged() -> None:
    assert average(RAMP, 0, 4, 4) == pytest.approx(1.15)
    assert average(RAMP, 0, 4, 1) == 1.4
    assert average(RAMP, 3, 4, 4) == pytest.approx(1.3)  # no more are known


class TestCeiling:
    def test_a_rise_is_carried_on_to_the_ceiling(self) -> None:
        assert carried(1.15, 0.35, math.inf) == 1.5
        assert carried(1.15, 0.35, 1.3) == 1.3

    def test_what_is_seen_above_it_stays(self) -> None:
        assert carried(1.15, 0.35, 1.1) == 1.15
        assert carried(1.15, 0.0, 1.1) == 1.15

    def test_an_unknown_one_is_none(self) -> None:
        assert carried(1.15, 0.35, math.nan) == 1.5

    @pytest.mark.parametrize(("weight", "expected"), [(1.0, 1.6), (0.5, 4.8), (0.0, math.inf)])
    def test_it_lies_over_the_curve_in_the_levels_own_unit(self, weight: float, expected: float) -> None:
        assert ceiling(1.6, 9.0, weight) == pytest.approx(expected)
