"""Holds that drawings stay on their plane, that their words don't meet, and that axes count in round numbers."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.report.drawings import plane
from headrace.report.drawings.plane import HEIGHT, Axis, Mark, Tick

SHARES = st.floats(0, 1)
MARKS = st.lists(SHARES.map(lambda share: Mark(share, "words", "chosen")), min_size=1, max_size=4)


def heights(drawn: str) -> list[float]:
    return [float(y) for y in re.findall(r'<text[^>]* y="([-0-9.]+)"', drawn)]


@given(MARKS)
def test_words_of_upright_marks_have_a_row_each(marks: list[Mark]) -> None:
    rows = heights(plane.upright(marks))
    assert len(set(rows)) == len(marks)
    assert max(rows) < 0, "above the plane"


@given(MARKS)
def test_no_upright_mark_runs_through_the_words_of_another(marks: list[Mark]) -> None:
    drawn = plane.upright(marks)
    found = re.findall(
        r'x1="([0-9.]+)%" x2="[0-9.]+%" y1="([-0-9.]+)".*?class="said chosen (start|end)" x=[^ ]+ y="([-0-9.]+)"',
        drawn,
    )
    assert len(found) == len(marks)
    for x, _, side, row in found:
        for other, top, _, _ in found:
            inside = float(other) > float(x) if side == "start" else float(other) < float(x)
            towards = inside and (float(other) < 50) == (float(x) < 50)
            assert not towards or float(top) > float(row) - 4


@given(SHARES, SHARES)
def test_words_of_two_level_marks_do_not_meet(one: float, other: float) -> None:
    first, second = heights(plane.level([Mark(one, "a", "chosen"), Mark(other, "b", "today")]))
    assert abs(first - second) >= 13


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_within(low: float, span: float) -> None:
    ticks = plane.linear_ticks(low, low + span)
    assert 1 <= len(ticks) <= 6
    assert min(ticks) >= low - 1e-6 * span
    assert max(ticks) <= low + span * (1 + 1e-6)
    steps = {round(after - before, 9) for before, after in pairwise(ticks)}
    assert len({f"{step:.6g}" for step in steps}) <= 1


def test_what_is_beyond_the_plane_stays_at_its_edge() -> None:
    assert plane.down(1.7) == 0
    assert plane.down(-3) == HEIGHT
    assert plane.percent(2) == "100.00%"


def test_a_path_is_drawn_through_its_points() -> None:
    drawn = plane.path([(0, 0), (0.5, 1), (1, 0.25)], "curve", closed=True)
    assert 'd="M0.0 1000.0L500.0 0.0L1000.0 750.0Z"' in drawn


def test_words_are_escaped() -> None:
    axis = Axis("<b>", [Tick(0.5, "<i>")])
    drawn = plane.svg("k", "<u>", "<s>", plane.upright([Mark(0.5, "<p>", "today")]), axis, axis)
    assert re.findall("<[buisp]>", drawn) == []
    assert drawn.count("&lt;") == 7


@pytest.mark.parametrize(("share", "kind"), [(1.0, "tick across last"), (0.5, "tick across")])
def test_the_last_words_end_with_the_axis(share: float, kind: str) -> None:
    axis = Axis("x", [Tick(share, "10 min")])
    assert f'<text class="{kind}"' in plane.svg("k", "t", "d", "", axis, Axis("y", []))
