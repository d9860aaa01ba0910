"""Growth quantiles: how far demand rises while a replica starts, the rare rises drawn as wide as the common ones."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from headrace.report.captions import count, share
from headrace.report.drawings import plane
from headrace.report.drawings.plane import Axis, Mark, Tick
from headrace.report.figures import GrowthChart

SHOWN = (0.5, 0.9, 0.99, 0.999, 0.9999)
"""Quantiles that a reader knows."""
_POINTS = 240


def drawing(chart: GrowthChart, key: str, words: str) -> str:
    """The SVG; arguments as for `plane.svg`."""
    held = [value for value in (chart.headroom, chart.today_headroom) if value is not None]
    low = min(0.0, float(chart.rises.min()))
    scale = (max(*held, float(chart.rises.max())) - low) * 1.08 or 1.0
    left, right = _rarity(float(chart.quantiles[0])), _rarity(float(chart.quantiles[-1]))

    def across(quantile: float) -> float:
        return (_rarity(quantile) - left) / (right - left)

    kept = np.unique(np.linspace(0, len(chart.rises) - 1, min(len(chart.rises), _POINTS)).astype(np.intp))
    points = [
        (across(q), (rise - low) / scale)
        for q, rise in zip(chart.quantiles[kept], chart.rises[kept], strict=True)
    ]
    known = [quantile for quantile in SHOWN if chart.quantiles[0] <= quantile <= chart.quantiles[-1] + 1e-12]
    dots = "".join(
        f'<circle class="dot" cx="{plane.percent(across(quantile))}" r="3.5" '
        f'cy="{plane.down((float(np.interp(quantile, chart.quantiles, chart.rises)) - low) / scale)}"></circle>'
        for quantile in known
    )
    marks = [Mark((chart.headroom - low) / scale, f"headroom proposed {count(chart.headroom)}", "chosen")]
    if chart.today_headroom is not None:
        today = Mark(
            (chart.today_headroom - low) / scale, f"headroom today {count(chart.today_headroom)}", "today"
        )
        marks.append(today)
    # The words stand at the end where the curve is away from them: it rises from left to right.
    halfway = next(up for x, up in points if x >= 0.5)
    side: Literal["start", "end"] = "end" if marks[0].share < halfway else "start"
    return plane.svg(
        key,
        "Rise of demand while a replica starts",
        words,
        plane.path(points, "curve") + dots + plane.level(marks, side),
        Axis("of all moments rose by less", [Tick(across(quantile), share(quantile)) for quantile in known]),
        Axis(f"rise, {chart.unit}", plane.figures(plane.linear_ticks(low, low + scale, 5), scale, low)),
    )


def _rarity(quantile: float) -> float:
    """0.9 is 1, 0.99 is 2, 0.999 is 3."""
    return -math.log10(1 - quantile)
