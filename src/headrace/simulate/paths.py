"""Forecasts as they stood at each tick: paths through the next windows, each known only once it has been issued."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Paths(NamedTuple):
    """The newest forecast at each tick; a straight line joins the middles of its windows, and its ends go on level."""

    points: Floats
    """Shape [issues, n]: demand of the newest window that each issue knew, then what it expected of the next n - 1."""
    issue: NDArray[np.int64]
    """Which issue is the newest that can be known at each tick, shape [ticks]; -1: none yet."""
    place: Floats
    """Now, in windows after the middle of the newest window of that issue, shape [ticks]."""
    window_ticks: int
    """Ticks of a window."""


def paths_at(points: Floats, window_ticks: int, ticks: int, lag_ticks: int) -> Paths:
    """Paths by tick: an issue is known one lag after the last tick of its newest window.

    Args:
        points: As `Paths.points`, an issue for each window from the first on.
        window_ticks: Ticks of a window.
        ticks: Length of the history.
        lag_ticks: Age of the newest sample.
    """
    at = np.arange(ticks)
    issue = np.minimum((at - lag_ticks + 1) // window_ticks - 1, len(points) - 1)
    middle = issue * window_ticks + (window_ticks - 1) / 2.0
    return Paths(points, np.maximum(issue, -1), (at - middle) / window_ticks, window_ticks)


def expected(paths: Paths, ticks_ahead: float) -> Floats:
    """What is expected so many ticks from now (before: negative), at each tick; NaN: nothing was issued yet."""
    last = paths.points.shape[1] - 1
    place = np.clip(paths.place + ticks_ahead / paths.window_ticks, 0.0, last)
    left = np.minimum(place.astype(np.int64), max(0, last - 1))
    share = place - left
    before = paths.points[paths.issue, left]
    after = paths.points[paths.issue, np.minimum(left + 1, last)]
    joined = before + share * (after - before)
    return np.where(paths.issue >= 0, joined, np.nan)


def greatest(paths: Paths, ticks_ahead: int) -> Floats:
    """Greatest of what is expected from now until so many ticks ahead, at each tick; NaN: nothing was issued yet."""
    peak = np.maximum(expected(paths, 0), expected(paths, ticks_ahead))
    end = paths.place + ticks_ahead / paths.window_ticks
    for point in range(paths.points.shape[1]):
        # between its ends, a path of straight lines is greatest at one of its points
        within = (paths.place <= point) & (point <= end)
        peak = np.where(within, np.maximum(peak, paths.points[paths.issue, point]), peak)
    return peak
