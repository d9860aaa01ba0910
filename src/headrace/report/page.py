"""The HTML of the page that compares policies: a table, and a chart for each of them."""

from __future__ import annotations

import math

from headrace.report import captions, over_time
from headrace.report.cells import figure_cell
from headrace.report.chart import Chart, TableRow
from headrace.report.payload import payload
from headrace.report.standalone import footer, header, name, page_of, text

_COLUMNS = (
    ("minutes over", "Minutes in which demand was above ready capacity"),
    ("requests over", "Requests that arrived beyond ready capacity"),
    ("GPU-hours", "Accelerator hours paid, starting and draining replicas included"),
    ("events per hour", "Scaling events per hour"),
)


def page_html(chart: Chart) -> str:
    """The whole page as text, to be encoded as UTF-8.

    Everything of the user's (title, subtitle, names, unit) is escaped and kept in its own writing direction.
    """
    numbers = payload(chart)
    body = "\n".join(
        (
            '<a class="skip" href="#charts">Skip to the charts</a>',
            header(chart.title, chart.subtitle),
            "<main>",
            _comparison(chart),
            _charts(chart),
            "</main>",
            footer("headrace simulate", [captions.thinned([numbers])]),
        )
    )
    return page_of(
        chart.title,
        body,
        numbers.text,
        styles=["page.css"],
        scripts=["time_charts.js", "sortable.js", "page.js"],
    )


def _comparison(chart: Chart) -> str:
    before, policy, after = captions.verdict(chart.rows)
    said = f"{text(before)}<strong>{name(policy)}</strong>{text(after)}"
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
        '<div class="wide" role="region" aria-labelledby="compare" tabindex="0">'
        '<table id="policies" class="figures">'
        '<thead><tr><th scope="col"><button type="button" data-column="0">policy</button></th>'
        f"{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div></section>"
    )


def _row(row: TableRow, most: float, place: int | None, best: bool) -> str:
    label = name(row.policy)
    if place is not None:
        label = f'<a href="#policy-{place}">{label}</a>'
    if best:
        label += ' <span class="tag">fewest GPU-hours never over</span>'
    if row.bound:
        label += ' <span class="tag plain">bound</span>'
    cells = "".join(
        (
            figure_cell(row.minutes_over, over=True),
            figure_cell(row.requests_over, over=True),
            figure_cell(row.gpu_hours, most=most),
            figure_cell(row.events_per_hour),
        )
    )
    kind = ' class="best"' if best else ' class="bound"' if row.bound else ""
    return f'<tr{kind}><th scope="row">{label}</th>{cells}</tr>'


def _charts(chart: Chart) -> str:
    figures = "\n".join(over_time.policy_figure(chart, place, level=3) for place in range(len(chart.traces)))
    return (
        '<section id="charts" aria-labelledby="over-time" data-timeline="0">'
        '<h2 id="over-time">Demand and capacity over time</h2>'
        f"{over_time.axes(chart)}{over_time.tools(chart)}{over_time.HINT}{over_time.NO_SCRIPT}"
        f'<div class="grid">\n{figures}\n</div></section>'
    )
