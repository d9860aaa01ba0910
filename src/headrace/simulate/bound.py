"""What no policy can beat: the exact clairvoyant optimum, and the bound for a policy that must survive a surge.

The optimum splits by level: the n-th replica is needed at the ticks at which demand needs n or more. Those sets are
nested, so each level is served by a replica of its own, and between two needs it is either kept, or removed and
started again in time, whichever is paid less. The sum over levels is what a fleet costs that knows the future and
is never over; nothing that is never over costs less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.simulate.fluid import Floats, Timing


def least_paid(needed: NDArray[np.int64], timing: Timing) -> int:
    """Least replica-ticks, starting and draining ones paid, with `needed` replicas ready at every tick.

    Args:
        needed: Replicas that must be ready, shape [ticks], >= 0.
        timing: Start-up and drain; the ticks are paid as in `fluid.run`.
    """
    ticks = len(needed)
    # As `fluid.run` counts: an order is paid from the next tick until it is ready, a removal until it is gone.
    start = max(0, timing.start_ticks - 1)
    drain = max(0, timing.drain_ticks - 1)
    paid = 0
    for level in range(1, int(needed.max(initial=0)) + 1):
        at = np.flatnonzero(needed >= level)
        first, last = int(at[0]), int(at[-1])
        idle = np.diff(at) - 1
        paid += len(at) + int(np.minimum(idle, start + drain).sum())
        paid += first if first < timing.start_ticks else start
        paid += min(ticks - 1 - last, drain)
    return paid


def whole_demand(demand: Floats) -> NDArray[np.int64]:
    """Replicas that serve `demand` (in replicas); a gap needs none."""
    return np.ceil(np.nan_to_num(demand, nan=0.0)).astype(np.int64)


def surge_demand(demand: Floats, curve: Floats, gain: float) -> NDArray[np.int64]:
    """Replicas that must be ready so that the class of surge could begin at any moment, and serve what comes.

    Args:
        demand: Demand as it comes, in replicas, shape [ticks].
        curve: Demand as it was expected, in replicas, shape [ticks]; the surge would rise from here.
        gain: From `decide.headroom.surge_gain`, at the time between a first sign and the first replica that it
            ordered: lag + start-up.
    """
    return np.maximum(whole_demand(demand), whole_demand(curve * gain))
