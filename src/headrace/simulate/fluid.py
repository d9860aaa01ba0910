"""The fluid simulation: one fleet, one rule, demand as a flow in replicas, tick by tick.

`run` is plain Python over anything that can be indexed; `compiled.py` compiles it as it stands, together with
the functions of `decide.scale` that it calls. The rule is written there, once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide import scale
from headrace.spec import Rule

Floats = NDArray[np.float64]


class Timing(NamedTuple):
    """How the world moves; whole ticks but for `tick_s`."""

    tick_s: float
    """Seconds per tick."""
    lag_ticks: int
    """Age of the newest sample when the rule reads it."""
    start_ticks: int
    """From the order of a replica to its first request."""
    drain_ticks: int
    """For how long a removed replica is still paid (0: gone at once)."""


class Tally(NamedTuple):
    """What a run came to; divide ticks by the tick length at the edge."""

    over_ticks: float
    """Ticks in which demand was above what was ready."""
    over: float
    """Demand above what was ready, in replica-ticks."""
    paid: float
    """Replicas paid, starting and draining ones included, in replica-ticks."""
    events: float
    """Ticks in which the replica count was changed."""


class Inputs(NamedTuple):
    """What the rule reads at each tick, shape [ticks], in replicas; NaN: not known."""

    demand: Floats
    """Demand as it is; NaN: a gap, in which nothing is over."""
    seen: Floats
    """The newest sample, one lag old."""
    at_seen: Floats
    """The curve where `seen` was measured."""
    peak: Floats
    """Greatest value of the curve until a replica ordered now is ready."""
    floor_peak: Floats
    """Greatest value of the curve over the rule's floor window."""
    mean: Floats
    """Mean demand of the past week."""


def run(
    rule: Rule,
    timing: Timing,
    inputs: Inputs,
    least: float,
    most: float,
    wanted: Floats,
    wants: Floats,
    arriving: Floats,
    leaving: Floats,
    trace: Floats,
) -> tuple[float, float, float, float]:
    """Run one fleet through one history.

    Args:
        rule: The numbers of the rule.
        timing: Lag, start-up and drain.
        inputs: What happens and what is read.
        least: Smallest replica count allowed.
        most: Largest.
        wanted: Scratch, shape [ticks].
        wants: Scratch, shape [ticks].
        arriving: Scratch, shape [ticks + start_ticks], all zero and left so: orders by the tick of their readiness.
        leaving: Scratch, shape [ticks + drain_ticks], all zero and left so: removals by the tick of their end.
        trace: Written, shape [3, ticks] (ready, starting, draining) or [3, 0] where nobody looks.

    Returns:
        The figures of a `Tally`, as a plain tuple: numba makes a named one by calling Python, and an interrupt that
        arrives just then ends the process.
    """
    demand, seen = inputs.demand, inputs.seen
    tick_s, lag, start_ticks, drain_ticks = timing
    ticks = len(demand)
    window = int(np.ceil(rule.down_window_s / tick_s))
    timer, syncing, tolerance = rule.low_timer, rule.sync_s > 0.0, rule.tolerance
    window_s, interval_s, step = rule.down_window_s, rule.down_interval_s, rule.down_step
    tracing = trace.shape[1] > 0
    seldom = tracing or syncing  # one test at each tick in place of two
    if rule.curve_weight == 0.0 and rule.samples == 1 and rule.slope_gain == 0.0:
        fill_wanted(rule, seen, inputs, least, most, wanted)
    else:
        fill_ahead(rule, float(lag + start_ticks), inputs, wanted, wants)
        fill_wanted(rule, wants, inputs, least, most, wanted)
    ready = scale.settled(wanted[0], 0.0, 0.0)
    ready = ready if ready == ready else least
    starting = draining = 0.0
    over_ticks = over = paid = events = 0.0
    free_s = scale.first_free_s(timer)
    greatest = -np.inf
    greatest_at = 0
    for i in range(ticks):
        if starting > 0.0:
            ready += arriving[i]
            starting -= arriving[i]
            arriving[i] = 0.0
        if draining > 0.0:
            draining -= leaving[i]
            leaving[i] = 0.0
        have = ready + starting
        paid += have + draining
        lack = demand[i] - ready
        if lack > 0.0:
            over_ticks += 1.0
            over += lack
        at_s = i * tick_s
        if seldom:
            if tracing:
                trace[0, i] = ready
                trace[1, i] = starting
                trace[2, i] = draining
            if syncing and not scale.decides(rule.sync_s, at_s, at_s - tick_s):
                wants[i] = -np.inf
                continue
        want = scale.settled(wanted[i], have, tolerance)
        if seen[i] != seen[i]:
            want = scale.held(want, have)
        surplus = ready - want
        if not timer:
            wants[i] = want
            if want >= greatest:
                greatest = want
                greatest_at = i
            elif greatest_at <= i - window:
                greatest_at = latest_greatest(wants, i - window + 1, i)
                greatest = wants[greatest_at]
            surplus = have - greatest
        if want > have:
            free_s = scale.rested_s(timer, free_s)
            short = want - have
            back = scale.undone(short, draining, rule.undo)
            if back > 0.0:
                take_back(leaving, i + drain_ticks, back)
                ready += back
                draining -= back
            arriving[i + start_ticks] += short - back
            starting += short - back
            events += 1.0
        elif surplus > 0.0:
            free_s = scale.waited_s(timer, free_s, at_s, window_s)
            if at_s >= free_s:
                free_s = at_s + interval_s
                less = min(surplus, step)
                events += 1.0
                cancelled = scale.cancelled(timer, less, starting)
                if cancelled > 0.0:
                    take_back(arriving, i + start_ticks, cancelled)
                    starting -= cancelled
                    less -= cancelled
                ready -= less
                if drain_ticks > 0:
                    leaving[i + drain_ticks] += less
                    draining += less
        elif timer:
            free_s = scale.rested_s(timer, free_s)
    for i in range(ticks, len(arriving)):
        arriving[i] = 0.0
    for i in range(ticks, len(leaving)):
        leaving[i] = 0.0
    return over_ticks, over, paid, events


