"""How the requests of a log are told: by start and end, by end and duration, by start and duration, or by duration.

Each becomes ``s`` (start, seconds), ``e`` (end), ``d`` (duration) and ``fault``; what is not known is NULL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from headrace.errors import InputError
from headrace.observe.cells import Cell, TimeCell, first_fault, judged_sql
from headrace.observe.clock_changes import ClockChanges, changed_sql, clock_changes
from headrace.observe.column_names import DURATION, END, MOMENT, START, Role
from headrace.observe.columns import listed
from headrace.observe.database import LinkedFile
from headrace.observe.duration_unit import duration_column
from headrace.observe.roles import columns_of, guesses_note, missing
from headrace.observe.table import Table, table, time_column

Given = Mapping[Role, str | None]
"""For each role the column that the user named, or None."""

# to the microsecond, the finest that a double holds of a time today: 61.00000024 s would count as 62
_SPAN_SQL = "round((v1 - v0) * 1e6) / 1e6"


class RequestColumns(NamedTuple):
    """What of a file tells its requests."""

    table: Table
    cells: tuple[Cell, ...]
    sql: str
    """``SELECT`` of s, e, d, fault and changed (a time has not the first one's offset); one ``?`` for the path."""
    notes: tuple[str, ...]
    zone: str
    """Zone of its times; "" if they are relative or there are none."""

    def first_fault(self, linked: LinkedFile) -> InputError | None:
        """The sentence for the first wrong row."""
        return first_fault(linked, self.table, self.cells)

    def clock_changes(self, linked: LinkedFile) -> ClockChanges:
        """Zone and notes, where some row is `changed`; an InputError where zones are mixed."""
        return clock_changes(linked, self.table, self.cells)


def durations_of(linked: LinkedFile, given: Given, unit: str | None) -> RequestColumns:
    """The durations of a file: from a column of them, else from start and end.

    Raises:
        InputError: There are neither.
    """
    rows = table(linked.file, linked.fetch, fewest=1)
    shown = linked.file.shown
    named_times = given.get(START) is not None or given.get(END) is not None
    wanted = {role: given.get(role) for role in (START, END)}
    if len(rows.names) == 1 and not named_times:
        chosen = {DURATION: 0}
        columns_of(shown, rows.names, {DURATION: given.get(DURATION) or rows.names[0]}, ())
    elif named_times and given.get(DURATION) is None:
        chosen = columns_of(shown, rows.names, wanted, (START, END))
    else:
        chosen = columns_of(shown, rows.names, {DURATION: given.get(DURATION)}, ())
        if not chosen:
            chosen = columns_of(shown, rows.names, wanted, ())
            if len(chosen) < 2:
                raise missing(shown, rows.names, DURATION)
    note = guesses_note(rows.names, chosen, given)
    if DURATION not in chosen:
        return _spans(linked, rows, chosen, note)
    column = duration_column(linked.file, rows, chosen[DURATION], unit)
    cells = (column.cell,)
    sql = (
        "SELECT NULL::DOUBLE AS s, NULL::DOUBLE AS e, v0 AS d, fault, false AS changed "
        f"FROM ({judged_sql(rows, cells)})"
    )
    return RequestColumns(rows, cells, sql, (note, column.note), "")


def requests_of(linked: LinkedFile, given: Given, unit: str | None) -> RequestColumns:
    """Start, end and duration of each request of an access log.

    A time that is called neither start nor end is the end: servers write a request's line when it is over.

    Raises:
        InputError: Two of the three can't be told.
    """
    rows = table(linked.file, linked.fetch)
    shown = linked.file.shown
    # a time that the user names is the one that counts
    times = (START, END) if given.get(MOMENT) is None else ()
    chosen = columns_of(shown, rows.names, {role: given.get(role) for role in (*times, DURATION)}, ())
    if START in chosen and END in chosen:
        chosen.pop(DURATION, None)
        return _spans(linked, rows, chosen, guesses_note(rows.names, chosen, given))
    if DURATION not in chosen:
        raise InputError(
            shown,
            "a request's start and end, or one of them and its duration, are needed; name them with --start-column, "
            f"--end-column and --duration-column (the columns are {listed(rows.names)})",
        )
    role, assumed = START if START in chosen else END, ""
    if role not in chosen:
        role = MOMENT
        known = {DURATION: rows.names[chosen[DURATION]]}
        chosen = columns_of(shown, rows.names, {**known, MOMENT: given.get(MOMENT)}, ())
        if MOMENT not in chosen:
            raise missing(shown, rows.names, MOMENT)
        name = rows.names[chosen[MOMENT]]
        assumed = (
            f"Assumed: {name!r} is when a request ended, as servers log it (--start-column if it began then)."
        )
    note = guesses_note(rows.names, chosen, given)
    at = time_column(linked.file, linked.fetch, rows, chosen[role])
    column = duration_column(linked.file, rows, chosen[DURATION], unit)
    cells = (TimeCell(role.noun, rows.column_sqls[chosen[role]], at), column.cell)
    # what has no duration has neither a start nor an end that could be told from the other
    span = "v0 AS s, v0 + v1 AS e" if role is START else "v0 - v1 AS s, v0 AS e"
    is_known = "v1 IS NOT NULL AND NOT isnan(v1)"
    judged = judged_sql(rows, cells)
    sql = (
        f"SELECT CASE WHEN {is_known} THEN s END AS s, CASE WHEN {is_known} THEN e END AS e, v1 AS d, fault, changed "
        f"FROM (SELECT {span}, v1, fault, {changed_sql(cells)} AS changed FROM ({judged}))"
    )
    notes = (note, assumed, column.note, at.form.note)
    return RequestColumns(rows, cells, sql, notes, at.form.zone)


def _spans(linked: LinkedFile, rows: Table, chosen: Mapping[Role, int], note: str) -> RequestColumns:
    start, end = (time_column(linked.file, linked.fetch, rows, chosen[role]) for role in (START, END))
    if bool(start.form.zone) != bool(end.form.zone) and start.first and end.first:
        raise InputError(
            linked.file.shown,
            f"start ({start.first!r}) and end ({end.first!r}) are not of one kind: one is a clock time, the other "
            "counts from a start",
        )
    cells = (
        TimeCell("start", rows.column_sqls[start.at], start),
        TimeCell("end", rows.column_sqls[end.at], end, may_be_empty=True),
    )
    sql = (
        f"SELECT v0 AS s, CASE WHEN isfinite(v1) THEN v1 END AS e, {_SPAN_SQL} AS d, fault, "
        f"{changed_sql(cells)} AS changed "
        f"FROM ({judged_sql(rows, cells)})"
    )
    notes = tuple(dict.fromkeys((note, start.form.note, end.form.note)))
    return RequestColumns(rows, cells, sql, notes, start.form.zone)
