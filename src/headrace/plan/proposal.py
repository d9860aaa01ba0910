"""What a plan comes to for one model: the numbers, what they rest on, and what they would have done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from headrace.decide.drain import Drain
from headrace.decide.floor import Floor
from headrace.decide.prefill import PrefillFloor
from headrace.decide.startup import ProbeBudget
from headrace.decide.target import Target
from headrace.plan.ask import Ask
from headrace.plan.kv import KvCache
from headrace.plan.outcome import Run
from headrace.plan.quality import Quality
from headrace.plan.replica import Serves
from headrace.series import Series
from headrace.simulate.inputs import Setting, Traffic
from headrace.simulate.tune import Tuned
from headrace.spec import ModelFleet


class Number(NamedTuple):
    """One number to run with."""

    name: str
    value: float
    """In base units (s, replicas, a ratio); NaN where the number is a text."""
    text: str
    """As people write it."""
    why: str
    data: str
    """What it rests on."""
    today: str = ""
    """What runs today; "": not known."""


class Basis(NamedTuple):
    """What the replays need, found from everything but demand over time."""

    goal: Target
    each: Serves
    ending: Drain
    low: Floor | None
    prefills: PrefillFloor | None
    setting: Setting
    kv: KvCache


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Proposal:
    """A plan for one model."""

    ask: Ask
    fleet: ModelFleet
    """Ready to be written to a file."""
    numbers: tuple[Number, ...]
    tuned: Tuned
    base: Basis
    probe: ProbeBudget
    quality: Quality | None
    """Of the forecast; None: too little history to try it."""
    traffic: Traffic
    """The days that the runs are judged on."""
    judged: Series
    """Their demand."""
    today: Run | None
    proposed: Run
    bound: Run
    notes: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """The model."""
        return self.ask.past.name

    @property
    def runs(self) -> tuple[Run, ...]:
        """Today where it is known, what is proposed, the bound."""
        return tuple(run for run in (self.today, self.proposed, self.bound) if run is not None)
