"""The scaling rule: from demand and curve to a want, and from a want to what moves.

One family of numbers (`spec.Rule`) holds the seed's reactive and predictive rules, an HPA, the rule for a known
curve and the default for real demand. Everything here is a function of numbers: the controller calls it as it
is, the simulator compiles the same functions. Counts are whole numbers kept as floats, so that what is not known
can be NaN: every comparison with NaN is false, and so nothing moves on what is not known.

Demand is in replicas: offered slots over the slots that one replica serves.

The order of a tick, which the simulator's loop and `step` share::

    level -> average -> carried -> forward -> with_headroom -> floored -> limited -> settled -> held
    seen,    of the     a rise     along the  what is held     not below  in limits  whole      not below what
    against  newest     goes on,   curve      above it         the curve                        there is, where
    the curve           to a ceiling                                                            nothing was seen

    up:   undone (drains taken back), the rest is ordered; rested_s
    down: waited_s (is it time?), cancelled (starting ones first), the rest drains
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np


class Levels(Protocol):
    """Levels by tick: an array in the simulator, a tuple in the controller."""

    def __getitem__(self, at: int, /) -> float:
        """The level at a tick."""
        ...


NEVER_S = float("inf")
"""A moment that does not come."""


def power(base: float, exponent: float) -> float:
    """`base ** exponent`, exact for the exponents that are used most (0, 1/2 and 1)."""
    if exponent == 0.5:
        return math.sqrt(base)
    if exponent == 1.0:
        return base
    if exponent == 0.0:
        return 1.0
    return float(base**exponent)


def level(seen: float, at_seen: float, soft: float, weight: float) -> float:
    """What is seen, relative to what the curve had expected at that moment.

    Args:
        seen: Demand in replicas; NaN: missing.
        at_seen: The curve where `seen` was measured, in replicas.
        soft: Softening in replicas, so that a curve near zero does not explode.
        weight: `Rule.curve_weight`; 0 returns what is seen.
    """
    if weight == 0.0:
        return seen
    return seen / power(at_seen + soft, weight)


def average(levels: Levels, first: int, last: int, samples: int) -> float:
    """Mean of the newest levels.

    Args:
        levels: Levels by tick, oldest first; without a gap from `first` to `last`.
        first: The oldest tick there is.
        last: The newest tick.
        samples: `Rule.samples`.
    """
    total = 0.0
    since = max(first, last - samples + 1)
    for at in range(since, last + 1):
        total += levels[at]
    return total / (last - since + 1)


def ceiling(gain: float, peak_soft: float, weight: float) -> float:
    """The level up to which a rise is carried on: `gain` times the curve's peak; none where no curve is followed.

    Args:
        gain: `Rule.ceiling_gain`.
        peak_soft: Greatest value of the curve until a replica ordered now is ready, softened, in replicas.
        weight: As for `level`.
    """
    if weight == 0.0 or gain == math.inf:  # an infinite gain of a peak of zero would be no number
        return math.inf
    return gain * power(peak_soft, 1.0 - weight)


def rise(levels: Levels, first: int, last: int, noise: float) -> float:
    """How far the level rises in a tick; 0.0 where it does not, or where noise may be all of it.

    Args:
        levels: Levels by tick, oldest first; without a gap from `first` to `last`.
        first: The tick that the rise is measured from, at most `samples` before `last`.
        last: The newest tick.
        noise: `Rule.noise`. Above 0, each tick is tried for the beginning of the rise: the mean of the levels after
            it, on a line, against the mean of the others, where they differ by more than noise; the steepest counts.
    """
    steepest = 0.0
    if noise == 0.0:
        if levels[last] > levels[first]:
            steepest = (levels[last] - levels[first]) / (last - first)
        return steepest
    total = older = 0.0
    for at in range(first, last + 1):
        total += levels[at]
    for begun in range(first, last):
        older += levels[begun]
        before, since = begun - first + 1, last - begun
        base = older / before
        risen = (total - older) / since - base
        if risen > noise * base * math.sqrt(1.0 / before + 1.0 / since):
            # the mean of a line that begins at the base lies (since + 1) / 2 ticks after its beginning
            steepest = max(steepest, risen * 2.0 / (since + 1))
    return steepest


def carried(mean: float, further: float, most: float) -> float:
    """The level ahead: the mean and how much further the rise goes, up to the ceiling; a mean above it stays.

    Args:
        mean: From `average`.
        further: What the rise comes to until a replica ordered now is ready; 0.0 where there is none.
        most: From `ceiling`; NaN: none.
    """
    if mean + further > most:
        return most if most > mean else mean
    return mean + further


def forward(level_ahead: float, peak: float, soft: float, weight: float) -> float:
    """F: a level carried forward to when a replica ordered now is ready, in replicas.

    Args:
        level_ahead: From `level`, `average` and `carried`.
        peak: Greatest value of the curve until then, in replicas.
        soft: As for `level`.
        weight: As for `level`.
    """
    if weight == 0.0:
        return level_ahead
    return level_ahead * power(peak + soft, weight)


def headroom_unit(on_curve: bool, ahead: float, peak_soft: float) -> float:
    """What headroom is measured on: the curve's softened peak, or demand ahead (also where no curve is known)."""
    if on_curve and peak_soft == peak_soft:
        return peak_soft
    return ahead


