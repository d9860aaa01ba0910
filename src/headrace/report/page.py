"""The HTML of a page: one file that opens from disk and asks the network for nothing.

The policy in its head (CSP) allows exactly the style sheet and the two scripts that stand in it, by their
hashes, so that no name in a demand history can become code even if an escape were missed.
"""

from __future__ import annotations

import base64
import hashlib
import html
import math
import re
from functools import cache
from importlib import resources

from headrace.report import captions
from headrace.report.chart import Chart, TableRow, Trace
from headrace.report.payload import Payload, payload

_COLUMNS = (
    ("minutes over", "Minutes in which demand was above ready capacity"),
    ("requests over", "Requests that arrived beyond ready capacity"),
    ("GPU-hours", "Accelerator hours paid, starting and draining replicas included"),
    ("events per hour", "Scaling events per hour"),
)
# Control characters have no glyph; some of them (NUL, form feed) are not even allowed in HTML text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def page_html(chart: Chart) -> str:
    """The whole page as text, to be encoded as UTF-8.

    Everything of the user's (title, subtitle, names, unit) is escaped and kept in its own writing direction.
    """
    numbers = payload(chart)
    style = _asset("uPlot.min.css") + "\n" + _asset("page.css")
    scripts = [_uplot_script(), _asset("page.js")]
    parts = [
        _head(chart.title, style, scripts),
        "<body>",
        '<a class="skip" href="#charts">Skip to the charts</a>',
        _header(chart),
        "<main>",
        _comparison(chart),
        _charts(chart),
        "</main>",
        _footer(chart, numbers),
        f'<script type="application/json" id="chart-data">{numbers.text}</script>',
        *(f"<script>{script}</script>" for script in scripts),
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(parts)


def _head(title: str, style: str, scripts: list[str]) -> str:
    allowed = " ".join(_source_hash(script) for script in scripts)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src {_source_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="generator" content="headrace">',
            f"<title>{_text(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
        )
    )


def _header(chart: Chart) -> str:
    lines = "".join(f'<p class="subtitle" dir="auto">{_text(line)}</p>' for line in chart.subtitle)
    return f'<header><h1 dir="auto">{_text(chart.title)}</h1>{lines}</header>'


def _comparison(chart: Chart) -> str:
    before, name, after = captions.verdict(chart.rows)
    said = f"{_text(before)}<strong>{_name(name)}</strong>{_text(after)}"
    verdict = f'<p class="verdict">{said}</p>' if before else ""
    heads = "".join(
        f'<th scope="col" title="{why}"><button type="button" data-column="{place}">{label}</button></th>'
        for place, (label, why) in enumerate(_COLUMNS, start=1)
    )
    most = max((row.gpu_hours for row in chart.rows if math.isfinite(row.gpu_hours)), default=0.0)
    places = {trace.policy: place for place, trace in reversed(list(enumerate(chart.traces)))}
    best = captions.best(chart.rows)
    rows = "\n".join(_row(row, most, places.get(row.policy), row is best) for row in chart.rows)
    return (
        '<section aria-labelledby="compare"><h2 id="compare">Policies side by side</h2>'
        f"{verdict}"
        '<div class="wide" role="region" aria-labelledby="compare" tabindex="0"><table id="policies">'
        '<thead><tr><th scope="col"><button type="button" data-column="0">policy</button></th>'
        f"{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div></section>"
    )


def _row(row: TableRow, most: float, place: int | None, best: bool) -> str:
    name = _name(row.policy)
    if place is not None:
        name = f'<a href="#policy-{place}">{name}</a>'
    if best:
        name += ' <span class="tag">fewest GPU-hours never over</span>'
    if row.bound:
        name += ' <span class="tag plain">bound</span>'
    cells = "".join(
        (
            _cell(row.minutes_over, "none" if row.minutes_over == 0 else "some"),
            _cell(row.requests_over, "none" if row.requests_over == 0 else "some"),
            _cell(row.gpu_hours, "", _bar(row.gpu_hours / most) if most > 0 else ""),
            _cell(row.events_per_hour, ""),
        )
    )
    kind = ' class="best"' if best else ' class="bound"' if row.bound else ""
    return f'<tr{kind}><th scope="row">{name}</th>{cells}</tr>'


def _cell(value: float, kind: str, extra: str = "") -> str:
    known = math.isfinite(value)
    sort = f' data-value="{value!r}"' if known else ""
    shown = f' class="{kind}"' if kind and known else ""
    return f"<td{sort}{shown}>{captions.count(value)}{extra}</td>"


