"""The numbers of charts over time as compact content for JSON: what the page's script draws from.

::

    {"unit": "requests/s", "clock": "utc", "t0": 1700000000.0, "tick": 1.0, "end": 86400,
     "demand":   {"dt": [0, 10, 10, ...], "y": [48.1, null, ...]},
     "policies": [{"dt": [...], "ready": [...], "starting": [...], "draining": [...],
                   "from": [...], "for": [...]}, ...],
     "forecast": {"dt": [...], "expected": [...], "upper": [...]}}

Times are counted in whole ``tick`` seconds from ``t0``, each as the distance from the one before: a year of
epoch seconds would else be most of the page. ``from`` is the distance of a moment over capacity from the
start of the one before, ``for`` its length. A value holds until the next; null is a gap. ``forecast`` is there
only where there is one; it may begin before ``t0`` and go on after ``end`` of the demand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.report import thinning
from headrace.report.chart import Timeline, Trace, holes
from headrace.report.forecast import Forecast
from headrace.report.standalone import script_safe

Line = NDArray[np.float64]

# Below a tenth of a per cent of a pixel on any screen; and 0.1 + 0.2 is 3 bytes, not 19.
DIGITS = 6


class Budget(NamedTuple):
    """How much all charts of one timeline may take; points of a policy and moments are shared by its policies."""

    demand_points: int
    policy_points: int
    moments: int


# Together at most 1.7 MB of JSON: a point of the demand takes 12 bytes, one of a policy 20, a moment 10.
WHOLE_PAGE = Budget(12_000, 60_000, 12_000)
_LEAST = Budget(400, 400, 60)


def share_of_page(timelines: int) -> Budget:
    """The budget of each of several timelines on one page; no less than what still shows a week's shape."""
    return Budget(
        *(max(least, whole // max(1, timelines)) for least, whole in zip(_LEAST, WHOLE_PAGE, strict=True))
    )


@dataclass(frozen=True, slots=True)
class Payload:
    """The numbers of one timeline, and what was left out to keep them small.

    Attributes:
        content: What becomes JSON.
        demand_points: Points of the demand that are drawn; `demand_ticks` where all of them are.
        demand_ticks: Points that there were, gaps between ticks included.
        policies: How many policies there are.
        thinned_policies: How many policies lost capacity changes (their highs and lows are kept).
        joined_moments: How many moments over capacity were joined with a neighbour.
    """

    content: dict[str, Any]
    demand_points: int
    demand_ticks: int
    policies: int
    thinned_policies: int
    joined_moments: int

    @property
    def text(self) -> str:
        """The JSON, ASCII, safe inside a ``<script>`` element."""
        return script_safe(self.content)

    @property
    def whole(self) -> bool:
        """True if the page shows every tick."""
        return self.demand_points == self.demand_ticks and not (self.thinned_policies or self.joined_moments)


def payload(timeline: Timeline, budget: Budget = WHOLE_PAGE, forecast: Forecast | None = None) -> Payload:
    """The numbers of a timeline, thinned to what a page can carry."""
    tick_s = _tick_s(timeline, forecast)
    times_s, (demand,) = _with_holes(timeline.times_s, timeline.step_s, timeline.demand)
    kept = thinning.line_kept(demand, budget.demand_points)
    share = max(1, len(timeline.traces))
    points = max(64, budget.policy_points // share)
    moments = max(16, budget.moments // share)
    policies = []
    thinned = joined = 0
    for trace in timeline.traces:
        steps, lost = _steps(timeline, trace, tick_s, points)
        over_s = thinning.merged(trace.over_s, moments)
        thinned += lost
        joined += len(trace.over_s) - len(over_s)
        policies.append(steps | _moments(over_s, timeline.start_s, tick_s))
    content = {
        "unit": timeline.unit,
        "clock": timeline.clock,
        "t0": timeline.start_s,
        "tick": tick_s,
        "end": int(_whole(np.array([timeline.end_s - timeline.start_s]), tick_s)[0]),
        "demand": {
            "dt": _distances(_whole(times_s[kept] - timeline.start_s, tick_s)),
            "y": _numbers(demand[kept]),
        },
        "policies": policies,
    }
    if forecast is not None:
        content["forecast"] = _forecast(forecast, timeline.start_s, tick_s, budget.demand_points)
    return Payload(content, len(kept), len(demand), len(timeline.traces), thinned, joined)


def _forecast(forecast: Forecast, start_s: float, tick_s: float, points: int) -> dict[str, Any]:
    times_s, known = _with_holes(forecast.times_s, forecast.step_s, forecast.expected, forecast.upper)
    # The end is written as a gap: what holds until the next would else hold forever.
    times_s = np.append(times_s, forecast.end_s)
    lines = [np.append(line, np.nan) for line in known]
    kept = np.unique(np.concatenate([thinning.line_kept(line, points // 2) for line in lines]))
    return {
        "dt": _distances(_whole(times_s[kept] - start_s, tick_s)),
        "expected": _numbers(lines[0][kept]),
        "upper": _numbers(lines[1][kept]),
    }


def _steps(timeline: Timeline, trace: Trace, tick_s: float, points: int) -> tuple[dict[str, Any], bool]:
    times_s, columns = _with_holes(
        timeline.times_s, timeline.step_s, trace.ready, trace.starting, trace.draining
    )
    kept = thinning.steps_kept(columns, points)
    lost = len(kept) < len(thinning.changes(*columns))
    steps: dict[str, Any] = {"dt": _distances(_whole(times_s[kept] - timeline.start_s, tick_s))}
    for name, column in zip(("ready", "starting", "draining"), columns, strict=True):
        steps[name] = _numbers(column[kept])
    return steps, lost


def _moments(over_s: NDArray[np.float64], start_s: float, tick_s: float) -> dict[str, Any]:
    first = _whole(over_s[:, 0] - start_s, tick_s)
    # Never of no length: what is shorter than the page's resolution is still a moment over.
    lengths = np.maximum(1, _whole(over_s[:, 1] - start_s, tick_s) - first)
    return {"from": _distances(first), "for": lengths.tolist()}


def _with_holes(times_s: Line, step_s: float, *columns: Line) -> tuple[Line, tuple[Line, ...]]:
    """Times and columns with a gap written in wherever ticks are missing, so that no line is drawn across."""
    after = holes(times_s, step_s)
    if len(after) == 0:
        return times_s, columns
    times_s = np.insert(times_s, after + 1, times_s[after] + step_s)
    return times_s, tuple(np.insert(column, after + 1, np.nan) for column in columns)


def _tick_s(timeline: Timeline, forecast: Forecast | None) -> float:
    """Resolution of times on the page: whole seconds where all times are, else milliseconds."""
    moments = [trace.over_s.ravel() for trace in timeline.traces]
    counted = [timeline.times_s, np.array([timeline.end_s]), *moments]
    if forecast is not None:
        counted += [forecast.times_s, np.array([forecast.end_s])]
    offsets_s = np.concatenate(counted) - timeline.start_s
    return 1.0 if (offsets_s == np.round(offsets_s)).all() else 0.001


def _whole(offsets_s: NDArray[np.float64], tick_s: float) -> NDArray[np.int64]:
    return np.round(offsets_s / tick_s).astype(np.int64)


def _distances(offsets: NDArray[np.int64]) -> list[int]:
    return [int(distance) for distance in np.diff(offsets, prepend=0)]


def _numbers(values: NDArray[np.float64]) -> list[int | float | None]:
    # Each distinct value is put in words once: capacities are few multiples of one replica's.
    distinct, places = np.unique(values, return_inverse=True)
    short = [_number(value) for value in distinct.tolist()]
    return [short[place] for place in places]


def _number(value: float) -> int | float | None:
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
