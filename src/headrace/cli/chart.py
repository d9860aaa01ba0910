"""The page of ``--chart``: what each policy had at every tick."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from headrace.cli.wanted import Wanted
from headrace.report.chart import Chart, TableRow, Trace, moments_over
from headrace.report.write import write_page
from headrace.series import Series
from headrace.simulate.fluid import Floats
from headrace.simulate.score import Score

Traced: TypeAlias = tuple[str, Floats]
"""A policy's name and its replicas: ready, starting, draining, shape [3, ticks]."""


class Page(NamedTuple):
    """The words of a page."""

    name: str
    unit: str
    zone: str
    """"": times count from a midnight of no known date."""
    sentences: Sequence[str]


def write(
    asked: Wanted,
    page: Page,
    demand: Series,
    per_replica: float,
    scores: Sequence[Score],
    traced: Iterable[Traced],
) -> None:
    """Draw the traces and put the page where ``--chart`` says; say so.

    Raises:
        InputError: It can't be written there.
    """
    assert asked.chart is not None
    times_s: Floats = demand.start_s + np.arange(len(demand), dtype=np.float64) * demand.step_s
    traces = []
    for name, replicas in traced:
        ready, starting, draining = replicas * per_replica
        over_s = moments_over(times_s, demand.step_s, demand.values, ready)
        traces.append(Trace(name, ready, starting, draining, over_s))
    write_page(
        asked.chart,
        Chart(
            title=f"headrace simulate: {page.name}",
            subtitle=list(page.sentences),
            rows=[_table_row(score) for score in scores],
            times_s=times_s,
            step_s=demand.step_s,
            clock="utc" if page.zone else "day",
            demand=demand.values,
            unit=page.unit or "demand",
            traces=traces,
        ),
    )
    if not asked.quiet:
        print(f"Wrote {asked.chart}", file=sys.stderr)


def _table_row(score: Score) -> TableRow:
    return TableRow(
        score.policy,
        score.minutes_over,
        score.requests_over,
        score.gpu_hours,
        score.events_per_hour,
        bound=score.is_bound,
    )
