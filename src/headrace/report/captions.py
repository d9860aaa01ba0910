"""The words and figures on a page: for eyes, for screen readers, and where no script runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from headrace.report.chart import Clock, TableRow, Timeline, Trace
from headrace.report.payload import Payload

NOT_KNOWN = "–"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 86_400
_LISTED = 3


def count(value: float) -> str:
    """A figure for a table cell: ``3,225``, ``28.8``, ``<0.1`` (never 0 for what is not), ``–`` for NaN."""
    if not math.isfinite(value):
        return NOT_KNOWN
    if value == 0:
        return "0"
    if abs(value) < 0.05:
        return "<0.1" if value > 0 else ">-0.1"
    return f"{value:,.0f}" if abs(value) >= 99.95 else f"{value:,.1f}".removesuffix(".0")


def moment(time_s: float, clock: Clock, *, dated: bool, seconds: bool = False) -> str:
    """A time as given: ``2024-03-01 09:00`` (UTC), ``09:00`` or ``day 2 09:00``.

    Args:
        time_s: On the given clock.
        clock: Of the timeline.
        dated: Whether the day is said; a page of a single day says it once, at the top.
        seconds: Whether to say seconds too.
    """
    whole_s = math.floor(time_s)
    day, second = divmod(whole_s, _DAY_S)
    hours = f"{second // 3600:02d}:{second % 3600 // 60:02d}" + (f":{second % 60:02d}" if seconds else "")
    if not dated:
        return hours
    return f"{date(day * _DAY_S)} {hours}" if clock == "utc" else f"day {day + 1} {hours}"


def date(time_s: float) -> str:
    """Day of an epoch time in UTC, ``2024-03-01``; ``day 19783`` where the calendar has no such year."""
    try:
        return (_EPOCH + timedelta(seconds=time_s)).strftime("%Y-%m-%d")
    except OverflowError:
        return f"day {int(time_s // _DAY_S) + 1}"


def length(span_s: float) -> str:
    """How long: ``40 s``, ``5 min 20 s``, ``1 h 5 min``, ``12 days``."""
    if span_s < 60:
        return f"{span_s:.3g} s"
    minutes, seconds = divmod(round(span_s), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    hours, rest = divmod(round(span_s / 60), 60)
    if hours < 48:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{hours / 24:.3g} days" if hours < 2400 else f"{hours // 24:,} days"


def several_days(timeline: Timeline) -> bool:
    """True if the page spans more than one day, so that times need one."""
    return (
        timeline.end_s - timeline.start_s > _DAY_S
        or timeline.start_s // _DAY_S != (timeline.end_s - 1e-3) // _DAY_S
    )


def time_axis(timeline: Timeline) -> str:
    """What the time axis counts: said on every page, since a zone left unsaid is read as the reader's own."""
    if timeline.clock == "day":
        return "hour of the day, counted from the start of the demand's first day"
    if several_days(timeline):
        return "time in UTC"
    return f"time in UTC, {date(timeline.start_s)}"


def span(timeline: Timeline) -> str:
    """From when to when, how long, in what steps."""
    dated = several_days(timeline)
    start = moment(timeline.start_s, timeline.clock, dated=dated)
    end_of_day = not dated and timeline.end_s % _DAY_S == 0
    end = "24:00" if end_of_day else moment(timeline.end_s, timeline.clock, dated=dated)
    step = length(timeline.step_s)
    return f"{start} to {end} ({length(timeline.end_s - timeline.start_s)} in steps of {step})"


def best(rows: Sequence[TableRow]) -> TableRow | None:
    """The row with the fewest GPU-hours of those never over capacity; None if there is no such row."""
    calm = [row for row in rows if row.minutes_over == 0 and not row.bound and math.isfinite(row.gpu_hours)]
    return min(calm, key=lambda row: row.gpu_hours, default=None)


