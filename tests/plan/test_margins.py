"""What a ceiling leaves above the past, and how much of the budget a short past may use up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import OF_DAY, demand

from headrace.plan.margins import LEAST_MARGIN, UNKNOWN_MARGIN, caution, margin
from headrace.series import Series

WEEK = 7 * OF_DAY


def weeks(*peaks: float, before: int = 0) -> Series:
    values = np.concatenate([np.full(before, 999.0), np.repeat(np.array(peaks), WEEK)])
    return replace(demand(1), values=values)


@pytest.mark.parametrize(
    ("peaks", "share"),
    [
        ((10.0, 11.0), LEAST_MARGIN),
        ((10.0, 9.0, 8.0), LEAST_MARGIN),
        ((10.0, 15.0), 0.5),
        ((10.0, 15.0, 10.0, 12.5), 0.5),
        ((0.0, 15.0), LEAST_MARGIN),  # nothing rises from nothing
        ((np.nan, 15.0), LEAST_MARGIN),
        ((10.0, np.nan, 30.0), LEAST_MARGIN),
        ((10.0,), UNKNOWN_MARGIN),
    ],
)
def test_the_ceiling_leaves_what_a_week_has_risen_over_the_one_before(
    peaks: tuple[float, ...], share: float
) -> None:
    assert margin(weeks(*peaks)) == pytest.approx(share)


def test_weeks_are_counted_from_the_end() -> None:
    assert margin(weeks(10.0, 15.0, before=WEEK // 2)) == pytest.approx(0.5)


def test_less_than_two_weeks_use_half_the_budget() -> None:
    assert caution(demand(13.9)) == 0.5
    assert caution(demand(14)) == 1.0
