"""The ``FROM`` clauses that read files of each format, with ``?`` for the path."""

from __future__ import annotations

from headrace.observe.columns import TextHead
from headrace.observe.source_file import SourceFile


def lines_sql(file: SourceFile) -> str:
    """``FROM`` clause that yields a text file line by line as ``line`` (blank lines are NULL)."""
    # a delimiter and quotes that no text holds: the reader splits nothing
    return (
        "read_csv(?, auto_detect=false, header=false, skip=0, delim='\x1f', quote='', escape='', "
        f"columns={{'line': 'VARCHAR'}}, compression='{file.packing}')"
    )


def csv_sql(file: SourceFile, head: TextHead) -> str:
    """``FROM`` clause for a delimited file, all columns (``c0``, …) as text: judged row by row, not by a sample."""
    fields = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(head.names)))
    return (
        f"read_csv(?, auto_detect=false, header=false, skip={head.skipped}, "
        f"delim='{head.delimiter}', quote='\"', escape='\"', "
        f"columns={{{fields}}}, compression='{file.packing}')"
    )


def objects_sql(file: SourceFile, is_array: bool) -> str:
    """``FROM`` clause that yields each object of a JSON file as ``json``."""
    layout = "array" if is_array else "newline_delimited"
    return f"read_json_objects(?, format='{layout}', compression='{file.packing}')"


def pointer(key: str) -> str:
    """A JSON pointer (RFC 6901) as a SQL string: a path would take a dot in the name for a step."""
    return "'/" + key.replace("~", "~0").replace("/", "~1").replace("'", "''") + "'"


def parquet_sql() -> str:
    """``FROM`` clause for a Parquet file; folders named ``key=value`` above it add no columns."""
    return "read_parquet(?, hive_partitioning=false)"


def quoted(name: str) -> str:
    """A column name as SQL."""
    return '"' + name.replace('"', '""') + '"'