def verdict(rows: Sequence[TableRow]) -> tuple[str, str, str]:
    """The one sentence on top: before, the policy's name, after; all empty where nothing compares."""
    runnable = [row for row in rows if not row.bound]
    if not runnable:
        return "", "", ""
    cheapest = best(rows)
    if cheapest is not None:
        others = f"among {len(runnable)} policies" if len(runnable) > 1 else "the only policy"
        return (
            "Never over capacity for the fewest GPU-hours: ",
            cheapest.policy,
            f", {count(cheapest.gpu_hours)} GPU-hours ({others}).",
        )
    ranked = [row for row in runnable if math.isfinite(row.requests_over)]
    if not ranked:
        return "", "", ""
    calmest = min(ranked, key=lambda row: (row.requests_over, row.gpu_hours))
    return (
        "Every policy was over capacity at some time; fewest requests over: ",
        calmest.policy,
        f", {count(calmest.requests_over)} requests in {count(calmest.minutes_over)} minutes.",
    )


def figure(timeline: Timeline, trace: Trace) -> str:
    """One chart in words."""
    parts = [
        f"Demand {_extent(timeline.demand)} {timeline.unit}",
        f"capacity ready {_extent(trace.ready)}",
        f"starting up to {_top(trace.starting)}",
        f"draining up to {_top(trace.draining)}",
    ]
    return f"{', '.join(parts)}. {over(timeline, trace)}"


def over(timeline: Timeline, trace: Trace) -> str:
    """The moments over capacity of one policy, the longest first where there are many."""
    moments = trace.over_s
    if len(moments) == 0:
        return "Never over capacity."
    spans = moments[:, 1] - moments[:, 0]
    shown = np.sort(np.argsort(-spans, kind="stable")[:_LISTED])
    dated = several_days(timeline)
    texts = []
    for first, last in moments[shown]:
        seconds = last - first < 120
        start = moment(first, timeline.clock, dated=dated, seconds=seconds)
        texts.append(f"{start} for {length(last - first)}")
    total = f"Over capacity {len(moments):,} times, {length(float(spans.sum()))} in all"
    if len(moments) == 1:
        return f"Over capacity once: {texts[0]}."
    if len(moments) > _LISTED:
        return f"{total}; the longest: {'; '.join(texts)}."
    return f"{total}: {'; '.join(texts)}."


def thinned(payloads: Sequence[Payload]) -> str:
    """What the charts of a page leave out; empty where they show every tick."""
    if all(payload.whole for payload in payloads):
        return ""
    drawn, ticks, policies, thinned_policies, joined = (
        sum(getattr(payload, what) for payload in payloads)
        for what in ("demand_points", "demand_ticks", "policies", "thinned_policies", "joined_moments")
    )
    said = []
    if drawn < ticks:
        said.append(f"demand is drawn from {drawn:,} of {ticks:,} points")
    if thinned_policies:
        said.append(f"the capacity of {thinned_policies} of {policies} policies without some of its changes")
    if joined:
        said.append(f"{joined:,} moments over capacity are joined with a neighbour")
    return (
        f"To keep this page small, {', '.join(said)}. Every peak, low and gap of each stretch and every "
        "moment over capacity is still in the charts, and the tables were counted from all ticks."
    )


def _extent(values: NDArray[np.float64]) -> str:
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return "not known"
    low, high = float(known.min()), float(known.max())
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _top(values: NDArray[np.float64]) -> str:
    known = values[np.isfinite(values)]
    return count(float(known.max())) if len(known) else NOT_KNOWN


def share(ratio: float) -> str:
    """A share of 0 to 1 in per cent: ``0.8 %``, ``99.9 %``, ``<0.01 %`` (never 0 or 100 for what is not)."""
    if not math.isfinite(ratio):
        return NOT_KNOWN
    if ratio == 0:
        return "0 %"
    if ratio < 0.00005:
        return "<0.01 %"
    if 0.99995 < ratio < 1:
        return ">99.99 %"
    # Beside 100 % it is the distance to it that counts.
    digits = max(0, 1 - math.floor(math.log10(min(ratio, 1 - ratio) * 100))) if 0 < ratio < 1 else 0
    rounded = f"{100 * ratio:.{min(digits, 2)}f}"
    return (rounded.rstrip("0").rstrip(".") if "." in rounded else rounded) + " %"
