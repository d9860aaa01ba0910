"""The search for the smallest headroom number: what it finds, where it gives up, and how few runs it takes."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from headrace.simulate.number import HIGHEST, LOWEST, RESOLUTION, Outcome, Search, smallest_number


def falling(asked: list[float], scale: float = 50.0) -> Callable[[float], Outcome]:
    """What is over falls by a factor e with each twentieth of headroom; a cost that rises in proportion."""

    def outcome(number: float) -> Outcome:
        asked.append(number)
        return Outcome(scale * math.exp(-20.0 * number), 100.0 * (1.0 + number))

    return outcome


@pytest.mark.parametrize("allowed", [3.0, 0.2, 1e-4])
@pytest.mark.parametrize("guess", [LOWEST, 0.1, 0.6, HIGHEST])
def test_the_number_is_the_smallest_to_within_the_resolution(allowed: float, guess: float) -> None:
    asked: list[float] = []
    found = smallest_number(falling(asked), Search(allowed), guess)
    exact = math.log(50.0 / allowed) / 20.0
    assert found is not None
    assert exact <= found <= exact + RESOLUTION
    assert len(asked) == len(set(asked)) <= 25


def test_a_near_guess_takes_few_runs() -> None:
    asked: list[float] = []
    smallest_number(falling(asked), Search(0.2), math.log(250.0) / 20.0 + 0.01)
    assert len(asked) <= 8


def test_the_lowest_is_taken_where_it_keeps_the_limit() -> None:
    asked: list[float] = []
    assert smallest_number(falling(asked), Search(1e6), 0.6) == LOWEST


def test_none_where_even_the_highest_fails() -> None:
    asked: list[float] = []
    assert smallest_number(lambda number: Outcome(7.0, number), Search(1.0), 0.6) is None
    assert smallest_number(falling(asked), Search(0.0), 0.6) is None
    assert max(asked) == HIGHEST


def test_a_number_that_fails_at_the_price_ends_the_search_at_once() -> None:
    asked: list[float] = []
    assert smallest_number(falling(asked), Search(0.2, dear=110.0), 0.15) is None
    assert asked == [0.15]


def test_where_nothing_may_be_over_the_step_is_found_by_halving() -> None:
    found = smallest_number(lambda number: Outcome(float(number < 1.2345), 1.0), Search(0.0), 0.0)
    assert found is not None
    assert 1.2345 <= found <= 1.2345 + RESOLUTION
