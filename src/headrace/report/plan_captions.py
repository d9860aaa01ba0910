"""Beside each chart of a plan: one sentence on how to read it, and one on what follows from it."""

from __future__ import annotations

import numpy as np

from headrace.report.captions import count, length, share
from headrace.report.chart import Timeline
from headrace.report.drawings.occupancy import bars
from headrace.report.drawings.startup import container_from_s, in_container_s
from headrace.report.figures import CutChart, GrowthChart, Line, OccupancyChart, StartupChart
from headrace.report.forecast import Forecast

CAPACITY = (
    "The plain area is what the ready replicas serve; where the line of demand is above it, the moment is marked red. "
    "Striped replicas start and dotted ones drain: both are paid for and take no new requests."
)
STARTUP = (
    "Each row is one phase, its bars as far to the right as it happens: the upper one for a usual start (median), the "
    "lower one for a start that is slow in every phase (p90)."
)


def forecast_reads(forecast: Forecast) -> str:
    """How to read the forecast."""
    said = f"{length(forecast.ahead_s)} ahead" if forecast.ahead_s else "ahead"
    return (
        f"The thin line is the demand that came, the thick one what was expected {said}; demand should stay below the "
        f"top of the band in {share(forecast.quantile)} of the time."
    )


def forecast_follows(forecast: Forecast, timeline: Timeline) -> str:
    """How often demand kept below the band, as far as both are known."""
    if forecast.follows:
        return forecast.follows
    place = np.searchsorted(forecast.times_s, timeline.times_s, side="right") - 1
    upper = np.where(place >= 0, forecast.upper[np.maximum(place, 0)], np.nan)
    inside = timeline.times_s < forecast.times_s[np.maximum(place, 0)] + forecast.step_s
    known = inside & np.isfinite(upper) & np.isfinite(timeline.demand)
    if not known.any():
        return (
            "Nothing here can be held against it yet: the forecast is for a time of which no demand is known."
        )
    held = float((timeline.demand[known] <= upper[known]).mean())
    return f"Demand stayed below the top of the band in {share(held)} of the time shown."


def occupancy_reads() -> str:
    """How to read occupancy against queue."""
    return (
        "A bar holds the moments in which that many requests ran on a replica; it is as high as the mean of those that "
        "waited then, and 19 of 20 of these moments were below the stroke."
    )


def occupancy_follows(chart: OccupancyChart) -> str:
    """What waits below and above the target."""
    if chart.follows:
        return chart.follows
    known = np.isfinite(chart.running) & np.isfinite(chart.waiting)
    running, waiting = chart.running[known], chart.waiting[known]
    above = running > chart.target_slots
    target = f"the target of {count(chart.target_slots)} requests"
    if above.all():
        return f"Every moment seen was above {target}: {_waited(waiting)}."
    below = f"Up to {target} {_waited(waiting[~above])}"
    if not above.any():
        return f"{below}; no moment above it was seen."
    mean = count(float(waiting[above].mean()))
    return f"{below}, above it {mean} on average: that is why another replica is ordered there."


def _waited(waiting: Line) -> str:
    mean = float(waiting.mean())
    return f"{count(mean)} waited on average" if mean else "none waited"


def occupancy_table(chart: OccupancyChart) -> list[tuple[str, ...]]:
    """The bars in figures: running, share of the time, waiting on average, waiting in 19 of 20 moments at most."""
    head = ("running", "share of moments", "waiting, mean", "waiting, p95")
    return [
        head,
        *(
            (f"{bar.low:g} to {bar.high:g}", share(bar.moments_ratio), count(bar.mean), count(bar.p95))
            for bar in bars(chart)
        ),
    ]


def cut_reads(chart: CutChart) -> str:
    """How to read cut(N)."""
    if chart.exact:
        return (
            "The curve says which share of the streams open when a drain begins is cut, if the drain may take N; "
            "each line across is a tenth of the one above."
        )
    return (
        "The band says which share of the streams open when a drain begins is cut, if the drain may take N: "
        "durations are known by buckets only, and the truth is somewhere in the band."
    )


