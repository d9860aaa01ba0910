"""How many requests run at once, exactly, from how many start and end in each step; and what the log can't know.

A request that starts at s and ends at e is B(t) = max(t - s, 0) - max(t - e, 0) seconds old at t. Added up over all
requests and differenced from step to step this needs of each step only how many start and end in it, and how far
into it; no sorting, no row kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.durations import Durations

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_UNKNOWN_AT_MOST = 0.05
"""Share of the log that may be cut off at either end; in a shorter log nothing is."""
_SEEN_BESIDE = 30
"""Requests in a stretch on either side of an empty one, with which emptiness is no chance (e^-30)."""
_BESIDE_STEPS = 10
_MISSING_AT_MOST = 0.1
"""Share of the log that can be missing; where more is empty, the traffic itself comes and goes."""

_LEFT_OUT_AT_MOST = 0.5


class Steps(NamedTuple):
    """What happens in each step of a grid from the first start to the last end."""

    first: int
    """The first step, in steps since 0."""
    step_s: float
    starts: Ints
    """Shape [n]: requests that start in the step."""
    start_offsets_s: Floats
    """Shape [n]: how long after the step's beginning they do, added up."""
    ends: Ints
    end_offsets_s: Floats


def mean_running(steps: Steps) -> Floats:
    """Shape [n]: requests that run at once, in the mean of each step."""
    running = np.concatenate([[0], np.cumsum(steps.starts - steps.ends)[:-1]])
    started_s = steps.starts * steps.step_s - steps.start_offsets_s
    ended_s = steps.ends * steps.step_s - steps.end_offsets_s
    means: Floats = running + (started_s - ended_s) / steps.step_s
    # a step in which the last one ends may come out at -1e-17
    return np.maximum(means, 0.0)


def edge_s(durations: Durations) -> float:
    """How long 99 % of the requests are over: for so long after its beginning and before its end a log lacks some.

    What began before the log, and what ends after it, may not be in it.
    """
    reached = np.cumsum(durations.counts) >= 0.99 * durations.count
    return float(np.argmax(reached))


def known_span(steps: Steps, edge_s: float) -> tuple[int, int]:
    """First step and the one after the last of which the log knows all requests; all steps in a short log."""
    count = len(steps.starts)
    edge = int(np.ceil(edge_s / steps.step_s)) + 1  # the step that the log begins in is not whole
    return (edge, count - edge) if edge <= _UNKNOWN_AT_MOST * count else (0, count)


def missing_steps(steps: Steps, edge_s: float) -> NDArray[np.bool_]:
    """Shape [n]: True where the log has a hole: nothing at all, though much came just before and just after.

    A stretch beside which fewer came may be a quiet one. Where such stretches are over a tenth of the log they are
    how the traffic comes (hourly batches), and none is a hole. As far as requests reach (`edge_s`) the steps beside a
    hole lack some too.
    """
    came = steps.starts + steps.ends
    hole = np.zeros(len(came), dtype=np.bool_)
    turns = np.flatnonzero(np.diff(came == 0, prepend=False, append=False))
    total = np.concatenate([[0], np.cumsum(steps.starts)])
    for begin, after in zip(turns[::2].tolist(), turns[1::2].tolist(), strict=True):
        beside = min(after - begin, _BESIDE_STEPS)
        before = total[begin] - total[max(begin - beside, 0)]
        behind = total[min(after + beside, len(came))] - total[after]
        hole[begin:after] = min(before, behind) >= _SEEN_BESIDE
    if np.count_nonzero(hole) > _MISSING_AT_MOST * len(hole):
        return np.zeros_like(hole)
    reach = int(np.ceil(edge_s / steps.step_s))
    wide = _widened(hole, reach) if reach and hole.any() else hole
    # where requests take longer than the log is whole, little would be left
    return wide if np.count_nonzero(wide) <= _LEFT_OUT_AT_MOST * len(wide) else hole


def _widened(mask: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    """True within `by` places of a place that is."""
    change = np.zeros(len(mask) + 1, dtype=np.int64)
    at = np.flatnonzero(mask)
    np.add.at(change, np.maximum(at - by, 0), 1)
    np.add.at(change, np.minimum(at + by + 1, len(mask)), -1)
    return np.cumsum(change)[:-1] > 0
