"""What to read from a demand history and how: the two columns of a file and the form of its times."""

from __future__ import annotations

from typing import NamedTuple

from headrace.observe.cells import NumberCell, TimeCell
from headrace.observe.columns import Columns, chosen_columns
from headrace.observe.source_file import SourceFile
from headrace.observe.table import NUMBER_KINDS, Fetch, Table, required_kind, table, time_column
from headrace.observe.timestamps import TimeForm


class Reading(NamedTuple):
    """Two columns of a file."""

    table: Table
    cells: tuple[TimeCell, NumberCell]
    columns: Columns

    @property
    def form(self) -> TimeForm:
        """How the times are written."""
        return self.cells[0].column.form

    @property
    def time_column(self) -> str:
        """Name of the time column."""
        return self.table.names[self.columns.time]

    @property
    def value_column(self) -> str:
        """Name of the value column."""
        return self.table.names[self.columns.value]


def reading(file: SourceFile, fetch: Fetch, time: str | None, value: str | None) -> Reading:
    """Columns (as named, or guessed) and the form of the times.

    Raises:
        InputError: No rows, no such columns, an ambiguous guess, times in a form that can't be read.
    """
    rows = table(file, fetch)
    chosen = chosen_columns(file.shown, rows.names, rows.texts, time, value)
    times = time_column(file, fetch, rows, chosen.time)
    is_text = required_kind(file, rows, chosen.value, NUMBER_KINDS) == "VARCHAR"
    cells = (
        TimeCell("time", rows.column_sqls[chosen.time], times),
        NumberCell("value", rows.column_sqls[chosen.value], is_text),
    )
    return Reading(rows, cells, chosen)
