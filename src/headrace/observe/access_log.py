"""Demand and durations from access logs: one row for each request, of one server or of many, in any order.

Rows are reduced where they are read (`request_groups`), to how many start and end in each step (`concurrency`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from headrace.durations import Durations
from headrace.errors import InputError
from headrace.observe import history_notes
from headrace.observe.column_names import DURATION, END, MOMENT, START
from headrace.observe.concurrency import Steps, edge_s, known_span, mean_running, missing_steps
from headrace.observe.database import Database, Progress, opened
from headrace.observe.history import require_step
from headrace.observe.request_columns import Given, requests_of
from headrace.observe.request_groups import BACKWARDS, OPEN, UNKNOWN, Added, Counted, RequestGroups
from headrace.observe.source_file import NoRows
from headrace.observe.sources import Paths, Sources, given_name, shares, sources
from headrace.observe.timestamps import duration_text, time_text
from headrace.past import Past
from headrace.series import Series, gaps

_READ_SHARE = 0.95


class Requests(NamedTuple):
    """What an access log says of the past."""

    slots: Series
    """Offered concurrency: requests that run (or wait in the server) at once, in the mean of each step."""
    arrivals: Series
    """Requests that start, per second."""
    durations: Durations
    zone: str
    """Zone of the log's times, the last one where its clocks change; "" if they are relative."""
    notes: tuple[str, ...]
    """Sentences for the user."""


def read_access_log(
    paths: Paths,
    *,
    time: str | None = None,
    duration: str | None = None,
    start: str | None = None,
    end: str | None = None,
    unit: str | None = None,
    step_s: float = 10.0,
    demand: Literal["slots", "requests/s"] = "slots",
    name: str = "",
    progress: Progress | None = None,
) -> Past:
    """The past of a model from its access logs; arguments and errors as for `read_requests`.

    Args:
        demand: Whether the past's demand is concurrency in slots or arrivals per second.
        name: The model's, for people; that of the files if "".
    """
    read = read_requests(
        paths, time=time, duration=duration, start=start, end=end, unit=unit, step_s=step_s, progress=progress
    )
    series = read.slots if demand == "slots" else read.arrivals
    return Past(name or given_name(paths), series, durations=read.durations, zone=read.zone, notes=read.notes)


def read_requests(
    paths: Paths,
    *,
    time: str | None = None,
    duration: str | None = None,
    start: str | None = None,
    end: str | None = None,
    unit: str | None = None,
    step_s: float = 10.0,
    progress: Progress | None = None,
) -> Requests:
    """Demand in slots and in requests/s, and durations, from access logs.

    Several files are added up, whether they follow each other or are of servers side by side.

    Args:
        paths: CSV, TSV, JSON lines (each also .gz, .zst) or Parquet: names, patterns, addresses (s3://…).
        time: Name of the one time column, at which requests ended.
        duration: Name of the duration column.
        start: Name of the column of starts.
        end: Name of the column of ends. Each is guessed if None; two of start, end and duration are needed.
        unit: Of durations, "s", "ms", "us" or "ns"; if None, by the column's name or its first values.
        step_s: Step of the demand, seconds; steps begin at its multiples.
        progress: Called with the finished share, 0 to 1, a few times a second.

    Raises:
        InputError: Anything wrong with a file, in one sentence with file, row and value.
        MissingExtra: DuckDB is not installed.
    """
    given = {MOMENT: time, DURATION: duration, START: start, END: end}
    found = sources(paths)
    require_step(found.shown, step_s)
    with opened("access logs", found.shown, progress) as database:
        groups = RequestGroups(database, step_s)
        zone, notes = _gathered(database, groups, found, given, unit)
        counted = groups.counted(found.shown)
        database.tell(1.0)
    slots, arrivals, span_notes = _series(counted.steps, counted.durations, zone)
    told = (*notes, *_kind_notes(counted), *span_notes)
    return Requests(
        slots, arrivals, counted.durations, zone, tuple(note for note in dict.fromkeys(told) if note)
    )


