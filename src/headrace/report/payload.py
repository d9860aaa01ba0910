"""The numbers of a page as compact JSON: what the page's script draws from.

::

    {"unit": "requests/s", "clock": "utc", "t0": 1700000000.0, "tick": 1.0, "end": 86400,
     "demand":   {"dt": [0, 10, 10, ...], "y": [48.1, null, ...]},
     "policies": [{"dt": [...], "ready": [...], "starting": [...], "draining": [...],
                   "from": [...], "for": [...]}, ...]}

Times are counted in whole ``tick`` seconds from ``t0``, each as the distance from the one before: a year of
epoch seconds would else be most of the page. ``from`` is the distance of a moment over capacity from the
start of the one before, ``for`` its length. A value holds until the next; null is a gap.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace.report import thinning
from headrace.report.chart import Chart, Trace

# Together at most 1.7 MB of JSON: a point of the demand takes 12 bytes, one of a policy 20, a moment 10.
DEMAND_POINTS = 12_000
POLICY_POINTS = 60_000
MOMENTS = 12_000

# Below a tenth of a per cent of a pixel on any screen; and 0.1 + 0.2 is 3 bytes, not 19.
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Payload:
    """The JSON of a page, and what was left out to keep it small.

    Attributes:
        text: The JSON, ASCII, safe inside a ``<script>`` element.
        demand_points: Points of the demand that are drawn; `demand_ticks` where all of them are.
        demand_ticks: Points that there were, gaps between ticks included.
        thinned_policies: How many policies lost capacity changes (their highs and lows are kept).
        joined_moments: How many moments over capacity were joined with a neighbour.
    """

    text: str
    demand_points: int
    demand_ticks: int
    thinned_policies: int
    joined_moments: int

    @property
    def whole(self) -> bool:
        """True if the page shows every tick."""
        return self.demand_points == self.demand_ticks and not (self.thinned_policies or self.joined_moments)


def payload(chart: Chart) -> Payload:
    """The numbers of a chart, thinned to what a page can carry."""
    tick_s = _tick_s(chart)
    times_s, (demand,) = _with_holes(chart, chart.demand)
    kept = thinning.line_kept(demand, DEMAND_POINTS)
    share = max(1, len(chart.traces))
    points = max(64, POLICY_POINTS // share)
    moments = max(16, MOMENTS // share)
    policies = []
    thinned = joined = 0
    for trace in chart.traces:
        steps, lost = _steps(chart, trace, tick_s, points)
        over_s = thinning.merged(trace.over_s, moments)
        thinned += lost
        joined += len(trace.over_s) - len(over_s)
        policies.append(steps | _moments(over_s, chart.start_s, tick_s))
    content = {
        "unit": chart.unit,
        "clock": chart.clock,
        "t0": chart.start_s,
        "tick": tick_s,
        "end": int(_whole(np.array([chart.end_s - chart.start_s]), tick_s)[0]),
        "demand": {
            "dt": _distances(_whole(times_s[kept] - chart.start_s, tick_s)),
            "y": _numbers(demand[kept]),
        },
        "policies": policies,
    }
    return Payload(_script_safe(content), len(kept), len(demand), thinned, joined)


def _steps(chart: Chart, trace: Trace, tick_s: float, points: int) -> tuple[dict[str, Any], bool]:
    times_s, columns = _with_holes(chart, trace.ready, trace.starting, trace.draining)
    kept = thinning.steps_kept(columns, points)
    lost = len(kept) < len(thinning.changes(*columns))
    steps: dict[str, Any] = {"dt": _distances(_whole(times_s[kept] - chart.start_s, tick_s))}
    for name, column in zip(("ready", "starting", "draining"), columns, strict=True):
        steps[name] = _numbers(column[kept])
    return steps, lost


def _moments(over_s: NDArray[np.float64], start_s: float, tick_s: float) -> dict[str, Any]:
    first = _whole(over_s[:, 0] - start_s, tick_s)
    # Never of no length: what is shorter than the page's resolution is still a moment over.
    lengths = np.maximum(1, _whole(over_s[:, 1] - start_s, tick_s) - first)
    return {"from": _distances(first), "for": lengths.tolist()}


def _with_holes(
    chart: Chart, *columns: NDArray[np.float64]
) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], ...]]:
    """Times and columns with a gap written in wherever ticks are missing, so that no line is drawn across."""
    after = chart.holes()
    if len(after) == 0:
        return chart.times_s, columns
    times_s = np.insert(chart.times_s, after + 1, chart.times_s[after] + chart.step_s)
    return times_s, tuple(np.insert(column, after + 1, np.nan) for column in columns)


def _tick_s(chart: Chart) -> float:
    """Resolution of times on the page: whole seconds where all times are, else milliseconds."""
    counted = [chart.times_s, np.array([chart.end_s]), *(trace.over_s.ravel() for trace in chart.traces)]
    offsets_s = np.concatenate(counted) - chart.start_s
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


def _script_safe(content: object) -> str:
    """JSON that can't end the ``<script>`` element it stands in, nor open a comment there."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
