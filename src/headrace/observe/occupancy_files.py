"""Samples of running and waiting requests from files: one row for each moment, or one for each replica at each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from headrace.errors import InputError
from headrace.observe import history_notes
from headrace.observe.cells import Cell, NumberCell, TimeCell, first_fault, judged_sql
from headrace.observe.clock_changes import changed_sql, clock_changes
from headrace.observe.column_names import KV_USAGE, MOMENT, REPLICAS, RUNNING, WAITING, Role
from headrace.observe.database import Database, LinkedFile, Progress, opened
from headrace.observe.duration_files import use_all_threads
from headrace.observe.gauge import counter_sentence, is_counter
from headrace.observe.roles import columns_of, guesses_note
from headrace.observe.source_file import NoRows
from headrace.observe.sources import Paths, Sources, shares, sources
from headrace.observe.table import NUMBER_KINDS, required_kind, table, time_column
from headrace.observe.timestamps import duration_text
from headrace.occupancy import Occupancy

MOST_MOMENTS = 8_000_000
"""A year at 4 s; six numbers of each are held at once (384 MB)."""
_READ_SHARE = 0.9
_KNOWN_SQL = "running IS NOT NULL AND waiting IS NOT NULL AND NOT isnan(running) AND NOT isnan(waiting)"
_ANSWERED_SQL = " AND replicas >= 1 AND NOT isnan(replicas)"


def read_occupancy(
    paths: Paths,
    *,
    time: str | None = None,
    running: str | None = None,
    waiting: str | None = None,
    replicas: str | None = None,
    kv_usage: str | None = None,
    progress: Progress | None = None,
) -> tuple[Occupancy, tuple[str, ...]]:
    """Samples of what runs and waits per replica, and sentences for the user on how they were read.

    Rows may be in any order. Rows at the same time are of several replicas: the sample is their mean, and their
    number that of the replicas. With a column of replicas a row holds sums over them, and is divided.

    Args:
        paths: CSV, TSV, JSON lines (each also .gz, .zst) or Parquet: names, patterns, addresses (s3://…).
        time: Name of the time column.
        running: Name of the column of running requests.
        waiting: Name of the column of waiting requests.
        replicas: Name of the column of replicas.
        kv_usage: Name of the column with the share of the KV cache in use, 0 to 1 (or 0 to 100: %). Each is guessed if
            None; the last two may be missing.
        progress: Called with the finished share, 0 to 1, a few times a second.

    Raises:
        InputError: Anything wrong with a file, in one sentence with file, row and value; a counter for a gauge.
        MissingExtra: DuckDB is not installed.
    """
    given = {MOMENT: time, RUNNING: running, WAITING: waiting, REPLICAS: replicas, KV_USAGE: kv_usage}
    found = sources(paths)
    with opened("occupancy samples", found.shown, progress) as database:
        database.run(
            "CREATE TABLE samples (t DOUBLE, running DOUBLE, waiting DOUBLE, replicas DOUBLE, kv DOUBLE, "
            "fault UTINYINT, file INTEGER, changed BOOLEAN)"
        )
        columns, notes = _gathered(database, found, given)
        occupancy, rows = _moments(database, found.shown, REPLICAS in columns)
        occupancy, said = _with_shares(occupancy)
        database.tell(1.0)
    for role, values in ((RUNNING, occupancy.running), (WAITING, occupancy.waiting)):
        if is_counter(values):
            wanted = f"a gauge, what is {role.noun} at that moment"
            raise InputError(found.shown, counter_sentence(role.noun, columns[role], values, wanted))
    notes += [_replicas_note(occupancy, rows, columns), _extent_note(occupancy), said]
    return occupancy, tuple(note for note in notes if note)


def _gathered(
    database: Database, found: Sources, given: Mapping[Role, str | None]
) -> tuple[dict[Role, str], list[str]]:
    """Put every file's rows into the table; the names of the columns read, and notes."""
    columns: dict[Role, str] = {}
    notes: list[str] = []
    empty: list[str] = []
    zones: set[str] = set()
    count = 0
    for source, begin, end in shares(found.files, 0.0, _READ_SHARE):
        try:
            with database.reading(source, begin, end) as linked:
                names, zone, said = _insert(database, linked, given, count)
        except NoRows as none:
            if len(found.files) == 1:
                raise
            empty.append(none.source)
            continue
        zones.add(zone)
        if "" in zones and len(zones) > 1:
            raise InputError(
                source.shown,
                "its times are not of the kind of those of the other files: some are clock "
                "times, some count from a start",
            )
        if count and (REPLICAS in names) != (REPLICAS in columns):
            raise InputError(
                source.shown, "some files have a column of replicas and some none; give them apart"
            )
        count += 1
        columns = columns or names
        notes += said
    return columns, [*dict.fromkeys(notes), history_notes.files_note(count, empty), *found.notes]


def _insert(
    database: Database, linked: LinkedFile, given: Mapping[Role, str | None], number: int
) -> tuple[dict[Role, str], str, tuple[str, ...]]:
    """Put one file's rows into the table; the names of its columns, the zone of its times, and notes."""
    file = linked.file
    rows = table(file, linked.fetch)
    chosen = columns_of(file.shown, rows.names, given, (MOMENT, RUNNING, WAITING))
    times = time_column(file, linked.fetch, rows, chosen[MOMENT])
    cells: list[Cell] = [TimeCell("time", rows.column_sqls[times.at], times)]
    present = [role for role in (MOMENT, RUNNING, WAITING, REPLICAS, KV_USAGE) if role in chosen]
    for role in present[1:]:
        is_text = required_kind(file, rows, chosen[role], NUMBER_KINDS) == "VARCHAR"
        cell = NumberCell(role.noun, rows.column_sqls[chosen[role]], is_text)
        cells.append(
            cell._replace(largest=100.0, allowed_to="1 (or 100, in %)") if role == KV_USAGE else cell
        )
    use_all_threads(linked)
    optional = (f"v{present.index(role)}" if role in chosen else "NULL" for role in (REPLICAS, KV_USAGE))
    numbers = ", ".join(("v0", "v1", "v2", *optional))
    database.run(
        f"INSERT INTO samples SELECT {numbers}, fault, {number}, {changed_sql(cells)} FROM ({judged_sql(rows, cells)})",
        [linked.link],
        linked.begin,
        linked.end,
    )
    if database.fetch("SELECT 1 FROM samples WHERE fault <> 0 LIMIT 1"):
        wrong = first_fault(linked, rows, cells)
        assert wrong is not None
        raise wrong
    names = {role: rows.names[at] for role, at in chosen.items()}
    notes: tuple[str, ...] = (guesses_note(rows.names, chosen, given), times.form.note)
    if database.fetch(f"SELECT 1 FROM samples WHERE file = {number} AND changed LIMIT 1"):
        notes += clock_changes(linked, rows, cells).notes
    return names, times.form.zone, notes


def _moments(database: Database, shown: str, are_sums: bool) -> tuple[Occupancy, int]:
    """The samples moment by moment, and the most rows that one moment has."""
    known = _KNOWN_SQL + (_ANSWERED_SQL if are_sums else "")
    ((count, most),) = database.fetch(
        f"SELECT count(*), max(n) FROM (SELECT count(*) AS n FROM samples WHERE {known} GROUP BY t)"
    )
    if not 2 <= count <= MOST_MOMENTS:
        needed = (
            "at least 2 are needed" if count < 2 else f"at most {MOST_MOMENTS:,} are read: give fewer days"
        )
        raise InputError(shown, f"{_count_words(database, count, are_sums)}; {needed}")
    parts = "sum(replicas)" if are_sums else "count(*)"
    groups = database.arrays(
        f"""SELECT t, sum(running) / {parts} AS running, sum(waiting) / {parts} AS waiting,
                {parts}::DOUBLE AS replicas, avg(kv) FILTER (NOT isnan(kv)) AS kv
            FROM samples WHERE {known} GROUP BY t ORDER BY t"""
    )
    at_s, running, waiting, replicas, kv = (
        np.asarray(np.ma.filled(groups[name], np.nan))
        for name in ("t", "running", "waiting", "replicas", "kv")
    )
    if not are_sums and most == 1:
        replicas = np.full(len(at_s), np.nan)
    usage = None if np.isnan(kv).all() else kv
    return Occupancy(at_s, running, waiting, replicas, float(np.median(np.diff(at_s))), usage), int(most)


def _with_shares(occupancy: Occupancy) -> tuple[Occupancy, str]:
    """The same with KV usage as a share, and what it was taken for: above 1 it can only be in percent."""
    usage = occupancy.kv_usage_ratio
    if usage is None:
        return occupancy, ""
    most = float(np.nanmax(usage))
    unit = "a share"
    if most > 1.0:
        unit, most, usage = "percent", most / 100.0, usage / 100.0
    note = f"KV usage is taken for {unit}; it is {100.0 * most:.3g} % at most."
    return replace(occupancy, kv_usage_ratio=usage), note


def _count_words(database: Database, count: int, are_sums: bool) -> str:
    """How many moments are known, and why they are few where it is that no replica answered."""
    moments = {0: "is no moment", 1: "is 1 moment"}.get(count, f"are {count:,} moments")
    words = f"there {moments} at which running and waiting are known"
    if not are_sums or count > 1:
        return words
    ((silent,),) = database.fetch(
        f"SELECT count(DISTINCT t) FROM samples WHERE {_KNOWN_SQL} AND replicas < 1"
    )
    if not silent:
        return words
    if not count:
        return f"no replica answered at any of the {silent:,} moments (replicas are 0)"
    return f"{words}, and at {silent:,} more no replica answered (replicas are 0)"


def _replicas_note(occupancy: Occupancy, rows: int, columns: Mapping[Role, str]) -> str:
    if REPLICAS in columns:
        return f"Running and waiting are taken for sums over {columns[REPLICAS]!r}, and divided by it."
    if rows > 1:
        most = int(occupancy.replicas.max())
        return (
            f"Rows at one time are taken for replicas, {most:,} at most; running and waiting are their means."
        )
    return "How many replicas there were is not known; running and waiting are taken for those of one."


def _extent_note(occupancy: Occupancy) -> str:
    return (
        f"{len(occupancy):,} moments, one every {duration_text(occupancy.step_s)}; running "
        f"{occupancy.running.mean():,.4g} in the mean and {occupancy.running.max():,.4g} at most, waiting "
        f"{occupancy.waiting.mean():,.4g} and {occupancy.waiting.max():,.4g}."
    )
