"""cut(N): the share of open streams that a drain of N seconds cuts; a band where only buckets are known."""

from __future__ import annotations

import math

import numpy as np

from headrace.report import captions
from headrace.report.drawings import plane
from headrace.report.drawings.plane import Axis, Mark, Tick
from headrace.report.figures import CutChart, Line

_LOWEST = 1e-4
"""Shares below are drawn on the axis: nobody tells one in ten thousand from none."""
_POINTS = 240
_STEPS_S = (10, 30, 60, 120, 180, 300, 600, 900, 1800, 3600)


def drawing(chart: CutChart, key: str, words: str) -> str:
    """The SVG; arguments as for `plane.svg`."""
    known_s = [chart.chosen_s] if chart.today_s is None else [chart.chosen_s, chart.today_s]
    end_s = max(float(chart.n_s[-1]), 1.05 * max(known_s))
    kept = np.unique(np.linspace(0, len(chart.n_s) - 1, min(len(chart.n_s), _POINTS)).astype(np.intp))
    across = (chart.n_s[kept] / end_s).tolist()
    most = _up(chart.most[kept])
    if chart.exact:
        body = plane.path(zip(across, most, strict=True), "curve")
    else:
        least = _up(chart.least[kept])
        outline = [*zip(across, most, strict=True), *zip(across[::-1], least[::-1], strict=True)]
        body = plane.path(outline, "between", closed=True)
        body += plane.path(zip(across, most, strict=True), "curve")
        body += plane.path(zip(across, least, strict=True), "curve faint")
    allowed = Mark(_share(chart.allowed_ratio), f"{captions.share(chart.allowed_ratio)} allowed", "limit")
    marks = [Mark(chart.chosen_s / end_s, f"N proposed {chart.chosen_s:g} s", "chosen")]
    if chart.today_s is not None:
        marks.append(Mark(chart.today_s / end_s, f"N today {chart.today_s:g} s", "today"))
    return plane.svg(
        key,
        "Streams cut, by how long a drain may take",
        words,
        body + plane.level([allowed], "end") + plane.upright(marks),
        Axis("N, how long a drain may take", _seconds(end_s)),
        Axis(
            "of the open streams are cut",
            [Tick(_share(10.0**p), captions.share(10.0**p)) for p in range(-4, 1)],
        ),
    )


def _share(ratio: float) -> float:
    return math.log10(max(ratio, _LOWEST) / _LOWEST) / -math.log10(_LOWEST)


def _up(ratios: Line) -> list[float]:
    return [_share(ratio) for ratio in ratios.tolist()]


def _seconds(end_s: float) -> list[Tick]:
    hours = 3600 * math.ceil(end_s / 4 / 3600)
    step = next((step for step in _STEPS_S if end_s / step <= 4), hours)
    return [
        Tick(at / end_s, captions.length(at) if at else "0") for at in range(0, math.floor(end_s) + 1, step)
    ]
