"""Holds that rare rises are drawn as wide as common ones, and the headroom at its place among them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.report import plans

from headrace.report.drawings import growth
from headrace.report.drawings.plane import HEIGHT


def test_each_tenth_is_as_wide_as_the_one_before() -> None:
    drawn = growth.drawing(plans.growth(), "k", "words")
    dots = [float(x) for x in re.findall(r'<circle class="dot" cx="([0-9.]+)%"', drawn)]
    assert len(dots) == 5, "a half, 90, 99, 99.9 and 99.99 %"
    widths = np.diff(dots[1:])
    assert widths.max() - widths.min() < 0.02


def test_the_headroom_is_a_level_line_at_its_place() -> None:
    chart = plans.growth()
    drawn = growth.drawing(chart, "k", "words")
    # Rises go up to 40 requests/s, and the plane 8 % further.
    y = re.search(r'<line class="mark chosen"[^>]* y1="([0-9.]+)"', drawn)
    assert y
    assert float(y[1]) == pytest.approx(HEIGHT * (1 - 25 / (40 * 1.08)), abs=0.1)
    assert ">headroom proposed 25</text>" in drawn
    assert ">headroom today 10</text>" in drawn
    assert "today" not in growth.drawing(replace(chart, today_headroom=None), "k", "words")


def test_words_stand_where_the_curve_is_not() -> None:
    chart = plans.growth()
    low = growth.drawing(replace(chart, headroom=5.0), "k", "words")
    high = growth.drawing(replace(chart, headroom=39.0), "k", "words")
    assert 'class="said chosen end"' in low
    assert 'class="said chosen start"' in high


def test_demand_that_never_rises_is_drawn_too() -> None:
    flat = replace(plans.growth(), rises=np.full(60, -2.0), headroom=0.0, today_headroom=None)
    drawn = growth.drawing(flat, "k", "words")
    assert "nan" not in drawn
    assert ">-2</text>" in drawn
