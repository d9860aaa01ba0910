"""A rule split into what its headroom number multiplies and what it leaves alone, so that a sweep computes that once.

Demand ahead and the unit of headroom don't depend on the number, and making them is half of an interpreted run. They
come from the very functions that a whole run calls; what is left of the rule (its floor, its limits, its removal) then
runs on a sample that already is demand ahead with headroom.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from headrace.decide import scale
from headrace.simulate import fluid
from headrace.simulate.fluid import Floats, Inputs
from headrace.simulate.inputs import Setting
from headrace.spec import Rule

NumberedRule = Callable[[float, Setting], Rule]
"""A rule at a headroom number, in a setting; only its headroom and its floor's gain may depend on the number."""


class Split(NamedTuple):
    """A history under one rule, ready to be run at any headroom number."""

    rule: NumberedRule
    setting: Setting
    inputs: Inputs
    """As the whole rule reads them."""
    ahead: Floats
    """F: demand when a replica ordered at each tick is ready, in replicas, shape [ticks]."""
    unit: Floats
    """What one x of headroom comes to at each tick, in replicas, shape [ticks]."""


def split(rule: NumberedRule, setting: Setting, inputs: Inputs, ahead: Floats | None = None) -> Split:
    """A rule split at its headroom.

    Args:
        rule: By its number.
        setting: The world.
        inputs: Made for a rule of this kind with a floor, if it ever has one.
        ahead: Demand ahead, where another rule that carries demand alike has made it; None: it is made.
    """
    numbers = rule(1.0, setting)
    if ahead is None:
        ahead = demand_ahead(numbers, setting, inputs)
    return Split(rule, setting, inputs, ahead, headroom_unit(numbers, inputs, ahead))


def demand_ahead(rule: Rule, setting: Setting, inputs: Inputs) -> Floats:
    """F, in replicas, shape [ticks]."""
    if rule.curve_weight == 0.0 and rule.samples == 1 and rule.slope_gain == 0.0:
        return inputs.seen
    ticks, timing = len(inputs.demand), setting.timing
    # over lists, which plain Python indexes faster than arrays
    lists = Inputs(*(np.asarray(column).tolist() for column in inputs))
    levels, ahead = [0.0] * ticks, [0.0] * ticks
    delay_ticks = float(timing.lag_ticks + timing.start_ticks)
    fluid.fill_ahead(rule, delay_ticks, lists, levels, ahead)  # type: ignore[arg-type]
    return np.array(ahead)


def headroom_unit(rule: Rule, inputs: Inputs, ahead: Floats) -> Floats:
    """What one x of headroom comes to, in replicas, shape [ticks]."""
    soft, on_curve, exponent = rule.curve_softening, rule.on_curve, rule.exponent
    columns = zip(ahead.tolist(), inputs.peak.tolist(), inputs.mean.tolist(), strict=True)
    return np.array(
        [
            scale.spread(scale.headroom_unit(on_curve, here, peak + soft * mean), exponent, mean)
            for here, peak, mean in columns
        ]
    )


def at_number(split: Split, number: float) -> tuple[Rule, Inputs]:
    """What is left of the rule at a headroom number, and what it reads: to be run as any rule and its inputs."""
    rule = split.rule(number, split.setting)
    sample = split.ahead + rule.headroom * split.unit
    return left_of(rule), split.inputs._replace(seen=sample)


def left_of(rule: Rule) -> Rule:
    """The rule for samples that already are demand ahead with headroom."""
    return rule._replace(
        curve_weight=0.0, samples=1, slope_gain=0.0, headroom=0.0, exponent=1.0, on_curve=False
    )
