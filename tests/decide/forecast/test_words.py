"""What a short or holed history cannot tell is said, and coverage is called the average that it is."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast import coverage_words, what_is_unknown

SLOTS = 48


@pytest.mark.parametrize(
    ("windows", "words"),
    [
        (10, "5 hours of history: no hour of the day can be told from another"),
        (2, "1 hour of history: no hour of the day"),
        (
            5 * SLOTS,
            "5 days of history: no weekday can be told from another; yesterday and the mean of the days",
        ),
        (9 * SLOTS, "9 days of history: each weekday has been seen at most twice"),
    ],
)
def test_a_short_history_is_called_short(windows: int, words: str) -> None:
    assert what_is_unknown(np.ones(windows), SLOTS)[0].startswith(words)


def test_two_weeks_need_no_words() -> None:
    assert what_is_unknown(np.ones(14 * SLOTS), SLOTS) == ()


def test_what_lies_before_the_first_value_is_no_history() -> None:
    late = np.concatenate([np.full(20 * SLOTS, np.nan), np.ones(3 * SLOTS)])
    assert what_is_unknown(late, SLOTS)[0].startswith("3 days of history")


def test_few_comparisons_holes_zeros_and_nothing() -> None:
    assert "only 9 forecasts can be compared" in what_is_unknown(np.ones(10), SLOTS)[1]
    holed = np.ones(20 * SLOTS)
    holed[::4] = np.nan
    holed[0] = 1.0
    assert what_is_unknown(holed, SLOTS) == (
        (
            "25 % of the windows are holes: they count as unknown, not as zero, and what is said of their times of day "
            "rests on fewer days"
        ),
    )
    assert what_is_unknown(np.zeros(20 * SLOTS), SLOTS)[0].startswith("20 days of history, all of it zero")
    assert what_is_unknown(np.full(SLOTS, np.nan), SLOTS) == ("no demand is known: nothing can be forecast",)


def test_coverage_is_an_average_and_has_a_worst_day() -> None:
    came, upper = np.zeros(10 * SLOTS), np.ones(10 * SLOTS)
    came[:10] = 2.0
    came[5 * SLOTS : 5 * SLOTS + 14] = 2.0
    assert coverage_words(came, upper, SLOTS) == (
        "coverage 95.0 % is an average, 95 % asked for; the worst day was 71 %"
    )


def test_a_day_of_holes_is_not_the_worst_day() -> None:
    came, upper = np.zeros(3 * SLOTS), np.ones(3 * SLOTS)
    came[SLOTS : 2 * SLOTS] = np.nan
    came[SLOTS] = 2.0
    assert coverage_words(came, upper, SLOTS).endswith("the worst day was 100 %")


def test_nothing_compared_is_said() -> None:
    assert coverage_words(np.full(9, np.nan), np.ones(9), SLOTS).startswith("no forecast can be compared")
    assert coverage_words(np.zeros(9), np.ones(9), SLOTS).endswith("on less than a whole day")
