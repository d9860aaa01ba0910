"""The demand that is simulated: from a file or an example, at the step of the simulation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.cli.progress import bar
from headrace.cli.texts import DAY_S
from headrace.cli.wanted import Wanted
from headrace.errors import InputError
from headrace.series import Series, between
from headrace.simulate import ticks
from headrace.units import duration_text

TICK_S = 10.0
EXAMPLE_DAYS = 14
"""Of llm-week unless said: one week to learn from, one to judge."""
MOST_TICKS = 20_000_000
"""Six years of 10-s ticks; some twenty arrays of this length are held at once."""


class Demand(NamedTuple):
    """A demand history, ready for the simulation."""

    name: str
    series: Series
    """At ticks."""
    zone: str
    """Zone of its times; "": they count from a midnight of no known date."""
    notes: tuple[str, ...]


def demand(asked: Wanted) -> Demand:
    """The history that is asked for.

    Raises:
        InputError: The file can't be used, or is too long for the tick.
        MissingExtra: What reads files is not installed.
    """
    tick_s = asked.tick_s or TICK_S
    read = _example(asked) if asked.file is None else _file(asked, tick_s)
    series = read.series
    if asked.days is not None:
        series = between(series, series.start_s, series.start_s + asked.days * DAY_S)
    count = series.span_s / tick_s
    if count > MOST_TICKS:
        raise InputError(
            "--tick",
            f"{duration_text(tick_s)} makes {count:,.0f} ticks of {series.span_s / DAY_S:,.0f} days; allowed are "
            f"{MOST_TICKS:,}: give a longer tick, or fewer --days",
        )
    if np.isnan(series.values).all():
        raise InputError(read.name, f"no value is known in the first {asked.days} days")
    series, dips_note = (series, "") if asked.keep_dips else ticks.without_dips(series)
    ticked, note = ticks.at_ticks(series, tick_s, asked.between, asked.seed)
    known, start_note = ticks.from_first_value(ticked)
    told = (said for said in (dips_note, note, start_note) if said)
    return Demand(read.name, known, read.zone, (*read.notes, *told))


def _example(asked: Wanted) -> Demand:
    from headrace.simulate import llm_week

    days = asked.days or EXAMPLE_DAYS
    series = llm_week.demand(asked.seed, days)
    note = f"Generated: {days} days of LLM traffic, seed {asked.seed} (--seed draws others)."
    return Demand("llm-week", series, "", (note,))


def _file(asked: Wanted, tick_s: float) -> Demand:
    from headrace.observe.history import read_demand

    assert asked.file is not None
    with bar(f"Reading {asked.file.name}", hidden=asked.quiet) as tell:
        history = read_demand(
            asked.file, time=asked.time_column, value=asked.value_column, step_s=tick_s, progress=tell
        )
    return Demand(str(asked.file), history.series, history.zone, history.notes)
