"""Headroom by replay: a fleet's own past days, run through the simulator until the smallest number that does is found.

The user states a target (so many requests at most may meet a full fleet) or a class of surge to survive, never a magic
percentage. The headroom that this takes depends on how the fleet's own demand moves within its own start-up time, and
no formula tells it as well as the last week does, run again under the rule that will be used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from headrace.decide.headroom import growth_quantile, start_delay_s
from headrace.simulate import shapes as known_shapes
from headrace.simulate import surges
from headrace.simulate.fluid import Floats, Inputs
from headrace.simulate.inputs import DAY_S, WEEK_S, Setting, Traffic, after, inputs
from headrace.simulate.number import HIGHEST, LOWEST, Search
from headrace.simulate.runner import Runner
from headrace.simulate.score import cost_ratio
from headrace.simulate.split import Split, split
from headrace.simulate.week import Shape, Week
from headrace.spec import Rule, Surge

BUDGET_RATIO = 1.0 / 3.0
"""Share of the user's target that the replayed days may use up, since the days to come are not those."""
REPLAYED_S = WEEK_S
"""How much of the past is replayed: each hour of the week once, and no habit that has been given up."""
GROWTH_QUANTILE = 0.995
"""The growth that is shown as explanation is passed at one moment in two hundred."""


class Tuned(NamedTuple):
    """Numbers to run with, and what they come to on the days that they were found on."""

    rule: Rule
    headroom: float
    """The number found: x of the rule, or what its shape takes for it."""
    shape: str
    over_ratio: float
    """Share of requests over on the replayed days, 0 to 1; NaN: nothing was replayed."""
    minutes_over: float
    cost_ratio: float
    """Accelerator-hours over those of mean demand; NaN: nothing was replayed."""
    days: float
    """Days that were replayed; 0: none."""
    runs: int
    """Simulator runs that it took, those over a few hours included."""
    growth_ratio: float
    """Rise over present demand within one delay that was passed at one moment in two hundred; NaN: too little past."""
    fallback: str = ""
    """Empty, or one sentence: what was missing and what it fell back to."""


class Found(NamedTuple):
    """A shape on the replayed days as they were, and the number that keeps the limit."""

    shape: Shape
    week: Week
    number: float


def tuned(
    traffic: Traffic,
    setting: Setting,
    over_ratio: float,
    *,
    shapes: Sequence[Shape] = (known_shapes.DEFAULT,),
    runner: Runner | None = None,
) -> Tuned:
    """The smallest headroom that keeps a third of the target on the last seven days, under the cheapest shape.

    Args:
        traffic: All of the past that is known, with what was expected at each tick; days before the last seven have
            taught the curve. NaN: a hole, which fails nothing and asks for nothing.
        setting: The world: delay, drain, what one replica serves, limits.
        over_ratio: The target: share of requests that may meet a full fleet, 0 to 1.
        shapes: One, or several of which the cheapest that keeps the target is taken.
        runner: Runs it; None: a new one, which compiles where that pays.
    """
    growth, past = growth_ratio(traffic, setting), replayed(traffic, setting)
    if past is None:
        return first_guess(growth, setting, shapes[0])
    weeks = _weeks(shapes, past, setting, runner or Runner())
    allowed = BUDGET_RATIO * over_ratio * float(np.nansum(past.demand)) / setting.per_replica
    best = _cheapest(weeks, lambda _, week, dear: week.smallest(Search(allowed, dear=dear)))
    fallback = ""
    if best is None:
        best = _unavoidable(*weeks[0], allowed)
        fallback = (
            f"No headroom up to {HIGHEST:g} kept {100 * BUDGET_RATIO * over_ratio:.2g} % of requests over on the "
            "replayed days: what outruns any start is let be, and the rest is kept within that."
        )
    return promised(best, past, setting, sum(week.runs for _, week in weeks), growth, fallback)


def tuned_for_surge(
    traffic: Traffic,
    setting: Setting,
    surge: Surge,
    *,
    shapes: Sequence[Shape] | None = None,
    runner: Runner | None = None,
) -> Tuned:
    """The smallest headroom with no tick over because of a surge at any whole hour of the last seven days.

    A tick that is over on the day as it was does not count: that is what a target is for. The fleet is not told of a
    surge, and no later day has learned from one.

    Args:
        traffic: As for `tuned`.
        setting: As for `tuned`.
        surge: The class of surge.
        shapes: As for `tuned`; None: those of `shapes.surviving`.
        runner: As for `tuned`.
    """
    shapes = known_shapes.surviving(surge) if shapes is None else shapes
    growth, past = growth_ratio(traffic, setting), replayed(traffic, setting)
    if past is None:
        return first_guess(growth, setting, shapes[0])
    runner = runner or Runner()
    weeks, surged = _weeks(shapes, past, setting, runner), []

    def smallest(shape: Shape, week: Week, _: float) -> float | None:
        surged.append(surged_week(shape, week, past, surge, setting, runner))
        return surged[-1].smallest(Search(0.0))

    best, fallback = _cheapest(weeks, smallest), ""
    if best is None:
        best = Found(*weeks[0], HIGHEST)
        fallback = (
            f"No headroom up to {HIGHEST:g} survives a surge of {100 * surge.rise_ratio:.0f} % in {surge.ramp_s:.0f} s "
            "at every hour of the replayed days; this is the most that is held."
        )
    runs = sum(week.runs for week in (*surged, *(week for _, week in weeks)))
    return promised(best, past, setting, runs, growth, fallback)


