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


def run(
    rule: Rule,
    timing: Timing,
    inputs: Inputs,
    mean: float,
    least: float,
    most: float,
    wanted: Floats,
    wants: Floats,
    arriving: Floats,
    leaving: Floats,
    trace: Floats,
) -> Tally:
    """Run one fleet through one history.

    Args:
        rule: The numbers of the rule.
        timing: Lag, start-up and drain.
        inputs: What happens and what is read.
        mean: Mean demand of the past week, replicas.
        least: Smallest replica count allowed.
        most: Largest.
        wanted: Scratch, shape [ticks].
        wants: Scratch, shape [ticks].
        arriving: Scratch, shape [ticks + start_ticks], all zero: orders by the tick at which they are ready.
        leaving: Scratch, shape [ticks + drain_ticks], all zero: removals by the tick at which they are gone.
        trace: Written, shape [3, ticks] (ready, starting, draining) or [3, 0] where nobody looks.
    """
    demand, seen = inputs.demand, inputs.seen
    tick_s, lag, start_ticks, drain_ticks = timing
    ticks = len(demand)
    window = int(rule.down_window_s / tick_s)
    timer, syncing, tolerance = rule.low_timer, rule.sync_s > 0.0, rule.tolerance
    tracing = trace.shape[1] > 0
    fill_wanted(rule, float(lag + start_ticks), inputs, mean, wants, wanted)
    ready = scale.limited(scale.settled(wanted[0], 0.0, 0.0), least, most)
    ready = ready if ready == ready else least
    starting = draining = 0.0
    over_ticks = over = events = 0.0
    paid = ready * ticks
    free_s = scale.first_free_s(timer)
    greatest = -np.inf
    greatest_at = 0
    for i in range(ticks):
        ready += arriving[i]
        starting -= arriving[i]
        draining -= leaving[i]
        have = ready + starting
        lack = demand[i] - ready
        if lack > 0.0:
            over_ticks += 1.0
            over += lack
        if tracing:
            trace[0, i] = ready
            trace[1, i] = starting
            trace[2, i] = draining
        at_s = i * tick_s
        if syncing and not scale.decides(rule.sync_s, at_s, at_s - tick_s):
            wants[i] = -np.inf
            continue
        want = scale.settled(wanted[i], have, tolerance)
        if i == 0 or seen[i] != seen[i]:
            want = scale.held(want, have)
        want = scale.limited(want, least, most)
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
            short = want - have
            back = scale.undone(short, draining, rule.undo)
            if back > 0.0:
                take_back(leaving, i + drain_ticks, back)
                ready += back
                draining -= back
                paid += back * max(0, ticks - 1 - i - drain_ticks)
            arriving[i + start_ticks] += short - back
            starting += short - back
            paid += (short - back) * (ticks - 1 - i)
            events += 1.0
        if timer:
            free_s = scale.timer_s(want > have, surplus, free_s, at_s, rule.down_window_s)
        if surplus > 0.0 and at_s >= free_s:
            less = min(surplus, rule.down_step)
            free_s = at_s + rule.down_interval_s
            events += 1.0
            cancelled = 0.0 if timer else min(less, starting)
            if cancelled > 0.0:
                take_back(arriving, i + start_ticks, cancelled)
                starting -= cancelled
                paid -= cancelled * (ticks - 1 - i)
            ready -= less - cancelled
            paid -= (less - cancelled) * max(0, ticks - 1 - i - drain_ticks)
            if drain_ticks > 0:
                leaving[i + drain_ticks] += less - cancelled
                draining += less - cancelled
    return Tally(over_ticks, over, paid, events)


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


def fill_wanted(rule: Rule, delay_ticks: float, inputs: Inputs, mean: float, levels: Floats, wanted: Floats) -> None:
    """Write the replicas needed at each tick, not yet whole; no state enters here."""
    seen, at_seen, peak, floor_peak = inputs.seen, inputs.at_seen, inputs.peak, inputs.floor_peak
    soft = rule.curve_softening * mean
    samples, weight = rule.samples, rule.curve_weight
    known = 0
    for i in range(len(wanted)):
        levels[i] = scale.level(seen[i], at_seen[i], soft, weight)
    if samples > 1 or rule.slope_gain > 0.0:
        for i in range(len(wanted)):
            newest = levels[i]
            known = known + 1 if newest == newest else 0
            total = 0.0
            count = min(samples, known)
            for back in range(count):
                total += levels[i - back]
            steps = min(samples, known - 1)
            rise = newest - levels[i - steps] if steps > 0 else 0.0
            wanted[i] = scale.risen(total / max(count, 1), rise / max(steps, 1), rule.slope_gain, delay_ticks)
            if known == 0:
                wanted[i] = newest
    else:
        wanted[:] = levels
    for i in range(len(wanted)):
        wanted[i] = scale.forward(wanted[i], peak[i], soft, weight)
    if rule.headroom != 0.0:
        for i in range(len(wanted)):
            wanted[i] = scale.with_headroom(wanted[i], rule.headroom, rule.exponent, mean)
    if rule.floor_gain != 0.0:
        for i in range(len(wanted)):
            wanted[i] = scale.floored(wanted[i], rule.floor_gain * floor_peak[i])