def cut_follows(chart: CutChart) -> str:
    """What the proposed N and today's cut."""
    if chart.follows:
        return chart.follows
    said = f"With N = {chart.chosen_s:g} s, {_cut(chart.at(chart.chosen_s))} of them are cut"
    if chart.today_s is not None and chart.today_s != chart.chosen_s:
        said += f"; with today's {chart.today_s:g} s, {_cut(chart.at(chart.today_s))}"
    if chart.at(chart.chosen_s)[1] > chart.allowed_ratio:
        said += f". That is more than the {share(chart.allowed_ratio)} allowed"
    return said + "."


def cut_table(chart: CutChart) -> list[tuple[str, ...]]:
    """The curve in figures, at no more than a dozen N."""
    kept = np.unique(np.linspace(0, len(chart.n_s) - 1, min(12, len(chart.n_s))).astype(np.intp))
    return [
        ("N", "cut"),
        *((length(float(n)) if n else "0", _cut(chart.at(float(n)))) for n in chart.n_s[kept]),
    ]


def startup_follows(chart: StartupChart) -> str:
    """Where the time goes, and whether the probe gives enough of it."""
    if chart.follows:
        return chart.follows
    longest = max(chart.phases, key=lambda phase: phase.median_s)
    part = longest.median_s / chart.median_s if chart.median_s else 0.0
    said = (
        f"A usual start takes {length(chart.median_s)}, a slow one {length(chart.p90_s)}; most of it is "
        f"{longest.name} ({share(part)})."
    )
    slow_s = in_container_s(chart)
    if chart.probe_s is None or slow_s <= 0:
        return said
    times = f"{chart.probe_s / slow_s:.1f} times"
    return f"{said} The probe waits {length(chart.probe_s)}, {times} what a slow container needs."


def startup_reads(chart: StartupChart) -> str:
    """How to read the waterfall."""
    if chart.probe_s is None and chart.today_probe_s is None:
        return STARTUP
    begins = (
        f"{length(container_from_s(chart))} after the order" if container_from_s(chart) else "with the order"
    )
    return f"{STARTUP} The outlined bar is the time that the probe gives a container, which starts {begins} at p90."


def growth_reads(chart: GrowthChart) -> str:
    """How to read growth quantiles."""
    return (
        f"The line says how far demand rose within {length(chart.within_s)}, from the decision to a replica's first "
        "request; further to the right are rarer rises, each step ten times as rare as the one before."
    )


def growth_follows(chart: GrowthChart) -> str:
    """How rare a rise is that the proposed headroom does not cover."""
    if chart.follows:
        return chart.follows
    return f"{_covers(chart, chart.headroom, 'The headroom proposed')}{_today_covers(chart)}."


def growth_table(chart: GrowthChart, quantiles: tuple[float, ...]) -> list[tuple[str, ...]]:
    """The line in figures."""
    known = [q for q in quantiles if chart.quantiles[0] <= q <= chart.quantiles[-1] + 1e-12]
    rises = (count(float(np.interp(q, chart.quantiles, chart.rises))) for q in known)
    return [
        ("of all moments", f"rise below, {chart.unit}"),
        *zip((share(q) for q in known), rises, strict=True),
    ]


def _covers(chart: GrowthChart, headroom: float, whose: str) -> str:
    amount = f"{whose}, {count(headroom)} {chart.unit},"
    if headroom >= chart.rises[-1]:
        return f"{amount} covers every rise shown"
    if headroom < chart.rises[0]:
        return f"{amount} covers the rise in fewer than {share(float(chart.quantiles[0]))} of all moments"
    covered = float(np.interp(headroom, chart.rises, chart.quantiles))
    return f"{amount} covers the rise in {share(covered)} of all moments"


def _today_covers(chart: GrowthChart) -> str:
    today = chart.today_headroom
    if today is None or today == chart.headroom:
        return ""
    return "; " + _covers(chart, today, "today's")


def _cut(between: tuple[float, float]) -> str:
    least, most = (share(ratio) for ratio in between)
    return least if least == most else f"{least} to {most}"
