"""Many fleets in lockstep: lanes share timing and rule but for its headroom, and each has its own demand.

Lanes are days or headroom numbers. Arrays lie [tick, lane], and the body has no branches, so that the compiled form
handles several lanes per instruction. The arithmetic is `decide.scale`'s; only its control flow is spelled as
selections. It holds for the timer discipline without drains (the seed's rules); others run lane by lane in `fluid`.
"""

from __future__ import annotations

import numpy as np

from headrace.decide import scale
from headrace.simulate.fluid import Floats, Timing
from headrace.spec import Rule


def run_lanes(
    rule: Rule,
    timing: Timing,
    demand: Floats,
    floor_peak: Floats,
    headroom: Floats,
    floor_gain: Floats,
    least: float,
    most: float,
    state: Floats,
    arriving: Floats,
) -> None:
    """Run all lanes through their days.

    Args:
        rule: Numbers that the lanes share: proportional headroom, no curve but for the floor, the timer.
        timing: Lag, start-up (drains are not paid here).
        demand: Shape [ticks, lanes], replicas.
        floor_peak: The curve in the floor's window, shape [ticks]; the lanes share it.
        headroom: Each lane's headroom, shape [lanes].
        floor_gain: Each lane's floor gain, shape [lanes].
        least: Smallest replica count.
        most: Largest.
        state: Written, shape [7, lanes], zero at first: ready, starting, free_s, over_ticks, over, paid, events.
        arriving: Scratch, shape [start_ticks + 1, lanes], all zero: a ring of orders on their way.
    """
    ticks, lanes = demand.shape
    slots = len(arriving)
    tick_s, lag, start_ticks = timing.tick_s, timing.lag_ticks, timing.start_ticks
    window_s, interval_s, step = rule.down_window_s, rule.down_interval_s, rule.down_step
    ready, starting, free_s = state[0], state[1], state[2]
    over_ticks, over, paid, events = state[3], state[4], state[5], state[6]
    for lane in range(lanes):
        wanted = scale.floored(demand[0, lane] * (1.0 + headroom[lane]), floor_gain[lane] * floor_peak[0])
        ready[lane] = scale.limited(np.ceil(wanted), least, most)
        free_s[lane] = scale.NEVER_S
    for i in range(ticks):
        at_s = i * tick_s
        now, seen, curve = demand[i], demand[max(0, i - lag)], floor_peak[i]
        arrived, ordered = arriving[i % slots], arriving[(i + start_ticks) % slots]
        for lane in range(lanes):
            here = ready[lane] + arrived[lane]
            coming = starting[lane] - arrived[lane]
            have = here + coming
            lack = now[lane] - here
            over_ticks[lane] += 1.0 if lack > 0.0 else 0.0
            over[lane] += lack if lack > 0.0 else 0.0
            paid[lane] += have
            ahead = seen[lane] + headroom[lane] * seen[lane]
            wanted = scale.floored(ahead, floor_gain[lane] * curve)
            want = scale.limited(np.ceil(wanted), least, most)
            short = want - have
            short = short if short > 0.0 else 0.0
            surplus = here - want
            low = (surplus > 0.0) & (short == 0.0)
            free = scale.waited_s(True, free_s[lane], at_s, window_s) if low else scale.NEVER_S
            due = at_s >= free
            less = surplus if surplus < step else step
            less = less if due else 0.0
            free_s[lane] = at_s + interval_s if due else free
            ordered[lane] = short
            starting[lane] = coming + short
            ready[lane] = here - less
            events[lane] += 1.0 if short + less > 0.0 else 0.0