def spread(unit: float, exponent: float, mean: float) -> float:
    """What one x of headroom comes to, in replicas: `unit**p * mean**(1-p)`.

    Args:
        unit: From `headroom_unit`.
        exponent: p.
        mean: Mean demand of the past week, replicas.
    """
    return power(unit, exponent) * power(mean, 1.0 - exponent)


def with_headroom(ahead: float, headroom: float, spread: float) -> float:
    """Demand ahead and x times the spread above it, in replicas."""
    return ahead + headroom * spread


def floor(gain: float, exponent: float, peak: float, mean: float) -> float:
    """What is held on the curve whatever is seen, in replicas; NaN: there is no floor, or no curve.

    Args:
        gain: `Rule.floor_gain`; NaN: no floor.
        exponent: `Rule.floor_exponent`.
        peak: Greatest value of the curve over the floor's window, in replicas.
        mean: As for `spread`.
    """
    if exponent == 1.0:
        return gain * peak
    return peak + (gain - 1.0) * spread(peak, exponent, mean)


def floored(wanted: float, floor: float) -> float:
    """The greater of the two; NaN (nothing seen, or no forecast) leaves the other."""
    return wanted if wanted >= floor or floor != floor else floor


def settled(wanted: float, have: float, tolerance: float) -> float:
    """`wanted` as a whole number, or `have` where they differ by no more than the tolerance."""
    if tolerance > 0.0:
        near = tolerance * have
        if -near <= wanted - have <= near:
            return have
    return float(np.ceil(wanted))


def held(want: float, have: float) -> float:
    """The want where the sample is missing: what there is, unless the curve's floor asks for more."""
    return want if want > have else have


def limited(want: float, least: float, most: float) -> float:
    """The want within its limits; NaN stays NaN."""
    want = least if want < least else want
    return most if want > most else want


def undone(short: float, draining: float, undo: bool) -> float:
    """How many of the `short` replicas come from drains that are taken back."""
    if not undo:
        return 0.0
    return short if short < draining else draining


def first_free_s(low_timer: bool) -> float:
    """From when a fleet that has just begun may remove: the timer has not begun, the interval has passed."""
    return NEVER_S if low_timer else -NEVER_S


def rested_s(low_timer: bool, free_s: float) -> float:
    """From when a removal is allowed, after a tick with nothing to remove: the timer begins anew."""
    return NEVER_S if low_timer else free_s


def waited_s(low_timer: bool, free_s: float, at_s: float, window_s: float) -> float:
    """From when a removal is allowed, now that there is something to remove: the timer waits one window."""
    if low_timer and at_s + window_s < free_s:
        return at_s + window_s
    return free_s


def cancelled(low_timer: bool, less: float, starting: float) -> float:
    """How many of the replicas that go are still starting: they go first (the seed's rule looks at ready ones only)."""
    if low_timer:
        return 0.0
    return less if less < starting else starting


def decides(sync_s: float, at_s: float, before_s: float) -> bool:
    """Whether this tick decides: when a multiple of `sync_s` lies since the tick before."""
    return bool(np.floor(at_s / sync_s) > np.floor(before_s / sync_s))
