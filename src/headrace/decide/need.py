"""How many replicas are needed, before anything is rounded and whatever there is: demand, carried ahead, and more.

The numbers are `decide.scale`'s, called in the order in which the simulator's loop calls them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from headrace.decide import scale
from headrace.decide.capacity import target_slots
from headrace.decide.demand import Demand
from headrace.decide.headroom import start_delay_s
from headrace.decide.rules import surviving
from headrace.decide.startup import total
from headrace.memory import Memory
from headrace.snapshot import Outlook
from headrace.spec import ModelFleet, Rule, Scale

MISSED_TICKS = 2.5
"""So many ticks without a decision are a gap in what is seen; fewer are one that came late."""


class Need(NamedTuple):
    """What is needed, in replicas, with the steps that led to it; NaN: not known."""

    replicas: float
    """Not yet whole nor within limits; NaN: nothing seen and no floor."""
    ahead: float
    """Demand carried forward to when a replica ordered now is ready."""
    headroom: float
    """Held above `ahead`."""
    floor: float
    """The curve's floor; NaN: none."""
    slots_each: float
    """Slots by which demand was divided (> 0)."""
    startup_s: float
    """Median start-up."""
    levels: tuple[float, ...]
    """For the next tick (`Memory.levels`)."""
    level_weight: float
    """For the next tick (`Memory.level_weight`)."""


class Curve(NamedTuple):
    """An outlook in replicas; NaN: not known."""

    peak: float
    floor_peak: float
    at_seen: float
    mean: float


def need(fleet: ModelFleet, memory: Memory, at_s: float, demand: Demand, outlook: Outlook | None) -> Need:
    """The need at this tick.

    Without an outlook nothing is expected to change: the curve's ratio is 1, there is no floor, and what is ahead
    stands in for the mean of the past week (headroom is then in proportion).
    """
    limits, startup_s = fleet.scale, total(fleet.start.phases).median_s
    rule = effective_rule(limits, startup_s)
    slots_each = target_slots(demand.replica_slots, limits.target_ratio)
    curve = curve_of(outlook, slots_each)
    seen = math.nan if demand.is_missing else demand.slots / slots_each
    soft = rule.curve_softening * curve.mean
    weight = rule.curve_weight if is_usable(curve, soft) else 0.0
    levels = _levels(fleet, memory, at_s, scale.level(seen, curve.at_seen, soft, weight), weight)
    average = math.nan
    if levels:
        carry_ticks = rule.slope_gain * ((limits.lag_s + startup_s) / limits.tick_s)
        average = scale.average(levels, 0, len(levels) - 1, rule.samples)
        if carry_ticks > 0.0:
            further = carry_ticks * scale.rise(levels, 0, len(levels) - 1, rule.noise)
            average = scale.carried(
                average, further, scale.ceiling(rule.ceiling_gain, curve.peak + soft, weight)
            )
    ahead = scale.forward(average, curve.peak, soft, weight)
    mean = ahead if math.isnan(curve.mean) else curve.mean
    unit = scale.headroom_unit(rule.on_curve, ahead, curve.peak + soft)
    spread = scale.spread(unit, rule.exponent, mean)
    with_headroom = scale.with_headroom(ahead, rule.headroom, spread)
    gain = rule.floor_gain if rule.floor_gain > 0.0 else math.nan
    floor = scale.floor(gain, rule.floor_exponent, curve.floor_peak, mean)
    replicas = scale.floored(with_headroom, floor)
    return Need(replicas, ahead, with_headroom - ahead, floor, slots_each, startup_s, levels, weight)


def effective_rule(limits: Scale, startup_s: float) -> Rule:
    """The fleet's rule, with what the named class of surge needs at the present start-up time."""
    if limits.surge is None:
        return limits.rule
    return surviving(limits.rule, limits.surge, start_delay_s(limits.lag_s, startup_s, limits.tick_s))


def curve_of(outlook: Outlook | None, slots_each: float) -> Curve:
    """The outlook in replicas. A number that can't be true (negative, infinite) is not known."""
    if outlook is None:
        return Curve(math.nan, math.nan, math.nan, math.nan)
    return Curve(*(value / slots_each if 0.0 <= value < math.inf else math.nan for value in outlook))


def is_usable(curve: Curve, soft: float) -> bool:
    """Whether demand can be set against the curve: all of it is known, and it is not zero where it divides."""
    return curve.at_seen + soft > 0.0 and curve.peak + soft >= 0.0


def _levels(fleet: ModelFleet, memory: Memory, at_s: float, level: float, weight: float) -> tuple[float, ...]:
    if math.isnan(level):
        return ()
    late_s = math.inf if memory.at_s is None else at_s - memory.at_s
    if late_s > MISSED_TICKS * fleet.scale.tick_s or weight != memory.level_weight:
        return (level,)
    return (*memory.levels, level)[-fleet.scale.rule.samples - 1 :]
