"""The parameter sets of the one family: the seed's rules, an HPA, a known curve, real demand.

Each is a function of what the user names (a target, a class of surge) and of the delay that the fleet has. The
numbers were fixed before the data that judges them was drawn; `docs/policy.md` says on what each was chosen.
"""

from __future__ import annotations

import math

from headrace.decide.headroom import surge_gain
from headrace.spec import Rule, Surge

SEED_AHEAD_S = 120.0
"""The seed's predictive rule reads the curve this long after a replica ordered now is ready."""
FAST_START_S = 300.0
"""Up to this start-up time a fleet can follow a rise that it has begun to see."""


_ON_SIGHT = Rule(
    floor_gain=0.0,
    curve_weight=0.0,
    samples=1,
    headroom=0.0,
    exponent=1.0,
    on_curve=False,
    undo=False,
)
"""The newest sample over a target: no curve, no average, and what drains is gone."""


def fixed() -> Rule:
    """For a fleet whose least and most are one number: nothing is ever scaled."""
    return _ON_SIGHT


def reactive(target_ratio: float) -> Rule:
    """The seed's reactive rule: what is seen over a target, ten minutes low before one replica per two minutes goes.

    Args:
        target_ratio: Desired share of ready capacity in use, (0, 1].
    """
    return _ON_SIGHT._replace(
        headroom=1.0 / target_ratio - 1.0,
        down_window_s=600.0,
        down_interval_s=120.0,
        down_step=1.0,
        low_timer=True,
    )


def predictive(target_ratio: float, lag_s: float, tick_s: float) -> Rule:
    """The seed's predictive rule: the reactive one, and the curve at one start-up time plus two minutes.

    Args:
        target_ratio: As for `reactive`; the curve is met at the same target.
        lag_s: Metric lag, seconds.
        tick_s: Tick, seconds; with the lag it is part of when a replica counts as ready.
    """
    return reactive(target_ratio)._replace(
        floor_gain=1.0 / target_ratio, floor_from_s=math.inf, floor_to_s=SEED_AHEAD_S - lag_s - tick_s
    )


def hpa(target_ratio: float) -> Rule:
    """A HorizontalPodAutoscaler on running + waiting per replica, with the defaults of its controller.

    Synchronised every 15 s, 10 % tolerance, 300 s of scale-down stabilisation, then as fast as it likes; a pod
    that terminates cannot be taken back.
    """
    return _ON_SIGHT._replace(
        headroom=1.0 / target_ratio - 1.0, tolerance=0.1, sync_s=15.0, down_window_s=300.0
    )


def known_curve(surge: Surge, delay_s: float) -> Rule:
    """For a curve that is known and a class of surge that must be survived at any moment, without one more number.

    Headroom is held on the curve, as much as the surge can rise before a replica ordered at its first sign is
    ready; what is seen above the curve is carried on for that long, unless the surge is over by then.

    Args:
        surge: The class of surge.
        delay_s: Metric lag + start-up + one tick, seconds.
    """
    return Rule(
        floor_gain=surge_gain(surge, delay_s),
        floor_from_s=0.0,
        floor_to_s=0.0,
        curve_weight=1.0,
        curve_softening=0.0,
        samples=1,
        slope_gain=1.0 if delay_s < surge.ramp_s else 0.0,
        headroom=0.0,
        exponent=1.0,
        on_curve=False,
        down_window_s=600.0,
        down_interval_s=120.0,
        down_step=1.0,
    )


def surviving(rule: Rule, surge: Surge, delay_s: float) -> Rule:
    """A rule that also survives a class of surge at any moment: the known-curve rule's numbers where they are more.

    What a floor cannot know, how the surge goes on, is carried on from what is seen, all of it and as high as the
    surge goes. Samples that are averaged show a rise late, so each one over the first carries it a tenth further.

    Args:
        rule: The numbers without the surge.
        surge: The class of surge.
        delay_s: Metric lag + start-up + one tick, seconds.
    """
    carried = 1.0 + 0.1 * (rule.samples - 1) if delay_s < surge.ramp_s else 0.0
    return rule._replace(
        floor_gain=max(rule.floor_gain, surge_gain(surge, delay_s)),
        floor_exponent=1.0,
        slope_gain=max(rule.slope_gain, carried),
        noise=0.0,
        ceiling_gain=max(rule.ceiling_gain, 1.0 + surge.rise_ratio),
    )


def real_demand(startup_s: float, headroom: float = 0.6) -> Rule:
    """The default: for demand that has a weak curve and much noise.

    What is seen is carried along the curve, and headroom is held in units of the curve, nearly the same at all hours
    where starts are slow: a spike out of a quiet hour is what fails requests. Removal is fast, since a start that is no
    longer wanted is given up and a drain is taken back.

    Args:
        startup_s: Median start-up time; from five minutes on, headroom follows the curve less.
        headroom: x, by replay of the fleet's own past (`Rule.headroom`).
    """
    return Rule(headroom=headroom, exponent=0.5 if startup_s <= FAST_START_S else 0.25)