def _gathered(
    database: Database, groups: RequestGroups, found: Sources, given: Given, unit: str | None
) -> tuple[str, list[str]]:
    """Put every file's groups into the table; the zone of their times, and notes."""
    notes: list[str] = []
    empty: list[str] = []
    spans: list[Added] = []
    for source, begin, after in shares(found.files, 0.0, _READ_SHARE):
        try:
            with database.reading(source, begin, after) as linked:
                columns = requests_of(linked, given, unit)
                spans.append(groups.add(linked, columns))
        except NoRows as none:
            if len(found.files) == 1:
                raise
            empty.append(none.source)
            continue
        if bool(spans[-1].zone) != bool(spans[0].zone):
            raise InputError(
                source.shown,
                "its times are not of the kind of those of the other files: some are clock "
                "times, some count from a start",
            )
        notes += spans[-1].notes
    notes = [*dict.fromkeys(notes), history_notes.files_note(len(spans), empty), *found.notes]
    in_order = sorted(spans)
    if any(one.last_s > other.first_s for one, other in pairwise(in_order)):
        notes.append("The files overlap in time, as logs of servers side by side do: they are added up.")
    return max(spans, key=lambda span: span.last_s).zone, notes


def _series(steps: Steps, durations: Durations, zone: str) -> tuple[Series, Series, list[str]]:
    """Concurrency and arrivals where the log knows them, and notes."""
    running, arriving = mean_running(steps), steps.starts / steps.step_s
    edge = edge_s(durations)
    hole = missing_steps(steps, edge)
    running[hole], arriving[hole] = np.nan, np.nan
    begin, after = known_span(steps, edge)
    start_s = (steps.first + begin) * steps.step_s
    slots, arrivals = (
        Series(start_s, steps.step_s, values[begin:after], unit)
        for values, unit in ((running, "slots"), (arriving, "requests/s"))
    )
    notes = [_extent_note(slots, arrivals, zone)]
    if begin:
        notes.append(
            f"{duration_text(edge)} at either end of the log are left out, in which requests are missing that began "
            "before it or ended after it."
        )
    else:
        notes.append("The log is short: its first and last requests overlap others that it does not have.")
    holes = gaps(slots)
    if holes:
        notes.append(history_notes.gaps_note(holes, zone))
    return slots, arrivals, notes


def _extent_note(slots: Series, arrivals: Series, zone: str) -> str:
    return (
        f"{np.nanmean(slots.values):,.4g} slots in use in the mean, {np.nanmax(slots.values):,.4g} at most, at "
        f"{np.nanmean(arrivals.values):,.4g} requests/s, over {duration_text(slots.span_s)} from "
        f"{time_text(slots.start_s, zone)}, in steps of {duration_text(slots.step_s)}."
    )


def _kind_notes(counted: Counted) -> list[str]:
    """What the rows are: requests, and what was left out."""
    durations, rows = counted.durations, counted.rows
    mean, longest = duration_text(durations.total_s / durations.count), duration_text(durations.longest_s)
    notes = [f"{durations.count:,} requests, {mean} in the mean, the longest {longest}."]
    for kind, words in ((UNKNOWN, "without a duration"), (BACKWARDS, "whose end is before its start")):
        if count := rows.get(kind, 0):
            notes.append(f"{count:,} {'row' if count == 1 else 'rows'} {words} left out.")
    if zero := int(durations.counts[0]):
        notes.append(f"{zero:,} of them took no time at all.")
    if without_end := rows.get(OPEN, 0):
        still, lost = counted.still_running, without_end - counted.still_running
        parts = [f"{still:,} run still when the log ends, and are counted"] * bool(still)
        parts += [f"the end of {lost:,} is lost, and they are left out"] * bool(lost)
        notes.append(f"Requests without an end: {'; '.join(parts)}.")
    return notes
