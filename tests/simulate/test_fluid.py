"""The fluid loop at its edges: where it begins, windows off the tick, what it leaves behind."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.simulate import fluid
from headrace.simulate.fluid import Inputs, Tally, Timing
from headrace.spec import Rule

SEEN = Rule(
    floor_gain=0.0,
    curve_weight=0.0,
    samples=1,
    headroom=0.0,
    exponent=1.0,
    on_curve=False,
    down_window_s=0.0,
)
"""As many replicas as are seen to be needed, at once in both directions."""


class Ran:
    """One run, and its scratch as it was left."""

    def __init__(self, demand: list[float], timing: Timing, rule: Rule = SEEN, least: float = 0.0) -> None:
        ticks = len(demand)
        size = ticks + max(timing.start_ticks, timing.drain_ticks)
        self.trace = np.zeros((3, ticks))
        self.queues = np.zeros(size), np.zeros(size)
        wanted, wants = np.zeros(ticks), np.zeros(ticks)
        read = Inputs(*[np.array(demand)] * 6)
        figures = fluid.run(rule, timing, read, least, 1e9, wanted, wants, *self.queues, self.trace)
        self.tally = Tally(*figures)

    @property
    def ready(self) -> list[float]:
        ready: list[float] = self.trace[0].tolist()
        return ready


def test_it_begins_with_what_the_first_look_asks_for() -> None:
    assert Ran([3.4, 3.4], Timing(10.0, 0, 1, 0)).ready == [4.0, 4.0]


def test_it_begins_with_the_least_where_the_first_look_sees_nothing() -> None:
    assert Ran([math.nan, math.nan], Timing(10.0, 0, 1, 0), least=2.0).ready == [2.0, 2.0]


@pytest.mark.parametrize(("window_s", "held_ticks"), [(90.0, 6), (91.0, 7), (100.0, 7), (105.0, 7)])
def test_a_want_counts_until_it_is_as_old_as_the_window(window_s: float, held_ticks: int) -> None:
    """A want that is younger than the window still holds, also where the window is no multiple of the tick."""
    demand = [5.0] + [1.0] * 19
    ready = Ran(demand, Timing(15.0, 0, 1, 0), SEEN._replace(down_window_s=window_s)).ready
    # the tick that decides on a removal still has the replica
    assert ready == [5.0] * (held_ticks + 1) + [1.0] * (19 - held_ticks)


def test_starts_and_drains_that_end_after_the_last_tick_leave_the_scratch_clean() -> None:
    ran = Ran([1.0, 1.0, 6.0, 6.0, 2.0, 2.0, 9.0], Timing(10.0, 0, 1, 4), SEEN._replace(undo=False))
    assert [queue.any() for queue in ran.queues] == [False, False]
    slow = Ran([1.0, 1.0, 6.0], Timing(10.0, 0, 5, 0))
    assert slow.trace[1].tolist() == [0.0, 0.0, 0.0]  # ordered at the last tick, never seen starting
    assert [queue.any() for queue in slow.queues] == [False, False]


def test_the_latest_of_equal_wants_is_the_greatest() -> None:
    """So that it leaves the window as late as it can, without another look for it."""
    assert fluid.latest_greatest(np.array([9.0, 4.0, 2.0, 4.0, 1.0]), 1, 4) == 3
