"""The start-up waterfall: a table whose last column is a bar on one common axis of time."""

from __future__ import annotations

from itertools import accumulate, takewhile

from headrace.report.captions import length
from headrace.report.drawings import plane
from headrace.report.figures import PhaseTimes, StartupChart
from headrace.report.standalone import name


def table(chart: StartupChart, key: str) -> str:
    """The HTML: words and figures are the table's, so the bars need no text of their own.

    Args:
        chart: What to draw.
        key: Of the heading that names the table.
    """
    end_s = _end_s(chart)
    medians = [0.0, *accumulate(phase.median_s for phase in chart.phases)]
    p90s = [0.0, *accumulate(phase.p90_s for phase in chart.phases)]
    rows = [
        _row(
            name(phase.name),
            length(phase.median_s),
            length(phase.p90_s),
            _bar(medians[place], phase.median_s, end_s, 3, "usual")
            + _bar(p90s[place], phase.p90_s, end_s, 11, "slow"),
        )
        for place, phase in enumerate(chart.phases)
    ]
    whole = _bar(0, chart.median_s, end_s, 3, "usual whole") + _bar(0, chart.p90_s, end_s, 11, "slow whole")
    rows.append(
        _row("<strong>ready after</strong>", length(chart.median_s), length(chart.p90_s), whole, "sum")
    )
    rows += _probes(chart, end_s)
    return (
        f'<table class="waterfall" aria-labelledby="{key}"><thead><tr><th scope="col">phase</th>'
        '<th scope="col">median</th><th scope="col">p90</th><th scope="col" class="time">time from the order</th>'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def container_from_s(chart: StartupChart) -> float:
    """When the container starts in a slow start, and the clock of the startup probe with it."""
    return sum(phase.p90_s for phase in _before(chart))


def in_container_s(chart: StartupChart) -> float:
    """What a slow start takes from then on."""
    return chart.p90_s - container_from_s(chart)


def _before(chart: StartupChart) -> list[PhaseTimes]:
    return list(takewhile(lambda phase: not phase.in_container, chart.phases))


def _end_s(chart: StartupChart) -> float:
    budgets = [budget for budget in (chart.probe_s, chart.today_probe_s) if budget is not None]
    return max(chart.p90_s, *(container_from_s(chart) + budget for budget in budgets), 1.0)


def _probes(chart: StartupChart, end_s: float) -> list[str]:
    rows = []
    for label, budget_s, kind in (
        ("startup probe, today", chart.today_probe_s, "probe today"),
        ("startup probe, proposed", chart.probe_s, "probe"),
    ):
        if budget_s is not None:
            bar = _bar(container_from_s(chart), budget_s, end_s, 6, kind)
            rows.append(_row(label, "", length(budget_s), bar, "budget"))
    return rows


def _row(label: str, median: str, p90: str, bars: str, kind: str = "") -> str:
    shown = f' class="{kind}"' if kind else ""
    return (
        f'<tr{shown}><th scope="row">{label}</th><td>{median}</td><td>{p90}</td>'
        f'<td class="time"><svg width="100%" height="20" aria-hidden="true">{bars}</svg></td></tr>'
    )


def _bar(from_s: float, length_s: float, end_s: float, top: int, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{plane.percent(from_s / end_s)}" width="{plane.percent(length_s / end_s)}" '
        f'y="{top}" height="7"></rect>'
    )