def latest_greatest(wants: Floats, first: int, last: int) -> int:
    """Where the greatest of `wants[first..last]` stands; of equals the latest."""
    at = last
    for i in range(last - 1, first - 1, -1):
        if wants[i] > wants[at]:
            at = i
    return at


def take_back(queued: Floats, last: int, count: float) -> None:
    """Take `count` replicas out of a queue of starts or drains, the newest first (it has the longest left)."""
    back = last
    while count > 0.0:
        taken = min(count, queued[back])
        queued[back] -= taken
        count -= taken
        back -= 1


def fill_ahead(rule: Rule, delay_ticks: float, inputs: Inputs, levels: Floats, ahead: Floats) -> None:
    """Write demand as it is expected when a replica ordered at each tick is ready; no state enters here."""
    seen, at_seen, peak, mean = inputs.seen, inputs.at_seen, inputs.peak, inputs.mean
    samples, weight, softening = rule.samples, rule.curve_weight, rule.curve_softening
    carry_ticks, noise, gain = rule.slope_gain * delay_ticks, rule.noise, rule.ceiling_gain
    known = 0
    for i in range(len(ahead)):
        levels[i] = scale.level(seen[i], at_seen[i], softening * mean[i], weight)
        known = known + 1 if levels[i] == levels[i] else 0
        average = levels[i]
        if known > 0:
            first = i - min(samples, known - 1)
            average = scale.average(levels, first, i, samples)
            if carry_ticks > 0.0:
                most = scale.ceiling(gain, peak[i] + softening * mean[i], weight)
                average = scale.carried(average, carry_ticks * scale.rise(levels, first, i, noise), most)
        ahead[i] = scale.forward(average, peak[i], softening * mean[i], weight)


def fill_wanted(rule: Rule, ahead: Floats, inputs: Inputs, least: float, most: float, wanted: Floats) -> None:
    """Write the replicas needed at each tick, within limits but not yet whole.

    Args:
        rule: The numbers.
        ahead: Demand ahead, shape [ticks] or more.
        inputs: For the curve's floor and the mean.
        least: Smallest replica count allowed.
        most: Largest.
        wanted: Written, shape [ticks].
    """
    floor_peak, peak, mean = inputs.floor_peak, inputs.peak, inputs.mean
    headroom, exponent, on_curve, softening = (
        rule.headroom,
        rule.exponent,
        rule.on_curve,
        rule.curve_softening,
    )
    gain, shape = rule.floor_gain if rule.floor_gain > 0.0 else np.nan, rule.floor_exponent
    for i in range(len(wanted)):
        wanted[i] = scale.headroom_unit(on_curve, ahead[i], peak[i] + softening * mean[i])
    if exponent != 1.0:
        for i in range(len(wanted)):
            wanted[i] = scale.spread(wanted[i], exponent, mean[i])
    for i in range(len(wanted)):
        needed = scale.with_headroom(ahead[i], headroom, wanted[i])
        floor = scale.floor(gain, shape, floor_peak[i], mean[i])
        wanted[i] = scale.limited(scale.floored(needed, floor), least, most)
