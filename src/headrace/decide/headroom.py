"""How much must already be running, because no replica ordered now can be there in time.

Demand may be in any unit here (requests/s, slots, replicas), as long as it is the same one throughout. The
functions of numbers hold no Python objects but NamedTuples, so that the simulator can compile them as they
are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.spec import Surge


def start_delay_s(lag_s: float, startup_s: float, tick_s: float) -> float:
    """Seconds from a change of demand to the first replica that answers it.

    The metric shows the change `lag_s` late, the next decision is up to one tick later, then a replica
    starts.
    """
    return lag_s + startup_s + tick_s


def growth_headroom(growth_per_s: float, total_rise: float, delay_s: float) -> float:
    """Spare capacity that must be running: growth during one delay, but never more than the whole rise.

    Why the limit: 40 requests/s in five minutes with a start-up of twelve is a growth of 0.133 a second, and
    growth × delay would hold 96 for a rise that ends at 40.

    Args:
        growth_per_s: How fast demand can grow; zero and less need nothing.
        total_rise: By how much it can grow in all, >= 0.
        delay_s: Decision delay and start-up time together (`start_delay_s`), >= 0.
    """
    return max(0.0, min(total_rise, growth_per_s * delay_s))


def surge_gain(surge: Surge, delay_s: float) -> float:
    """Replicas to hold per replica of expected demand, to survive the surge at any moment (>= 1).

    1 + rise × min(1, delay / ramp). For +35 % in 300 s: 1.29 at a start-up of 180 s with 60 s of lag and a
    tick of 10 s, 1.105 at 20 s, and the whole 1.35 at 720 s.

    Args:
        surge: The class of surge, with a ramp >= 0 (0: at once).
        delay_s: `start_delay_s`.
    """
    delay_s = max(0.0, delay_s)
    if delay_s >= surge.ramp_s:
        return 1.0 + surge.rise_ratio
    return 1.0 + surge.rise_ratio * (delay_s / surge.ramp_s)


def growth_quantile(values: NDArray[np.float64], horizon_steps: int, q: float) -> float:
    """Rise over present demand that a history stays within, a share `q` of the time (a ratio >= 0).

    For each moment: the greatest value of the next `horizon_steps` over the present one. A first guess and an
    explanation ("in the last weeks demand rose by more than 17 % within 250 s once in 200 moments"), not the
    headroom to run with: replaying the history through the simulator finds a cheaper one.

    Holes are left out, on both sides: a moment without a value, or without any value in its horizon, says
    nothing. So do moments of zero demand, whose ratio has no meaning.

    Args:
        values: shape [n], demand at a fixed step; NaN is a hole.
        horizon_steps: Steps of one delay, >= 1.
        q: 0 to 1.

    Returns:
        The quantile, or NaN if no moment says anything.
    """
    moments = len(values) - horizon_steps
    if horizon_steps < 1 or moments < 1:
        return float("nan")
    greatest = np.full(moments, np.nan)
    for ahead in range(1, horizon_steps + 1):
        # fmax takes the number where the other is NaN: a hole inside the horizon hides only itself
        np.fmax(greatest, values[ahead : ahead + moments], out=greatest)
    present = values[:moments]
    known = (present > 0) & np.isfinite(present) & np.isfinite(greatest)
    if not known.any():
        return float("nan")
    rises = np.maximum(0.0, greatest[known] / present[known] - 1.0)
    return float(np.quantile(rises, q))
