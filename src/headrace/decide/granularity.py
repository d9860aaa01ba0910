"""What the size of a replica costs: demand is met in whole replicas, so half a one is idle on average.

Smaller replicas (half the accelerators, say by FP8 weights and half the tensor parallelism) follow demand in smaller
steps. That saves what rounding up costs, and lets a fleet of 8 grow by 6 % where it grew by 12 %. It costs what a
smaller replica serves less per accelerator: the weights are held twice, and less is left for the KV cache. Both sides
are arithmetic here; `simulate` says what a day makes of it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SizeAdvice(NamedTuple):
    """What smaller replicas would save."""

    gpu_hours_per_day: float
    """Saved; negative where smaller replicas cost more."""
    rounding: float
    """Replicas (of the present size) idle for being whole, mean."""
    rounding_after: float
    """The same with smaller ones, in replicas of the present size."""
    step_ratio: float
    """One more replica, in shares of the mean fleet."""
    step_ratio_after: float
    break_even_ratio: float
    """What a smaller replica must serve at least, in shares of its part of a present one, to be worth it."""
    why: str


def rounding_replicas(need: NDArray[np.float64], parts: int = 1) -> float:
    """Replicas idle because there are only whole ones: the mean of what rounding up adds; NaN without demand.

    About a half with whole replicas, a quarter with halves, where demand moves by more than a replica. A fleet that
    always needs 2.9 idles 0.1, and no smaller size helps it.

    Args:
        need: shape [n], replicas needed before rounding; NaN: not known.
        parts: Smaller replicas that take the place of one.
    """
    known = need[np.isfinite(need)]
    return float(np.mean(_whole(known, parts) - known)) if known.size else math.nan


def size_advice(
    need: NDArray[np.float64], accelerators: int, parts: int = 2, efficiency: float = 1.0
) -> SizeAdvice:
    """What replicas of 1 / `parts` the size would save a day.

    On the seed's day (7.5 requests/s per replica of 8 accelerators) quarters save (0.5 - 0.125) × 8 × 24 = 72
    GPU-hours; the simulated day saves 82 where a removal takes four at a time, and 12 where it still takes one.

    Args:
        need: shape [n], replicas of the present size needed before rounding; NaN: not known. At least one is held.
        accelerators: Of a present replica.
        parts: Smaller replicas that take the place of one (>= 2).
        efficiency: What a smaller replica serves, in shares of its part of a present one (> 0). 1 is the best case.
    """
    known = need[np.isfinite(need)]
    if not known.size:
        return SizeAdvice(*([math.nan] * 6), "no demand is known")  # type: ignore[call-arg, arg-type]
    now, after = _whole(known, 1), _whole(known / efficiency, parts)
    mean, mean_after = float(now.mean()), float(after.mean())
    idle, idle_after = mean - float(known.mean()), mean_after - float(known.mean()) / efficiency
    saved = (mean - mean_after) * accelerators * 24.0
    even = _break_even(known, mean, parts)
    size = accelerators / parts
    what = f"{'half' if parts == 2 else f'1/{parts}'} the size ({size:g} accelerators)"
    change = f"save {saved:,.0f}" if saved >= 0.0 else f"cost {-saved:,.0f} more"
    why = (
        f"replicas of {what} would {change} GPU-hours a day: {idle_after:.2g} replicas' worth idle for being whole, now"
        f" {idle:.2g}; one more would be {100.0 / (mean_after * parts):.2g} % of the fleet, now {100.0 / mean:.2g} %;"
        f" worth it if one serves more than {100.0 * even:.0f} % of its part of a present one"
    )
    return SizeAdvice(saved, idle, idle_after, 1.0 / mean, 1.0 / (mean_after * parts), even, why)


def _whole(need: NDArray[np.float64], parts: int) -> NDArray[np.float64]:
    """In whole replicas of 1 / parts, at least one; a rounding error must not ask for one more."""
    return np.maximum(1.0, np.ceil(need * parts - 1e-9)) / parts


def _break_even(need: NDArray[np.float64], mean: float, parts: int) -> float:
    """The efficiency below which smaller replicas cost more than the present ones; bisected, to a thousandth."""
    low, high = 1e-3, 2.0
    while high - low > 5e-4:
        middle = (low + high) / 2.0
        if float(_whole(need / middle, parts).mean()) <= mean:
            high = middle
        else:
            low = middle
    return high
