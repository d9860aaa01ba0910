"""A history at ticks: what lies between its values, the gap it begins with, what is learned from, lone dips."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.series import Series
from headrace.simulate import ticks

DAY_S, WEEK_S = 86_400.0, 604_800.0


def series(values: list[float], step_s: float = 300.0) -> Series:
    return Series(1_000.0, step_s, np.array(values, np.float64), "slots")


def test_a_finer_history_is_read_at_ticks_without_a_word() -> None:
    found, note = ticks.at_ticks(series([1, 2, 3, 4, 5, 6], 10.0), 20.0, "rough", 7)
    assert (found.values.tolist(), found.step_s, note) == ([1.0, 3.0, 5.0], 20.0, "")


def test_its_own_step_is_left_as_it_is() -> None:
    found, note = ticks.at_ticks(series([1, np.nan, 3], 10.0), 10.0, "rough", 7)
    assert np.array_equal(found.values, [1.0, np.nan, 3.0], equal_nan=True)
    assert note == ""


def test_held_values_jump_and_lines_run_straight() -> None:
    held, said = ticks.at_ticks(series([10, 20], 20.0), 10.0, "hold", 7)
    assert held.values.tolist() == [10.0, 10.0, 20.0, 20.0]
    assert said == "Each value is held for 20s, then demand jumps (--between hold)."
    line, said = ticks.at_ticks(series([10, 20], 20.0), 10.0, "line", 7)
    assert line.values.tolist() == [10.0, 15.0, 20.0, 20.0]
    assert "runs straight" in said


def test_between_rough_values_it_is_as_rough_and_drawn_by_the_seed() -> None:
    values = (100.0 + np.random.default_rng(1).normal(0.0, 10.0, 500)).tolist()
    one, again, other = (ticks.at_ticks(series(values), 60.0, "rough", seed) for seed in (7, 7, 8))
    line, _ = ticks.at_ticks(series(values), 60.0, "line", 7)
    assert np.array_equal(one[0].values, again[0].values)
    assert not np.array_equal(one[0].values, other[0].values)
    assert len(one[0]) == len(line) == 2_500
    assert np.abs(np.diff(one[0].values)).mean() > 1.5 * np.abs(np.diff(line.values)).mean()
    assert one[1].startswith("Between its values, 5m apart, demand is drawn as rough")
    assert "seed 7" in one[1]


@pytest.mark.parametrize(("empty", "words"), [(1, "5m"), (12, "1h"), (13, "1h5m")])
def test_a_history_begins_with_its_first_value(empty: int, words: str) -> None:
    found, note = ticks.from_first_value(series([np.nan] * empty + [1.0, np.nan, 2.0]))
    assert (found.start_s, len(found)) == (1_000.0 + 300.0 * empty, 3)
    assert note == f"The first {words} have no value: the history is taken to begin after them."


def test_a_first_value_that_is_there_is_not_spoken_of() -> None:
    whole = series([1.0, np.nan])
    assert ticks.from_first_value(whole) == (whole, "")


@pytest.mark.parametrize(
    ("span_s", "learned_s"),
    [
        (0.0, 0.0),
        (2 * DAY_S - 1, 0.0),
        (2 * DAY_S, DAY_S),
        (2 * WEEK_S - 1, DAY_S),
        (2 * WEEK_S, WEEK_S),
        (9 * WEEK_S, WEEK_S),
    ],
)
def test_a_week_is_learned_from_or_a_day_or_nothing(span_s: float, learned_s: float) -> None:
    assert ticks.learned_s(span_s) == learned_s


def test_what_is_left_of_a_gap() -> None:
    holed = series([1.0, np.nan, np.nan, 4.0, np.nan])
    assert [ticks.gap_s(holed, 300.0 * at) for at in range(5)] == [0.0, 600.0, 300.0, 0.0, 0.0]


def test_lone_values_next_to_nothing_are_holes() -> None:
    values = [100.0] * 50
    values[20] = 1.0
    found, note = ticks.without_dips(series(values))
    assert np.flatnonzero(np.isnan(found.values)).tolist() == [20]
    assert note.startswith("1 value below 5 % of what is around it is taken for holes")
    values[30] = 0.0
    assert ticks.without_dips(series(values))[1].startswith("2 values below 5 % of what is around them are")


def test_a_step_that_may_be_empty_by_chance_is_left_alone() -> None:
    values = [100.0] * 50
    values[20] = 1.0
    fine = series(values, 10.0)
    assert ticks.without_dips(fine) == (fine, "")
    whole = series([100.0] * 50)
    assert ticks.without_dips(whole) == (whole, "")
