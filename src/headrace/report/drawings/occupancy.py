"""Occupancy against queue: how many wait on a replica, by how many run on it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from headrace.report.captions import count
from headrace.report.drawings import plane
from headrace.report.drawings.plane import HEIGHT, Axis, Mark, Tick
from headrace.report.figures import OccupancyChart

_BARS = 20
_STRAIGHT_UP_TO = 12.0
"""Above this mean the vertical axis counts in powers of ten: where the queue begins would else be a flat line."""


class Bar(NamedTuple):
    """The moments of one stretch of occupancy."""

    low: float
    high: float
    moments_ratio: float
    """Share of all moments, 0 to 1."""
    mean: float
    """Requests that waited."""
    p95: float
    """Nineteen of twenty moments are below."""


def bars(chart: OccupancyChart) -> list[Bar]:
    """Moments by occupancy, the stretches of one width; one without a moment is left out."""
    known = np.isfinite(chart.running) & np.isfinite(chart.waiting)
    running, waiting = chart.running[known], chart.waiting[known]
    width = _width(chart)
    place = np.floor(running / width).astype(np.int64)
    # Full is full: what runs on every slot belongs to the last stretch below them, as long as nothing runs beyond.
    if running.max() <= chart.slots:
        place = np.minimum(place, math.ceil(chart.slots / width) - 1)
    found = []
    for one in np.unique(place).tolist():
        inside = waiting[place == one]
        p95 = float(np.quantile(inside, 0.95))
        share = len(inside) / len(waiting)
        found.append(Bar(one * width, (one + 1) * width, share, float(inside.mean()), p95))
    return found


def drawing(chart: OccupancyChart, key: str, words: str) -> str:
    """The SVG; arguments as for `plane.svg`."""
    found = bars(chart)
    across = max(chart.slots, chart.target_slots, found[-1].high) * 1.02
    most = max(1.0, *(max(bar.mean, bar.p95) for bar in found)) * 1.05
    straight = most <= _STRAIGHT_UP_TO
    body = []
    for bar in found:
        kind = "past" if bar.low >= chart.target_slots else "calm"
        x, wide = plane.percent(bar.low / across), plane.percent((bar.high - bar.low) / across * 0.9)
        top = plane.down(_up(bar.mean, most, straight))
        body.append(
            f'<rect class="bin {kind}" x="{x}" width="{wide}" y="{top}" height="{HEIGHT - top:.1f}"></rect>'
        )
        if bar.p95 == 0:
            continue
        stroke = plane.down(_up(bar.p95, most, straight))
        until = plane.percent(bar.low / across + (bar.high - bar.low) / across * 0.9)
        body.append(f'<line class="p95" x1="{x}" x2="{until}" y1="{stroke}" y2="{stroke}"></line>')
    marks = [Mark(chart.target_slots / across, f"target {count(chart.target_slots)}", "chosen")]
    marks.append(Mark(chart.slots / across, f"slots {count(chart.slots)}", "slots"))
    if chart.today_target_slots is not None:
        marks.append(
            Mark(chart.today_target_slots / across, f"today {count(chart.today_target_slots)}", "today")
        )
    return plane.svg(
        key,
        "Requests that wait, by requests that run",
        words,
        "".join(body) + plane.upright(marks),
        Axis("requests that run on a replica", plane.figures(plane.linear_ticks(0, across), across)),
        Axis("requests that wait on it", _ticks(most, straight)),
    )


def _width(chart: OccupancyChart) -> float:
    known = chart.running[np.isfinite(chart.running)]
    least = max(chart.slots, float(known.max())) / _BARS
    # Requests are whole: bars of 3.2 of them would hold three whole numbers, then four.
    return float(math.ceil(least)) if least > 1 else 1.0


def _up(value: float, most: float, straight: bool) -> float:
    return value / most if straight else math.log1p(value) / math.log1p(most)


def _ticks(most: float, straight: bool) -> list[Tick]:
    if straight:
        return plane.figures(plane.linear_ticks(0, most, 5), most)
    powers = [0.0, *(10.0**power for power in range(math.floor(math.log10(most)) + 1))]
    return [Tick(_up(value, most, straight), count(value)) for value in powers]
