"""The clairvoyant bound: against exhaustive search on short histories, and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from headrace.simulate import bound
from headrace.simulate.fluid import Timing


def cheapest_schedule(needed: list[int], start: int, drain: int, most: int) -> int:
    """Least replica-ticks over every sequence of ready counts, orders and removals placed at best.

    Ready counts may exceed the need. A rise at tick t was ordered at t - start (or stood there from the first tick on
    where there was no time); a fall after tick t is paid while it drains. Both are paid as in the simulator.
    """
    best = 10**9
    for ready in itertools.product(*(range(need, most + 1) for need in needed)):
        paid, possible = sum(ready), True
        for t in range(1, len(ready)):
            rise = ready[t] - ready[t - 1]
            if rise > 0:
                possible = possible and t >= start
                paid += rise * (start - 1)
            elif rise < 0:
                paid += -rise * min(len(ready) - t, max(0, drain - 1))
        if possible:
            best = min(best, paid)
    return best


@pytest.mark.parametrize("start", [1, 2, 3])
@pytest.mark.parametrize("drain", [0, 2, 3])
def test_it_is_the_cheapest_of_all_schedules(start: int, drain: int) -> None:
    random = np.random.default_rng(start * 10 + drain)
    for _ in range(12):
        needed = random.integers(0, 4, size=7)
        found = bound.least_paid(needed.astype(np.int64), Timing(10.0, 0, start, drain))
        assert found == cheapest_schedule(needed.tolist(), start, drain, 3), needed


def test_a_short_dip_is_kept_and_a_long_one_is_not() -> None:
    timing = Timing(10.0, 0, 5, 0)
    assert bound.least_paid(np.array([1, 1, 0, 0, 1]), timing) == 5
    assert bound.least_paid(np.array([1, 0, 0, 0, 0, 0, 0, 0, 1]), timing) == 2 + 4


def test_nothing_needed_costs_nothing() -> None:
    assert bound.least_paid(np.zeros(5, dtype=np.int64), Timing(10.0, 0, 3, 2)) == 0


def test_a_gap_needs_nothing() -> None:
    assert bound.whole_demand(np.array([0.2, np.nan, 2.0])).tolist() == [1, 0, 2]


def test_surviving_a_surge_needs_the_curve_raised_or_what_comes() -> None:
    needed = bound.surge_demand(np.array([1.0, 9.0]), np.array([2.0, 2.0]), 1.6)
    assert needed.tolist() == [4, 9]
