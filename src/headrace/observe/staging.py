"""The SQL that reads a history's two columns, and the sentence for each way in which a row can be wrong.

Every row becomes (seconds, value, fault): the fault is the number of the first thing wrong with the row, so
that 31 million rows are judged where they are read, in parallel; one bad row's texts are fetched again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from headrace.observe.columns import Columns, TextHead, shown
from headrace.observe.source_file import SourceFile
from headrace.observe.timestamps import LATEST_S, TimeForm

(
    TIME_EMPTY,
    TIME_UNREADABLE,
    ZONE_DIFFERS,
    TIME_OUTSIDE,
    VALUE_TEXT,
    VALUE_INFINITE,
    VALUE_NEGATIVE,
    VALUE_HUGE,
) = range(1, 9)
"""The faults a row can have by itself, in the order in which they are looked for; 0 is none."""

LARGEST_VALUE = 1e15
"""More than any service is asked for; sums over the longest history stay far within a float."""

_HOLES = "('', 'nan', 'null', 'none', 'na', 'n/a')"
"""Texts that mean "not known", in lower case."""


class Scan(NamedTuple):
    """One way of reading the rows of a file: ``FROM`` clause and columns, with ``?`` for the path."""

    from_sql: str
    time_sql: str
    """SQL for the time as it stands in the file."""
    value_sql: str
    """SQL for the value as it stands in the file."""


def lines_sql(file: SourceFile) -> str:
    """``FROM`` clause that yields a text file line by line as ``line`` (blank lines are NULL)."""
    # a delimiter and quotes that no text holds: the reader splits nothing
    return (
        "read_csv(?, auto_detect=false, header=false, skip=0, delim='\x1f', quote='', escape='', "
        f"columns={{'line': 'VARCHAR'}}, compression='{file.packing}')"
    )


def csv_scan(file: SourceFile, head: TextHead, columns: Columns) -> Scan:
    """Reads a delimited file, all columns as text: types are judged row by row, not by a sample."""
    fields = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(head.names)))
    return Scan(
        f"read_csv(?, auto_detect=false, header=false, skip={head.skipped}, "
        f"delim='{head.delimiter}', quote='\"', escape='\"', "
        f"columns={{{fields}}}, compression='{file.packing}')",
        f"c{columns.time}",
        f"c{columns.value}",
    )


def objects_sql(file: SourceFile, is_array: bool) -> str:
    """``FROM`` clause that yields each object of a JSON file as ``json``."""
    layout = "array" if is_array else "newline_delimited"
    return f"read_json_objects(?, format='{layout}', compression='{file.packing}')"


def json_scan(file: SourceFile, is_array: bool, time: str, value: str) -> Scan:
    """Reads the members `time` and `value` of each object, as text."""
    return Scan(objects_sql(file, is_array), f"(json ->> {_pointer(time)})", f"(json ->> {_pointer(value)})")


def _pointer(key: str) -> str:
    """A JSON pointer (RFC 6901) as a SQL string: a path would take a dot in the name for a step."""
    return "'/" + key.replace("~", "~0").replace("/", "~1").replace("'", "''") + "'"


def parquet_scan(time: str, value: str) -> Scan:
    """Reads two columns of a Parquet file with their own types."""
    return Scan(parquet_sql(), quoted(time), quoted(value))


def parquet_sql() -> str:
    """``FROM`` clause for a Parquet file; folders named ``key=value`` above it add no columns."""
    return "read_parquet(?, hive_partitioning=false)"


def quoted(name: str) -> str:
    """A column name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def staging_sql(scan: Scan, form: TimeForm, time_is_text: bool, value_is_text: bool) -> str:
    """``SELECT`` of seconds ``t``, value ``v`` (NaN = hole or fault) and ``fault``, in the file's order."""
    time_empty = "trim(time) = ''" if time_is_text else "false"
    hole = f"lower(trim(value)) IN {_HOLES}" if value_is_text else "false"
    return f"""
        SELECT coalesce(t, 'nan'::DOUBLE) AS t, coalesce(v, 'nan'::DOUBLE) AS v, (CASE
            WHEN time IS NULL OR {time_empty} THEN {TIME_EMPTY}
            WHEN t IS NULL OR NOT isfinite(t) THEN {TIME_UNREADABLE}
            WHEN {form.zone_differs_sql.format(column="time")} THEN {ZONE_DIFFERS}
            WHEN t < 0 OR t > {LATEST_S} THEN {TIME_OUTSIDE}
            WHEN v IS NULL AND NOT (value IS NULL OR {hole}) THEN {VALUE_TEXT}
            WHEN isinf(v) THEN {VALUE_INFINITE}
            WHEN v < 0 THEN {VALUE_NEGATIVE}
            WHEN v > {LARGEST_VALUE} AND NOT isnan(v) THEN {VALUE_HUGE}
            ELSE 0 END)::UTINYINT AS fault
        FROM (SELECT time, value, {form.seconds_sql.format(column="time")} AS t,
                     TRY_CAST(value AS DOUBLE) AS v
              FROM (SELECT {scan.time_sql} AS time, {scan.value_sql} AS value FROM {scan.from_sql}))
    """


def fault_sentence(fault: int, form: TimeForm, texts: Sequence[str | None], first_time: str) -> str:
    """What is wrong with a row and what is allowed.

    Args:
        fault: One of the faults above.
        form: How the times are written.
        texts: Time and value of the row as they stand in the file.
        first_time: The first time of the file, for comparison.
    """
    time, value = (shown(text or "") for text in texts)
    first_time = shown(first_time)
    return {
        TIME_EMPTY: "the time is empty; only a value may be (it is then a hole)",
        TIME_UNREADABLE: f"the time {time} is not {form.named} as the first one, {first_time}, is",
        ZONE_DIFFERS: f"the time {time} has not the time zone of the first one, {first_time}; "
        "all times must have the same, or all none",
        TIME_OUTSIDE: f"the time {time} lies outside what is allowed: 1970-01-01 (or 0 s) to the year 9999",
        VALUE_TEXT: f"the value {value} is not a number; allowed are numbers from 0 up, and empty for a hole",
        VALUE_INFINITE: f"the value {value} is infinite; allowed are numbers from 0 up, and empty for a hole",
        VALUE_NEGATIVE: f"the value {value} is negative; allowed are numbers from 0 up, and empty for a hole",
        VALUE_HUGE: f"the value {value} is too large; allowed are numbers from 0 to 1e15, and empty for a hole",
    }[fault]


def order_sentence(time: str | None, time_before: str | None, equal: bool) -> str:
    """A row whose time is not after that of the row before it."""
    if equal:
        return f"the time {shown(time or '')} is the same as that of the row before; each time may occur once"
    return (
        f"the time {shown(time or '')} is before that of the row before, {shown(time_before or '')}; "
        "rows must be sorted by time"
    )