def _cheapest(
    weeks: Sequence[tuple[Shape, Week]], smallest: Callable[[Shape, Week, float], float | None]
) -> Found | None:
    """The shape that costs least on the days as they were, at its smallest number; None: no shape has one.

    Args:
        weeks: The days under each shape.
        smallest: A shape's smallest number, for less than so many replica-ticks where that saves runs.
    """
    best, least = None, math.inf
    for shape, week in weeks:
        number = smallest(shape, week, least)
        if number is not None and week.tally(number).paid < least:
            best, least = Found(shape, week, number), week.tally(number).paid
    return best


def _unavoidable(shape: Shape, week: Week, allowed: float) -> Found:
    """The smallest number that fails, beyond what even the highest does, no more than is allowed."""
    number = week.smallest(Search(allowed + week.outcome(HIGHEST).over))
    return Found(shape, week, HIGHEST if number is None else number)


def _weeks(
    shapes: Sequence[Shape], past: Traffic, setting: Setting, runner: Runner
) -> list[tuple[Shape, Week]]:
    """The days under each shape; shapes that carry demand alike share the making of it."""
    ahead: dict[tuple[float, ...], Floats] = {}
    weeks = []
    for shape in shapes:
        rule = shape.rule(HIGHEST, setting)
        carried = (rule.slope_gain, rule.noise, rule.ceiling_gain)
        key = (rule.curve_weight, rule.curve_softening, float(rule.samples), *carried)
        made = split(shape.rule, setting, inputs(rule, setting, past), ahead.get(key))
        ahead.setdefault(key, made.ahead)
        weeks.append((shape, Week(made, runner)))
    return weeks


def surged_week(
    shape: Shape, week: Week, past: Traffic, surge: Surge, setting: Setting, runner: Runner
) -> Week:
    """The days with a surge at each whole hour but the first: once over for each set of hours that don't meet."""
    rule = shape.rule(HIGHEST, setting)
    greatest = float(np.nanmax(past.demand)) / setting.per_replica
    every = surges.hours_apart(rule, surge, setting, greatest)
    parts = []
    for first_hour in range(1, every + 1):
        demand, during = surges.surged(past.demand, surge, setting, first_hour, every)
        read = inputs(rule, setting, past._replace(demand=demand))
        part = split(shape.rule, setting, read)
        # what the surge leaves behind once it is gone is not its doing
        counted = np.where(during, read.demand, np.nan)
        parts.append(part._replace(inputs=read._replace(demand=counted)))
    return Week(_joined(parts), runner, _joined([week.split] * every))


def _joined(parts: Sequence[Split]) -> Split:
    columns = zip(*(part.inputs for part in parts), strict=True)
    return parts[0]._replace(
        inputs=Inputs(*(np.concatenate(column) for column in columns)),
        ahead=np.concatenate([part.ahead for part in parts]),
        unit=np.concatenate([part.unit for part in parts]),
    )


def promised(found: Found, past: Traffic, setting: Setting, runs: int, growth: float, fallback: str) -> Tuned:
    """The numbers found, with what they come to on the replayed days as they were."""
    tally = found.week.tally(found.number)
    total = float(np.nansum(past.demand)) / setting.per_replica
    return Tuned(
        rule=found.shape.rule(found.number, setting),
        headroom=found.number,
        shape=found.shape.name,
        over_ratio=tally.over / total if total > 0.0 else 0.0,
        minutes_over=tally.over_ticks * setting.tick_s / 60.0,
        cost_ratio=cost_ratio(tally.paid, past.demand, setting),
        days=len(past.demand) * setting.tick_s / DAY_S,
        runs=runs,
        growth_ratio=growth,
        fallback=fallback,
    )


def replayed(traffic: Traffic, setting: Setting) -> Traffic | None:
    """The last seven days; fewer, and never the first day, where there are fewer; None: less than two in all.

    The first day only teaches: nothing was expected of it. A past of which less than half a day is known is none.
    """
    day = round(DAY_S / setting.tick_s)
    ticks = len(traffic.demand)
    if ticks < 2 * day:
        return None
    past = after(traffic, max(day, ticks - round(REPLAYED_S / setting.tick_s)))
    return past if 2 * np.count_nonzero(~np.isnan(past.demand)) >= day else None


def growth_ratio(traffic: Traffic, setting: Setting) -> float:
    """The growth quantile over one delay of the last four weeks (a ratio >= 0), NaN where it can't be told."""
    timing = setting.timing
    newest = traffic.demand[-round(4 * WEEK_S / setting.tick_s) :]
    return growth_quantile(newest, timing.lag_ticks + timing.start_ticks + 1, GROWTH_QUANTILE)


def first_guess(growth: float, setting: Setting, shape: Shape) -> Tuned:
    """What to run with before there is a past to replay: headroom as large as demand has grown, at mean demand."""
    if math.isnan(growth):
        number = Rule().headroom
        why = f"There is no past to go by: headroom is {number:g} until two days are known."
    else:
        number = min(max(growth, LOWEST), HIGHEST)
        delay_s = start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s)
        why = (
            f"There are less than two days to replay: headroom is the growth within {delay_s:.0f} s that was passed "
            f"at one moment in {1 / (1 - GROWTH_QUANTILE):.0f}."
        )
    nothing = math.nan
    rule = shape.rule(number, setting)
    return Tuned(rule, number, shape.name, nothing, nothing, nothing, 0.0, 0, growth, why)
