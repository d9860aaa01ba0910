"""A fleet's past days under one kind of rule: what each headroom number would have come to, and the smallest that does.

A number is first sought over the hardest stretches alone, then run on all of the days until it keeps the limit there:
the number that is given out has been proven on the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.simulate import hardest
from headrace.simulate.fluid import Tally
from headrace.simulate.inputs import Setting
from headrace.simulate.number import RESOLUTION, Outcome, Search, smallest_number
from headrace.simulate.runner import Runner
from headrace.simulate.split import Split, at_number
from headrace.spec import Rule


class Shape(NamedTuple):
    """A kind of rule whose one number is found by replay."""

    name: str
    rule: Callable[[float, Setting], Rule]
    """The rule at a headroom number; only its headroom and its floor's gain may depend on the number."""


class Week:
    """Days under one shape.

    Args:
        split: The days.
        runner: Runs them.
        usual: The same ticks without what was added to them: a tick that is over there as well does not count. None:
            nothing was added, all counts.
    """

    def __init__(self, split: Split, runner: Runner, usual: Split | None = None) -> None:
        self.split = split
        self.usual = usual
        self.runner = runner
        self.runs = 0
        self._tallies: dict[float, Tally] = {}

    def tally(self, number: float) -> Tally:
        """What the days come to at a headroom number; each is run once."""
        if number not in self._tallies:
            self._tallies[number] = self._run(self.split, self.usual, number)
        return self._tallies[number]

    def outcome(self, number: float) -> Outcome:
        """What is limited, and what it costs."""
        tally = self.tally(number)
        return Outcome(tally.over, tally.paid)

    def smallest(self, search: Search) -> float | None:
        """The smallest number that keeps a limit; None: none does, or one only that is too dear."""
        needs = hardest.needed(self.split)
        guess = hardest.number_estimate(needs, self.split.unit, search.allowed)
        guess = search.lowest if math.isnan(guess) else guess
        if not hardest.forgets_fast(self.split.rule(1.0, self.split.setting)):
            return smallest_number(self.outcome, search, guess)
        counted = hardest.counted_ticks(self.split, needs)
        ticks = hardest.run_ticks(self.split, counted)
        hard = hardest.only(self.split, ticks, counted)
        usual = None if self.usual is None else hardest.only(self.usual, ticks, counted)

        def outcome(number: float) -> Outcome:
            tally = self._run(hard, usual, number)
            return Outcome(tally.over, tally.paid)

        begin = smallest_number(outcome, search._replace(dear=math.inf), guess)
        begin = search.highest if begin is None else begin
        return smallest_number(self.outcome, search._replace(lowest=begin, first_step=RESOLUTION), begin)

    def _run(self, split: Split, usual: Split | None, number: float) -> Tally:
        rule, read = at_number(split, number)
        self.runs += 1
        tally = self.runner.tally(rule, split.setting, read)
        if usual is None or tally.over == 0.0:
            return tally
        demand = np.where(self._over(usual, number), np.nan, read.demand)
        self.runs += 1
        return self.runner.tally(rule, split.setting, read._replace(demand=demand))

    def _over(self, usual: Split, number: float) -> NDArray[np.bool_]:
        rule, read = at_number(usual, number)
        self.runs += 1
        _, trace = self.runner.traced(rule, usual.setting, read)
        return np.asarray(read.demand > trace[0])
