"""What the page of a plan shows: frozen values, finished numbers and sentences only.

A chart that can't be drawn is not left out in silence: in its place stands `Missing`, which says what would be needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from headrace.report.chart import Timeline
from headrace.report.figures import CutChart, GrowthChart, OccupancyChart, StartupChart
from headrace.report.forecast import Forecast

Kind = Literal["today", "proposed", "bound", "other"]
"""Whose outcome it is; a bound is what nobody can run."""


@dataclass(frozen=True, slots=True)
class Missing:
    """In place of a chart: one sentence on what is missing to draw it, and how to give it."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Number:
    """One number to run with.

    Attributes:
        name: As in the plan's file; one that stands in `terms.TERMS` is explained on the page.
        proposed: With its unit, as a person writes it.
        reason: Why this and no other, in a sentence.
        data: What it was taken from.
        today: What runs now; "" = not known.
    """

    name: str
    proposed: str
    reason: str
    data: str
    today: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one policy would have meant, on the same demand as the others.

    Attributes:
        name: For people.
        kind: Whose it is.
        minutes_over: Minutes in which demand was above ready capacity; NaN = does not apply.
        requests_over: Requests that arrived beyond ready capacity; NaN = does not apply.
        over_ratio: The same over all requests, 0 to 1; NaN = does not apply.
        gpu_hours: Accelerator hours paid, starting and draining replicas included.
        cut_streams: Streams that a removal ended, least and most (equal where exact); None = not known.
    """

    name: str
    kind: Kind
    minutes_over: float
    requests_over: float
    over_ratio: float
    gpu_hours: float
    cut_streams: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Promise:
    """One promise and what became of it on data that the plan had not seen.

    Attributes:
        what: Such as ``"minutes over"``.
        promised: With its unit.
        kept: With its unit.
        tolerance: How far off it may be, such as ``"+20 %"``.
        held: Whether it was within that.
    """

    what: str
    promised: str
    kept: str
    tolerance: str
    held: bool


@dataclass(frozen=True, slots=True)
class HoldOut:
    """A plan made on the first part of the past and proved on the rest; `sentence` says which parts."""

    sentence: str
    promises: Sequence[Promise]


@dataclass(frozen=True, slots=True)
class Lack:
    """What one model lacked of a pool that was short.

    Attributes:
        model: Its name.
        minutes: For how long it had fewer accelerators than it wanted.
        most_accelerators: The most that it lacked at once.
        gpu_hours: All that it lacked, added up.
    """

    model: str
    minutes: float
    most_accelerators: float
    gpu_hours: float


@dataclass(frozen=True, slots=True)
class Pool:
    """Accelerators that several models share.

    Attributes:
        name: For people.
        accelerators: How many there are.
        short_ratio: Share of the time in which all wants together were more, 0 to 1.
        sentence: What follows from it.
        lacks: One for each model, in the order to show.
    """

    name: str
    accelerators: int
    short_ratio: float
    sentence: str
    lacks: Sequence[Lack]


@dataclass(frozen=True, slots=True, eq=False)
class ModelPart:
    """Everything about one model.

    Attributes:
        name: Of the model or fleet.
        verdict: One sentence.
        subtitle: Lines on the data: span, rows, source.
        replicas: For the overview of several models: fewest and most, such as ``"2 – 14"``.
        numbers: The numbers to run with.
        outcomes: Today's, the proposed one, the bound and others, in the order to show.
        difference: From today to proposed in words; "" where today is not known.
        over_time: Demand and the capacity that today's and the proposed numbers give, in one window of time.
        forecast: Drawn over that demand.
        occupancy: Why the target is what it is.
        cut: Why N is what it is.
        startup: Where the time of a start goes.
        growth: How far demand rises while a replica starts.
        hold_out: None = the plan was not held against data that it had not seen.
        no_today: Sentence in place of today's capacity over time, where there is none; "" = nothing to say.
        notes: Sentences at the end.
    """

    name: str
    verdict: str
    subtitle: Sequence[str]
    replicas: str
    numbers: Sequence[Number]
    outcomes: Sequence[Outcome]
    difference: str
    over_time: Timeline | Missing
    forecast: Forecast | Missing
    occupancy: OccupancyChart | Missing
    cut: CutChart | Missing
    startup: StartupChart | Missing
    growth: GrowthChart | Missing
    hold_out: HoldOut | None = None
    no_today: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PlanPage:
    """The whole page.

    Attributes:
        title: Heading.
        subtitle: Lines below it.
        models: In the order to show, at least one.
        pools: Accelerators that some of them share.
        notes: Sentences at the end.

    Raises:
        ValueError: No model.
    """

    title: str
    subtitle: Sequence[str]
    models: Sequence[ModelPart]
    pools: Sequence[Pool] = ()
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuses a page of nothing."""
        if not self.models:
            raise ValueError("the page of a plan needs a model")