def _bar(share: float) -> str:
    if not math.isfinite(share):
        return ""
    width = f"{100 * min(1.0, max(0.0, share)):.1f}%"
    return f'<svg class="bar" aria-hidden="true"><rect width="{width}" height="100%"></rect></svg>'


def _charts(chart: Chart) -> str:
    figures = "\n".join(_figure(chart, trace, place) for place, trace in enumerate(chart.traces))
    kinds = [("demand", "demand"), ("ready", "capacity ready")]
    kinds += [("starting", "starting"), ("draining", "draining")]
    if any(len(trace.over_s) for trace in chart.traces):
        kinds.append(("over", "over capacity"))
    if chart.has_gaps:
        kinds.append(("gap", "demand not known"))
    legend = "".join(
        f'<li><span class="swatch {kind}" aria-hidden="true"></span>{label}</li>' for kind, label in kinds
    )
    tools = "".join(
        f'<button type="button" data-do="{do}" aria-label="{label}" title="{label}">{sign}</button>'
        for do, label, sign in (
            ("earlier", "Earlier", "←"),
            ("later", "Later", "→"),
            ("in", "Zoom in", "+"),
            ("out", "Zoom out", "−"),
            ("all", "Show the whole time", "all"),
        )
    )
    return (
        '<section id="charts" aria-labelledby="over-time">'
        '<h2 id="over-time">Demand and capacity over time</h2>'
        f'<p class="axes">Horizontal: {_text(captions.time_axis(chart))}; {_text(captions.span(chart))}. '
        f"Vertical: {_text(chart.unit)}.</p>"
        f'<div class="tools"><ul class="legend">{legend}</ul>'
        '<div class="zoom" role="group" aria-label="Time shown">'
        f'<output id="shown"></output>{tools}'
        '<label><input type="checkbox" id="same-scale" checked> one scale for all</label></div></div>'
        '<p class="hint">Drag across a chart to zoom into that time in all of them; double-click, or press '
        "0, to see the whole.</p>"
        "<noscript><p>The charts are drawn by a script in this page, which is switched off here. "
        "The table and the words below each name hold without it.</p></noscript>"
        f'<div class="grid">\n{figures}\n</div></section>'
    )


def _figure(chart: Chart, trace: Trace, place: int) -> str:
    label = f'aria-labelledby="policy-{place}-name" aria-describedby="policy-{place}-words"'
    jump = ""
    if len(trace.over_s):
        jump = f'<button type="button" class="jump" data-policy="{place}">next moment over</button>'
    words = _text(captions.figure(chart, trace))
    return (
        f'<figure id="policy-{place}">'
        f'<div class="name"><h3 id="policy-{place}-name">{_name(trace.policy)}</h3>{jump}</div>'
        f'<div class="plot" data-policy="{place}" tabindex="0" role="img" {label}></div>'
        f'<figcaption><span class="words" id="policy-{place}-words">{words}</span>'
        '<span class="now" aria-hidden="true"></span></figcaption></figure>'
    )


def _footer(chart: Chart, numbers: Payload) -> str:
    thinned = captions.thinned(chart, numbers)
    note = f'<p class="thinned">{_text(thinned)}</p>' if thinned else ""
    return (
        f"<footer>{note}<p>Written by headrace simulate. This page is one file and loads nothing.</p>"
        "<details><summary>Licence of the chart library in this page (uPlot)</summary>"
        f"<pre>{_text(_asset('uPlot.LICENSE'))}</pre></details></footer>"
    )


def _uplot_script() -> str:
    """The vendored library, its banner put in our words: the address there would be the only one in the page.

    The licence, which the banner of the original does not carry either, stands whole at the foot of the page.
    """
    banner, library = _asset("uPlot.iife.min.js").split("\n", 1)
    version = re.search(r"v[0-9.]+", banner)
    assert version is not None
    return f"/*! uPlot {version[0]}, MIT licence: see the foot of this page */\n{library}"


def _name(name: str) -> str:
    """A policy's name; isolated, so that a right-to-left override in it ends with it."""
    return f"<bdi>{_text(name)}</bdi>" if name.strip() else "<bdi>(no name)</bdi>"


def _text(text: str) -> str:
    return html.escape(_CONTROLS.sub("\ufffd", text), quote=True)


def _source_hash(source: str) -> str:
    digest = hashlib.sha256(source.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@cache
def _asset(name: str) -> str:
    return (resources.files("headrace.report") / "assets" / name).read_text("utf-8")
