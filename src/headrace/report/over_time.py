"""The charts over time as HTML: legend, tools and one figure for each policy. A script draws into the figures."""

from __future__ import annotations

from headrace.report import captions
from headrace.report.chart import Timeline
from headrace.report.standalone import name, sentence, text

NO_SCRIPT = (
    "<noscript><p>The charts over time are drawn by a script in this page, which is switched off here. "
    "The tables and the words below each name hold without it.</p></noscript>"
)
HINT = (
    '<p class="hint">Drag across a chart to zoom into that time in all of them; double-click, or press '
    "0, to see the whole.</p>"
)
_DEEDS = (
    ("earlier", "Earlier", "←"),
    ("later", "Later", "→"),
    ("in", "Zoom in", "+"),
    ("out", "Zoom out", "−"),
    ("all", "Show the whole time", "all"),
)


def axes(timeline: Timeline) -> str:
    """What the axes count, and from when to when."""
    return (
        f'<p class="axes">Horizontal: {text(captions.time_axis(timeline))}; {text(captions.span(timeline))}. '
        f"Vertical: {text(timeline.unit)}.</p>"
    )


def tools(timeline: Timeline, *, forecast: bool = False) -> str:
    """Legend and the buttons that move through time."""
    kinds = [("demand", "demand")]
    if forecast:
        kinds += [("expected", "expected"), ("band", "up to the upper quantile")]
    if timeline.traces:
        kinds += [("ready", "capacity ready"), ("starting", "starting"), ("draining", "draining")]
    if any(len(trace.over_s) for trace in timeline.traces):
        kinds.append(("over", "over capacity"))
    if timeline.has_gaps:
        kinds.append(("gap", "demand not known"))
    legend = "".join(
        f'<li><span class="swatch {kind}" aria-hidden="true"></span>{label}</li>' for kind, label in kinds
    )
    buttons = "".join(
        f'<button type="button" data-do="{do}" aria-label="{label}" title="{label}">{sign}</button>'
        for do, label, sign in _DEEDS
    )
    return (
        f'<div class="tools"><ul class="legend">{legend}</ul>'
        '<div class="zoom" role="group" aria-label="Time shown">'
        f'<output class="shown"></output>{buttons}'
        '<label><input type="checkbox" class="same-scale" checked> one scale for all</label></div></div>'
    )


def policy_figure(
    timeline: Timeline, place: int, *, level: int, prefix: str = "", before: str = "", said: str = ""
) -> str:
    """The figure of one policy.

    Args:
        timeline: Of the charts.
        place: Of the policy's trace among them.
        level: Of its heading, 2 to 6.
        prefix: Of its ids, where a page has several timelines.
        before: What its heading says before the policy's name.
        said: HTML below the words.
    """
    trace = timeline.traces[place]
    jump = ""
    if len(trace.over_s):
        jump = f'<button type="button" class="jump" data-policy="{place}">next moment over</button>'
    return _figure(
        f"{prefix}policy-{place}",
        f'data-policy="{place}"',
        (level, text(before) + name(trace.policy), jump),
        captions.figure(timeline, trace),
        said,
    )


def forecast_figure(words: str, *, level: int, prefix: str = "", said: str = "") -> str:
    """The figure of the forecast; arguments as for `policy_figure`, `words` say what it shows."""
    heading = (level, "Demand and what was forecast", "")
    return _figure(f"{prefix}forecast", "data-forecast", heading, words, said)


def _figure(key: str, data: str, heading: tuple[int, str, str], words: str, said: str) -> str:
    level, title, beside = heading
    label = f'aria-labelledby="{key}-name" aria-describedby="{key}-words"'
    return (
        f'<figure id="{key}">'
        f'<div class="name"><h{level} id="{key}-name">{title}</h{level}>{beside}</div>'
        f'<div class="plot" {data} tabindex="0" role="img" {label}></div>'
        f'<figcaption><span class="words" id="{key}-words">{sentence(words)}</span>'
        f'<span class="now" aria-hidden="true"></span></figcaption>{said}</figure>'
    )
