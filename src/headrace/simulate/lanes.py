"""Many fleets in lockstep: lanes share timing and rule but for its headroom, and each has its own demand.

Lanes are days or headroom numbers. The body has no branches, and all that is written lies in one array whose rows
have a fixed width, so that the compiler sees that lanes don't touch each other and handles several per instruction.
The arithmetic is `decide.scale`'s; only its control flow is spelled as selections. It holds for the timer discipline
without drains (the seed's rules); others run one by one in `fluid`.
"""

from __future__ import annotations

import numpy as np

from headrace.decide import scale
from headrace.simulate.fluid import Floats, Timing
from headrace.spec import Rule

WIDTH = 128
"""Lanes of one call; fewer are filled up."""
ROWS = 9
"""Rows of the state before the ring of orders: see `run_lanes`."""


def run_lanes(
    rule: Rule, timing: Timing, demand: Floats, floor_peak: Floats, least: float, most: float, state: Floats
) -> None:
    """Run all lanes through their days.

    Args:
        rule: Numbers that the lanes share: proportional headroom, no curve but for the floor, the timer.
        timing: Lag, start-up (drains are not paid here).
        demand: Shape [ticks, WIDTH], replicas.
        floor_peak: The curve in the floor's window, shape [ticks]; the lanes share it.
        least: Smallest replica count.
        most: Largest.
        state: Shape [(ROWS + start_ticks + 1) * WIDTH]. Rows: ready, starting, free_s, over_ticks, over, paid, events,
            headroom, floor gain; then a ring of orders on their way. Written but for the two that differ by lane;
            zero elsewhere at first.
    """
    ticks = len(demand)
    tick_s, lag, start_ticks = timing.tick_s, timing.lag_ticks, timing.start_ticks
    window_s, interval_s, step = rule.down_window_s, rule.down_interval_s, rule.down_step
    for k in range(WIDTH):
        seen = demand[0, k]
        wanted = scale.floored(seen + state[7 * WIDTH + k] * seen, state[8 * WIDTH + k] * floor_peak[0])
        state[k] = np.ceil(scale.limited(wanted, least, most))
        state[2 * WIDTH + k] = scale.NEVER_S
    for i in range(ticks):
        at_s = i * tick_s
        now, past, curve = demand[i], demand[max(0, i - lag)], floor_peak[i]
        arrived = (ROWS + i % (start_ticks + 1)) * WIDTH
        ordered = (ROWS + (i + start_ticks) % (start_ticks + 1)) * WIDTH
        came, goes = state[arrived : arrived + WIDTH], state[ordered : ordered + WIDTH]
        for k in range(WIDTH):
            ready = state[k] + came[k]
            starting = state[WIDTH + k] - came[k]
            have = ready + starting
            lack = now[k] - ready
            seen = past[k]
            wanted = scale.floored(seen + state[7 * WIDTH + k] * seen, state[8 * WIDTH + k] * curve)
            want = np.ceil(scale.limited(wanted, least, most))
            short = want - have
            surplus = ready - want
            low = (surplus > 0.0) & (short <= 0.0)
            short = short if short > 0.0 else 0.0
            free_s = state[2 * WIDTH + k]
            begun_s = at_s + window_s
            free_s = free_s if free_s < begun_s else begun_s
            due = low & (at_s >= free_s)
            less = surplus if surplus < step else step
            less = less if due else 0.0
            free_s = free_s if low else scale.NEVER_S
            state[k] = ready - less
            state[WIDTH + k] = starting + short
            state[2 * WIDTH + k] = at_s + interval_s if due else free_s
            state[3 * WIDTH + k] += 1.0 if lack > 0.0 else 0.0
            state[4 * WIDTH + k] += lack if lack > 0.0 else 0.0
            state[5 * WIDTH + k] += have
            state[6 * WIDTH + k] += 1.0 if short + less > 0.0 else 0.0
            goes[k] = short
