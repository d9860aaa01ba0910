"""How long requests took, from files: a hundred million rows reduced to counts by whole second in bounded memory."""

from __future__ import annotations

import os

import numpy as np

from headrace import durations as noun
from headrace.durations import LONGEST_S, Durations
from headrace.errors import InputError
from headrace.observe import history_notes
from headrace.observe.column_names import DURATION, END, START
from headrace.observe.database import Database, LinkedFile, Progress, opened
from headrace.observe.request_columns import Given, durations_of
from headrace.observe.source_file import NoRows
from headrace.observe.sources import Paths, shares, sources
from headrace.observe.timestamps import duration_text

_MOST_THREADS = {"parquet": 16, "csv": 4, "json": 4}
"""Each holds its own part of a file in memory; of text that is 32 MB, of which 16 did not fit."""
_UNKNOWN, _WRONG, _BACKWARDS = -1, -2, -3
"""Places of rows that have no duration, can't be read, or end before they start."""


def read_durations(
    paths: Paths,
    *,
    duration: str | None = None,
    start: str | None = None,
    end: str | None = None,
    unit: str | None = None,
    progress: Progress | None = None,
) -> tuple[Durations, tuple[str, ...]]:
    """Request durations, and sentences for the user on how they were read.

    The order of rows does not matter, so all cores read. Sums are compensated (Kahan): within 1e-12 of exact.

    Args:
        paths: CSV, TSV, JSON lines (each also .gz, .zst) or Parquet: names, patterns, addresses (s3://…).
        duration: Name of the duration column; guessed if None. Where there is none, start and end are looked for.
        start: Name of the start column.
        end: Name of the end column.
        unit: "s", "ms", "us" or "ns"; if None, as the column's name says, else by its first values, with a note.
        progress: Called with the finished share, 0 to 1, a few times a second.

    Raises:
        InputError: Anything wrong with a file, in one sentence with file, row and value.
        MissingExtra: DuckDB is not installed.
    """
    given = {DURATION: duration, START: start, END: end}
    found = sources(paths)
    total, count = noun.durations(np.empty(0)), 0
    notes: list[str] = []
    empty: list[str] = []
    left_out: dict[int, int] = {}
    with opened("request durations", found.shown, progress) as database:
        for source, begin, finish in shares(found.files, 0.0, 1.0):
            try:
                with database.reading(source, begin, finish) as linked:
                    read, said = _reduced(database, linked, given, unit, left_out)
            except NoRows as none:
                if len(found.files) == 1:
                    raise
                empty.append(none.source)
                continue
            total, count = noun.added(total, read), count + 1
            notes += said
    if total.count < 2:
        raise InputError(found.shown, f"there is {total.count or 'no'} duration; at least 2 are needed")
    files_note = history_notes.files_note(count, empty)
    told = (*dict.fromkeys(notes), files_note, *found.notes, *_left_out_notes(left_out), _extent_note(total))
    return total, tuple(note for note in told if note)


def use_all_threads(linked: LinkedFile) -> None:
    """As many threads as there are cores for this process, and memory for, to reduce a file."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    linked.database.use_threads(min(cores, _MOST_THREADS[linked.file.kind]))


def durations_from(
    places: np.ndarray, counts: np.ndarray, sums: np.ndarray, longest: np.ndarray
) -> Durations:
    """Durations from what a query grouped by place; places below 0 are left out."""
    size = LONGEST_S + 2
    good = places >= 0
    at = places[good].astype(np.int64)
    return Durations(
        np.bincount(at, weights=counts[good], minlength=size).astype(np.int64),
        np.bincount(at, weights=sums[good], minlength=size).astype(np.float64),
        float(np.max(longest[good], initial=0.0)),
    )


PLACE_SQL = f"least(ceil(d), {LONGEST_S + 1})::INTEGER"
"""The place of a duration in `Durations.counts`."""


def _reduced(
    database: Database, linked: LinkedFile, given: Given, unit: str | None, left_out: dict[int, int]
) -> tuple[Durations, tuple[str, ...]]:
    """The durations of one file; counts what has none in `left_out`."""
    columns = durations_of(linked, given, unit)
    use_all_threads(linked)
    groups = database.arrays(
        f"""SELECT place, count(*) AS n, fsum(d) AS total, max(d) AS longest, bool_or(changed) AS changed FROM (
                SELECT d, changed, CASE WHEN fault <> 0 THEN {_WRONG} WHEN d IS NULL OR isnan(d) THEN {_UNKNOWN}
                    WHEN d < 0 THEN {_BACKWARDS} ELSE {PLACE_SQL} END AS place FROM ({columns.sql}))
            GROUP BY place""",
        [linked.link],
        linked.begin,
        linked.end,
    )
    places, counts, sums, longest = (
        np.ma.filled(groups[name], 0) for name in ("place", "n", "total", "longest")
    )
    if (places == _WRONG).any():
        wrong = columns.first_fault(linked)
        assert wrong is not None
        raise wrong
    for place in (_UNKNOWN, _BACKWARDS):
        left_out[place] = left_out.get(place, 0) + int(counts[places == place].sum())
    notes = columns.notes
    if np.ma.filled(groups["changed"], False).any():
        notes += columns.clock_changes(linked).notes
    return durations_from(places, counts, sums, longest), notes


def _left_out_notes(left_out: dict[int, int]) -> list[str]:
    words = {_UNKNOWN: "without a duration", _BACKWARDS: "whose end is before its start"}
    return [
        f"{count:,} {'row' if count == 1 else 'rows'} {words[place]} left out."
        for place, count in left_out.items()
        if count
    ]


def _extent_note(total: Durations) -> str:
    mean, longest = duration_text(total.total_s / total.count), duration_text(total.longest_s)
    note = f"{total.count:,} durations, {mean} in the mean, the longest {longest}."
    if total.counts[-1] * 2 > total.count:
        note += " Half of them take over an hour: is the unit right (--duration-unit)?"
    return note
