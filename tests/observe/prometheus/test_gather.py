"""Stretches of time: the same ones tomorrow, whole where they are settled, never more steps than are answered."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.observe.prometheus.fake_server import MONDAY_S

from headrace.observe.prometheus.answer import Piece, piece
from headrace.observe.prometheus.gather import MOST_STEPS, SETTLED_S, Gathered, Question, Span, spans
from headrace.observe.prometheus.queries import Query

DAY_STEPS = 1_440
FIRST = MONDAY_S // 60
LABELS = (("model_name", "m"),)


def test_settled_days_are_whole_and_the_newest_is_what_is_wanted() -> None:
    now_s = MONDAY_S + 2 * 86_400 + 3_600.0
    assert spans(FIRST + 60, 2 * DAY_STEPS, 60, now_s) == [
        Span(FIRST, DAY_STEPS, True),
        Span(FIRST + DAY_STEPS, DAY_STEPS, True),
        Span(FIRST + 2 * DAY_STEPS, 60, False),
    ]


def test_a_day_is_settled_a_quarter_of_an_hour_after_its_end() -> None:
    for late_s, is_settled in ((SETTLED_S - 1, False), (SETTLED_S, True)):
        (span,) = spans(FIRST, DAY_STEPS, 60, MONDAY_S + 86_400 + late_s)
        assert span.is_settled == is_settled


@given(
    first=st.integers(0, 10**8),
    steps=st.integers(1, 50_000),
    step_s=st.sampled_from([1, 7, 15, 60, 300, 3_600, 21_600, 86_400]),
    age_s=st.floats(0, 10**7),
)
def test_they_cover_what_is_wanted_once_and_are_never_too_many_steps(
    first: int, steps: int, step_s: int, age_s: float
) -> None:
    found = spans(first, steps, step_s, (first + steps) * step_s + age_s)
    assert found[0].first <= first
    assert found[-1].first + found[-1].steps >= first + steps
    assert all(one.first + one.steps == other.first for one, other in pairwise(found))
    assert all(1 <= span.steps <= MOST_STEPS for span in found)
    size = max(span.steps for span in found)
    assert all(span.first % size == 0 for span in found if span.is_settled)


def test_parts_come_together_and_what_is_outside_is_dropped() -> None:
    gathered = Gathered(Question(Query("running", "x", 60), 10, 4, 100))
    gathered.take(8, Piece((LABELS,), np.array([[1.0, 2.0, 3.0, 4.0]])))
    gathered.take(12, Piece((LABELS, ()), np.array([[5.0, math.nan, 7.0], [math.nan, math.nan, 9.0]])))
    assert list(gathered.rows) == [LABELS]
    assert gathered.rows[LABELS].tolist()[:3] == [3.0, 4.0, 5.0]
    assert math.isnan(gathered.rows[LABELS][3])


@pytest.mark.parametrize("earlier_s", [0, 1, 29, 59])
def test_a_value_is_of_its_step_wherever_in_it_a_cache_has_moved_the_question(earlier_s: int) -> None:
    times = [[(FIRST + step + 1) * 60 - earlier_s, str(step)] for step in range(-1, 4)]
    series = [{"metric": dict(LABELS), "values": times}]
    found = {"status": "success", "data": {"resultType": "matrix", "result": series}}
    read = piece("http://h", found, 60, FIRST, 3)
    assert read.labels == (LABELS,)
    assert read.values.tolist() == [[0.0, 1.0, 2.0]]
