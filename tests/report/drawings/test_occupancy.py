"""Holds that bars of occupancy count every known moment once, and what waits in them."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.report import plans

from headrace.report.drawings import occupancy
from headrace.report.drawings.plane import HEIGHT
from headrace.report.figures import OccupancyChart


@given(
    hnp.arrays(np.float64, 80, elements=st.floats(0, 300)),
    hnp.arrays(np.float64, 80, elements=st.floats(0, 500)),
    st.floats(1, 256),
)
def test_every_moment_is_in_one_bar(running: np.ndarray, waiting: np.ndarray, slots: float) -> None:
    bars = occupancy.bars(OccupancyChart(running, waiting, slots, slots / 2))
    assert len(bars) <= 21
    assert sum(bar.moments_ratio for bar in bars) == pytest.approx(1)
    assert sum(bar.moments_ratio * bar.mean for bar in bars) == pytest.approx(waiting.mean())
    assert all(before.high <= after.low + 1e-9 for before, after in pairwise(bars))
    assert bars[-1].high >= running.max() or running.max() <= slots


def test_unknown_moments_are_left_out() -> None:
    chart = plans.occupancy()
    running = np.append(chart.running, [np.nan, 5.0, np.inf])
    waiting = np.append(chart.waiting, [1.0, np.nan, 2.0])
    assert occupancy.bars(replace(chart, running=running, waiting=waiting)) == occupancy.bars(chart)


def test_full_is_in_the_last_bar_below_the_slots() -> None:
    last = occupancy.bars(plans.occupancy())[-1]
    assert (last.low, last.high) == (60.0, 64.0)
    assert last.mean == pytest.approx(np.mean([(running - 40) ** 1.5 for running in range(60, 65)]))


def test_bars_past_the_target_are_marked_and_stay_on_the_plane() -> None:
    drawn = occupancy.drawing(plans.occupancy(), "k", "words")
    kinds = re.findall(r'class="bin (\w+)"', drawn)
    assert kinds == ["calm"] * 10 + ["past"] * 6
    for y, height in re.findall(r'<rect class="bin \w+"[^>]* y="([0-9.]+)" height="([0-9.]+)"', drawn):
        assert float(y) >= 0
        assert float(y) + float(height) == pytest.approx(HEIGHT, abs=0.11)
    for words in ("target 40", "today 57", "slots 64"):
        assert f">{words}</text>" in drawn


def test_few_waiting_are_drawn_straight_and_many_by_powers_of_ten() -> None:
    few = OccupancyChart(np.arange(9.0), np.arange(9.0), 8.0, 4.0)
    assert ">2</text>" in occupancy.drawing(few, "k", "w")
    many = replace(few, waiting=np.arange(9.0) * 100)
    assert re.findall(r'class="tick up"[^>]*>([^<]+)<', occupancy.drawing(many, "k", "w")) == [
        "0",
        "1",
        "10",
        "100",
    ]
