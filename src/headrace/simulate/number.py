"""The smallest headroom number that keeps a limit, in as few runs as it takes.

Runs are the cost: one of seven days at ten-second ticks takes a tenth of a second where nothing is compiled. More
headroom fails fewer requests and costs more, nearly always; where it does not, the number found still keeps the limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

LOWEST, HIGHEST = -0.2, 8.0
"""Headroom numbers that are tried."""
RESOLUTION = 0.002
"""The number found is at most this much above one that fails: about as much of the fleet."""


class Outcome(NamedTuple):
    """What a run came to, as far as the search looks."""

    over: float
    """What is limited: demand above what was ready, in replica-ticks, or ticks over."""
    paid: float
    """Replica-ticks paid."""


class Search(NamedTuple):
    """What is searched for."""

    allowed: float
    """Largest `Outcome.over` that keeps the limit."""
    lowest: float = LOWEST
    highest: float = HIGHEST
    resolution: float = RESOLUTION
    first_step: float = 0.05
    """From the guess to the next number tried; doubled until both a failing and a keeping one are known."""
    dear: float = math.inf
    """Replica-ticks from which on it is not worth finding: a number that fails and costs that much ends the search."""


def smallest_number(outcome: Callable[[float], Outcome], search: Search, guess: float) -> float | None:
    """The smallest headroom number that keeps the limit; None: none does, or only one that is too dear.

    Args:
        outcome: Runs a number; asked at most once for each.
        search: Limit and range.
        guess: Where to begin; one that is near saves half of the runs.
    """
    failing = keeping = None
    at, step = min(max(guess, search.lowest), search.highest), search.first_step
    while True:
        found = outcome(at)
        if found.over <= search.allowed:
            keeping = (at, found)
            if at <= search.lowest:
                return at
        else:
            failing = (at, found)
            if at >= search.highest or found.paid >= search.dear:
                return None
        if failing is None:
            at = max(search.lowest, at - step)
        elif keeping is None:
            at = min(search.highest, at + step)
        elif keeping[0] - failing[0] <= search.resolution:
            return keeping[0]
        else:
            at = _between(failing, keeping, search)
        step *= 2.0


def _between(failing: tuple[float, Outcome], keeping: tuple[float, Outcome], search: Search) -> float:
    """The next number to try: where the logarithm of what is over would meet the limit on a straight line.

    What is over falls by a like factor with each step of headroom. Held off the ends, so that each run takes at least
    a fifth off; the middle where nothing is over, or allowed to be.
    """
    (low, worse), (high, better) = failing, keeping
    width, share = high - low, 0.5
    if search.allowed > 0.0 and better.over > 0.0 and better.over < search.allowed:
        share = math.log(worse.over / search.allowed) / math.log(worse.over / better.over)
    # aimed at a hair above, since the run that keeps the limit is the one that is wanted
    at = low + width * min(max(share, 0.2), 0.8)
    return min(max(at, low + 0.2 * width), high - 0.2 * width)
