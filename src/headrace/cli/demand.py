"""The demand that is simulated: from a file or an example, at the step of the simulation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.cli.progress import bar
from headrace.cli.wanted import DAY_S, Wanted
from headrace.errors import InputError
from headrace.series import Series, between, resampled
from headrace.simulate import texture
from headrace.units import duration_text

TICK_S = 10.0
EXAMPLE_DAYS = 14
"""Of llm-week unless said: one week to learn from, one to judge."""
DIP_STEP_S = 60.0
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
    ticks = series.span_s / tick_s
    if ticks > MOST_TICKS:
        raise InputError(
            "--tick",
            f"{duration_text(tick_s)} makes {ticks:,.0f} ticks of {series.span_s / DAY_S:,.0f} days; allowed are "
            f"{MOST_TICKS:,}: give a longer tick, or fewer --days",
        )
    if np.isnan(series.values).all():
        raise InputError(read.name, f"no value is known in the first {asked.days} days")
    series, dips_note = (series, "") if asked.keep_dips else _without_dips(series)
    ticked, note = _at_ticks(series, tick_s, asked)
    known, start_note = _from_first_value(ticked)
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


def _from_first_value(series: Series) -> tuple[Series, str]:
    """The series without the gap that it begins with, from which nothing can be learned or judged, and a note."""
    empty = int(np.argmin(np.isnan(series.values)))
    if not empty:
        return series, ""
    empty_s = empty * series.step_s
    note = f"The first {duration_text(empty_s)} have no value: the history is taken to begin after them."
    return between(series, series.start_s + empty_s, series.start_s + series.span_s), note


def _without_dips(series: Series) -> tuple[Series, str]:
    """The series without values that say that nothing was collected, and a note on them.

    Below a minute a step may well be empty by chance.
    """
    if series.step_s < DIP_STEP_S:
        return series, ""
    holes = texture.collection_holes(series)
    count = int(np.count_nonzero(holes))
    if not count:
        return series, ""
    values = (
        "1 value below 5 % of what is around it is"
        if count == 1
        else f"{count:,} values below 5 % of what is around them are"
    )
    note = f"{values} taken for holes in the collection, and simulated around (--keep-dips takes them for demand)."
    return texture.with_holes(series, holes), note


def _at_ticks(series: Series, tick_s: float, asked: Wanted) -> tuple[Series, str]:
    """The series at ticks, and what was put between its values."""
    if series.step_s <= tick_s * (1.0 + 1e-6):
        return resampled(series, tick_s), ""
    step = duration_text(series.step_s)
    if asked.between == "rough":
        finer = texture.refined(series, tick_s, asked.seed)
        return finer, (
            f"Between its values, {step} apart, demand is drawn as rough as it is at that step "
            f"(--between rough, seed {asked.seed})."
        )
    if asked.between == "line":
        return resampled(series, tick_s, "line"), (
            f"Between its values, {step} apart, demand runs straight: all policies look better than they are "
            "(--between rough does not do that)."
        )
    return resampled(
        series, tick_s, "hold"
    ), f"Each value is held for {step}, then demand jumps (--between hold)."
