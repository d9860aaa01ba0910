"""Between windows a forecast is joined in logarithms; the peak is that of all that is passed on the way."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast import at_lead, peak_until

NEWEST, OFFSET = np.array([8.0]), np.array([0.0])
AHEAD = np.array([[16.0, 64.0, 4.0]])


@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        (0.0, 8.0 * 2**0.5),  # now: halfway between the newest window's middle and the next one's
        (0.5, 16.0),
        (1.0, 32.0),
        (1.5, 64.0),
        (2.0, 16.0),
        (2.5, 4.0),
        (9.0, 4.0),
    ],
)
def test_a_lead_is_a_place_between_the_middles_of_windows(lead: float, expected: float) -> None:
    assert at_lead(NEWEST, AHEAD, OFFSET, lead)[0] == pytest.approx(expected)


def test_a_tick_of_ten_seconds_is_hardly_more_than_now() -> None:
    now, tick = (at_lead(NEWEST, AHEAD, OFFSET, lead)[0] for lead in (0.0, 10.0 / 600.0))
    assert now < tick < 1.02 * now


@pytest.mark.parametrize(
    ("lead", "expected"), [(0.0, 8.0 * 2**0.5), (0.25, 8.0 * 2**0.75), (1.0, 32.0), (1.6, 64.0), (3.0, 64.0)]
)
def test_the_peak_is_the_greatest_on_the_way(lead: float, expected: float) -> None:
    assert peak_until(NEWEST, AHEAD, OFFSET, lead)[0] == pytest.approx(expected)


def test_the_peak_of_a_fall_is_now() -> None:
    falling = np.array([[4.0, 2.0, 1.0]])
    assert peak_until(NEWEST, falling, OFFSET, 2.0)[0] == pytest.approx(8.0 / 2**0.5)


def test_zero_is_no_abyss() -> None:
    assert at_lead(np.zeros(1), np.zeros((1, 2)), np.array([5.0]), 0.7)[0] == pytest.approx(0.0)
