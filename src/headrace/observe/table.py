"""The columns of a file, found from its first rows before the long reading begins: names, first texts, types."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from headrace.errors import InputError
from headrace.observe import scans
from headrace.observe.columns import field_texts, member_texts, shown, text_head
from headrace.observe.source_file import NoRows, SourceFile
from headrace.observe.timestamps import ALLOWED, TimeForm, time_form, timestamp_form

Fetch = Callable[[str], list[tuple[Any, ...]]]
"""Runs a query whose one ``?`` is the file's path."""

_SAMPLED_ROWS = 200
NUMBER_KINDS: tuple[str, ...] = (
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
NUMBER_KINDS += ("UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
TIME_KINDS = ("TIMESTAMP", "DATE")


class Table(NamedTuple):
    """A file as columns, and how its rows are found again."""

    names: tuple[str, ...]
    from_sql: str
    """``FROM`` clause, with ``?`` for the path."""
    column_sqls: tuple[str, ...]
    """SQL for each column as it stands in the file."""
    texts: Mapping[int, Sequence[str | None]]
    """The first texts of each column that can be read; None or "" = empty."""
    kinds: tuple[str, ...]
    """DuckDB's type of each column; VARCHAR for all of a text file."""
    lines_before: int = 0
    """Lines before the first row of data (header, comments)."""
    counts_lines: bool = False
    """A row's number is that of its line."""


class TimeColumn(NamedTuple):
    """A column of times, and the form they are in."""

    at: int
    form: TimeForm
    is_text: bool
    first: str
    """The first time that is not empty, as it stands in the file; "" if the first rows have none."""


def table(file: SourceFile, fetch: Fetch, fewest: int = 2) -> Table:
    """The columns of a file.

    Args:
        file: The file.
        fetch: Runs queries on it.
        fewest: Columns without which there is nothing to read.

    Raises:
        InputError: No rows (NoRows), or a text that no delimiter splits into columns.
    """
    if file.kind == "parquet":
        return _parquet_table(file, fetch)
    return _csv_table(file, fetch, fewest) if file.kind == "csv" else _json_table(file, fetch)


def row_place(file: SourceFile, fetch: Fetch, rows: Table, index: int) -> str:
    """``"row 17"`` for the row after `index` others: for text its line (the header is row 1), else from 1."""
    if not rows.counts_lines:
        return f"row {index + 1:,}"
    # blank lines are no rows of data, but they are lines to whoever opens the file in an editor
    blank = "trim(line) <> ''" if file.kind == "json" else "line IS NOT NULL"
    found = fetch(
        f"SELECT number FROM (SELECT line, row_number() OVER () AS number FROM {scans.lines_sql(file)}) "
        f"WHERE number > {rows.lines_before} AND {blank} LIMIT 1 OFFSET {index}"
    )
    return f"row {found[0][0] if found else rows.lines_before + index + 1:,}"


def malformed_line(file: SourceFile, fetch: Fetch) -> tuple[int, str] | None:
    """Number and text of the first line of a JSON lines file that is not JSON; None if each is."""
    found = fetch(
        "SELECT number, line "
        f"FROM (SELECT line, row_number() OVER () AS number FROM {scans.lines_sql(file)}) "
        "WHERE trim(line) <> '' AND NOT json_valid(line) "
        "AND NOT regexp_matches(line, '\\b(NaN|Infinity)\\b') LIMIT 1"
    )
    return (found[0][0], found[0][1]) if found else None


def time_column(file: SourceFile, fetch: Fetch, rows: Table, at: int) -> TimeColumn:
    """The form in which a column's times are written; without any time the rows are judged empty one by one.

    Raises:
        InputError: The first time is in no form that is read, or the column is of another type.
    """
    kind = required_kind(file, rows, at, NUMBER_KINDS + TIME_KINDS)
    texts = rows.texts.get(at, ())
    index, first = next(((i, text) for i, text in enumerate(texts) if text and text.strip()), (0, ""))
    if kind.startswith(TIME_KINDS):
        return TimeColumn(at, timestamp_form("TIME ZONE" in kind), False, first)
    if not first:
        return TimeColumn(at, timestamp_form(True), kind == "VARCHAR", "")
    form = time_form(rows.names[at], first)
    if form is None:
        problem = f"the time {shown(first)} can't be read; allowed are {ALLOWED}"
        raise InputError(file.shown, problem, row_place(file, fetch, rows, index))
    return TimeColumn(at, form, kind == "VARCHAR", first.strip())


def required_kind(file: SourceFile, rows: Table, at: int, allowed: tuple[str, ...]) -> str:
    """The type of a column, which must be one of `allowed` or text.

    Raises:
        InputError: It is another.
    """
    kind = rows.kinds[at]
    # DECIMAL(18,3)[] begins as a DECIMAL does
    if kind == "VARCHAR" or (kind.startswith(allowed) and not kind.endswith("]")):
        return kind
    wanted = "a number, a timestamp or text" if "DATE" in allowed else "a number or text"
    raise InputError(file.shown, f"the column {rows.names[at]!r} is of type {kind}; allowed is {wanted}")


def _csv_table(file: SourceFile, fetch: Fetch, fewest: int) -> Table:
    lines = [
        line or "" for (line,) in fetch(f"SELECT line FROM {scans.lines_sql(file)} LIMIT {_SAMPLED_ROWS}")
    ]
    head = text_head(file.shown, lines, fewest)
    texts = field_texts(file.shown, head, lines)
    if not texts[0]:
        raise NoRows(file.shown, "there is a header, but no row of data")
    return Table(
        head.names,
        scans.csv_sql(file, head),
        tuple(f"c{at}" for at in range(len(head.names))),
        texts,
        ("VARCHAR",) * len(head.names),
        head.skipped,
        True,
    )


def _json_table(file: SourceFile, fetch: Fetch) -> Table:
    first = fetch(f"SELECT line FROM {scans.lines_sql(file)} WHERE trim(line) <> '' LIMIT 1")
    is_array = bool(first) and first[0][0].lstrip("\ufeff ").startswith("[")
    rows = fetch(f"SELECT json FROM {scans.objects_sql(file, is_array)} LIMIT {_SAMPLED_ROWS}")
    names, texts = member_texts([_parsed(text) for (text,) in rows])
    if not names:
        raise InputError(file.shown, "there is no object with a time and a value in it")
    return Table(
        names,
        scans.objects_sql(file, is_array),
        tuple(f"(json ->> {scans.pointer(name)})" for name in names),
        texts,
        ("VARCHAR",) * len(names),
        counts_lines=not is_array,
    )


def _parsed(text: str) -> object:
    """An object of a JSON file, numbers as they are written; None where it is nested deeper than Python reads.

    DuckDB does read it, and judges its members as it does any other row's.
    """
    try:
        # Python refuses to make an int of more than 4,300 digits.
        return json.loads(text, parse_int=str, parse_float=str)
    except RecursionError:
        return None


def _parquet_table(file: SourceFile, fetch: Fetch) -> Table:
    described = fetch(f"DESCRIBE SELECT * FROM {scans.parquet_sql()}")
    names, kinds = tuple(row[0] for row in described), tuple(row[1] for row in described)
    fields = ", ".join(f"CAST({scans.quoted(name)} AS VARCHAR)" for name in names)
    rows = fetch(f"SELECT {fields} FROM {scans.parquet_sql()} LIMIT {_SAMPLED_ROWS}")
    if not rows:
        raise NoRows(file.shown, "there are columns, but no row of data")
    usable = [
        at for at, kind in enumerate(kinds) if kind == "VARCHAR" or kind.startswith(NUMBER_KINDS + TIME_KINDS)
    ]
    return Table(
        names,
        scans.parquet_sql(),
        tuple(scans.quoted(name) for name in names),
        {at: [row[at] for row in rows] for at in usable},
        kinds,
    )
