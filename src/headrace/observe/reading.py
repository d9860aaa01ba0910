"""What to read from a history file and how: settled from its first rows, before the long reading begins."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from headrace.errors import InputError
from headrace.observe import staging
from headrace.observe.columns import Columns, chosen_columns, field_texts, member_texts, shown, text_head
from headrace.observe.source_file import SourceFile
from headrace.observe.timestamps import ALLOWED, TimeForm, time_form, timestamp_form

Fetch = Callable[[str], list[tuple[Any, ...]]]
"""Runs a query whose one ``?`` is the file's path."""

_SAMPLED_ROWS = 200
_NUMBER_KINDS: tuple[str, ...] = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)
_NUMBER_KINDS += ("UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_TIME_KINDS = ("TIMESTAMP", "DATE")


class Reading(NamedTuple):
    """Two columns of a file, and how its rows are found again."""

    scan: staging.Scan
    form: TimeForm
    columns: Columns
    names: tuple[str, ...]
    """All columns of the file."""
    first_time: str
    """The first time that is not empty, as it stands in the file; "" if the first rows have none."""
    time_is_text: bool = True
    value_is_text: bool = True
    lines_before: int = 0
    """Lines before the first row of data (header, comments)."""
    counts_lines: bool = False
    """A row's number is that of its line."""

    @property
    def time_column(self) -> str:
        """Name of the time column."""
        return self.names[self.columns.time]

    @property
    def value_column(self) -> str:
        """Name of the value column."""
        return self.names[self.columns.value]


def reading(file: SourceFile, fetch: Fetch, time: str | None, value: str | None) -> Reading:
    """Columns (as named, or guessed) and the form of the times.

    Raises:
        InputError: No rows, no such columns, an ambiguous guess, times in a form that can't be read.
    """
    kinds = {"csv": _csv_reading, "json": _json_reading, "parquet": _parquet_reading}
    return kinds[file.kind](file, fetch, time, value)


def row_place(file: SourceFile, fetch: Fetch, plan: Reading, index: int) -> str:
    """``"row 17"`` for the row after `index` others: for text its line (the header is row 1), else from 1."""
    if not plan.counts_lines:
        return f"row {index + 1:,}"
    # blank lines are no rows of data, but they are lines to whoever opens the file in an editor
    blank = "trim(line) <> ''" if file.kind == "json" else "line IS NOT NULL"
    found = fetch(
        f"SELECT number FROM (SELECT line, row_number() OVER () AS number FROM {staging.lines_sql(file)}) "
        f"WHERE number > {plan.lines_before} AND {blank} LIMIT 1 OFFSET {index}"
    )
    return f"row {found[0][0] if found else plan.lines_before + index + 1:,}"


def malformed_line(file: SourceFile, fetch: Fetch) -> tuple[int, str] | None:
    """Number and text of the first line of a JSON lines file that is not JSON; None if each is."""
    found = fetch(
        "SELECT number, line "
        f"FROM (SELECT line, row_number() OVER () AS number FROM {staging.lines_sql(file)}) "
        "WHERE trim(line) <> '' AND NOT json_valid(line) "
        "AND NOT regexp_matches(line, '\\b(NaN|Infinity)\\b') LIMIT 1"
    )
    return (found[0][0], found[0][1]) if found else None


def _csv_reading(file: SourceFile, fetch: Fetch, time: str | None, value: str | None) -> Reading:
    lines = [
        line or "" for (line,) in fetch(f"SELECT line FROM {staging.lines_sql(file)} LIMIT {_SAMPLED_ROWS}")
    ]
    head = text_head(file.shown, lines)
    texts = field_texts(file.shown, head, lines)
    if not texts[0]:
        raise InputError(file.shown, "there is a header, but no row of data")
    chosen = chosen_columns(file.shown, head.names, texts, time, value)
    scan = staging.csv_scan(file, head, chosen)
    draft = Reading(scan, timestamp_form(True), chosen, head.names, "", True, True, head.skipped, True)
    return _with_form(file, fetch, draft, texts[chosen.time])


def _json_reading(file: SourceFile, fetch: Fetch, time: str | None, value: str | None) -> Reading:
    first = fetch(f"SELECT line FROM {staging.lines_sql(file)} WHERE trim(line) <> '' LIMIT 1")
    is_array = bool(first) and first[0][0].lstrip("\ufeff ").startswith("[")
    rows = fetch(f"SELECT json FROM {staging.objects_sql(file, is_array)} LIMIT {_SAMPLED_ROWS}")
    names, texts = member_texts([_parsed(text) for (text,) in rows])
    if not names:
        raise InputError(file.shown, "there is no object with a time and a value in it")
    chosen = chosen_columns(file.shown, names, texts, time, value)
    scan = staging.json_scan(file, is_array, names[chosen.time], names[chosen.value])
    draft = Reading(scan, timestamp_form(True), chosen, names, "", counts_lines=not is_array)
    return _with_form(file, fetch, draft, texts[chosen.time])


def _parsed(text: str) -> object:
    """An object of a JSON file, numbers as they are written; None where it is nested deeper than Python reads.

    DuckDB does read it, and judges its two members as it does any other row's.
    """
    try:
        # Python refuses to make an int of more than 4,300 digits.
        return json.loads(text, parse_int=str, parse_float=str)
    except RecursionError:
        return None


def _with_form(file: SourceFile, fetch: Fetch, draft: Reading, times: list[str | None]) -> Reading:
    """The reading with the form of its first time; without any time the rows are judged empty one by one."""
    index, first = next(((i, text) for i, text in enumerate(times) if text and text.strip()), (0, ""))
    if not first:
        return draft
    form = time_form(draft.time_column, first)
    if form is None:
        problem = f"the time {shown(first)} can't be read; allowed are {ALLOWED}"
        raise InputError(file.shown, problem, row_place(file, fetch, draft, index))
    return draft._replace(form=form, first_time=first.strip())


def _parquet_reading(file: SourceFile, fetch: Fetch, time: str | None, value: str | None) -> Reading:
    described = fetch(f"DESCRIBE SELECT * FROM {staging.parquet_sql()}")
    names, kinds = tuple(row[0] for row in described), [row[1] for row in described]
    fields = ", ".join(f"CAST({staging.quoted(name)} AS VARCHAR)" for name in names)
    rows = fetch(f"SELECT {fields} FROM {staging.parquet_sql()} LIMIT {_SAMPLED_ROWS}")
    if not rows:
        raise InputError(file.shown, "there are columns, but no row of data")
    usable = [
        i for i, kind in enumerate(kinds) if kind == "VARCHAR" or kind.startswith(_NUMBER_KINDS + _TIME_KINDS)
    ]
    chosen = chosen_columns(file.shown, names, {i: [row[i] for row in rows] for i in usable}, time, value)
    time_kind, value_kind = (
        _required_kind(file, names[at], kinds[at], allowed)
        for at, allowed in ((chosen.time, _NUMBER_KINDS + _TIME_KINDS), (chosen.value, _NUMBER_KINDS))
    )
    draft = Reading(
        staging.parquet_scan(names[chosen.time], names[chosen.value]),
        timestamp_form("TIME ZONE" in time_kind),
        chosen,
        names,
        "",
        time_is_text=time_kind == "VARCHAR",
        value_is_text=value_kind == "VARCHAR",
    )
    times = [row[chosen.time] for row in rows]
    if time_kind.startswith(_TIME_KINDS):
        return draft._replace(first_time=next((text for text in times if text), ""))
    return _with_form(file, fetch, draft, times)


def _required_kind(file: SourceFile, name: str, kind: str, allowed: tuple[str, ...]) -> str:
    # DECIMAL(18,3)[] begins as a DECIMAL does
    if kind == "VARCHAR" or (kind.startswith(allowed) and not kind.endswith("]")):
        return kind
    wanted = "a number, a timestamp or text" if "DATE" in allowed else "a number or text"
    raise InputError(file.shown, f"the column {name!r} is of type {kind}; allowed is {wanted}")
