"""The SQL that reads the cells of a row, and the sentence for each way in which a cell can be wrong.

Every row becomes its numbers (v0, v1, …) and one fault: the first thing wrong with it, so that a hundred million
rows are judged where they are read, in parallel; one bad row's texts are fetched again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from headrace.errors import InputError
from headrace.observe.clocks import CHANGES
from headrace.observe.columns import shown
from headrace.observe.database import LinkedFile
from headrace.observe.table import Table, TimeColumn, row_place
from headrace.observe.timestamps import LATEST_S

(EMPTY, UNREADABLE, ZONE_DIFFERS, OUTSIDE, TEXT, INFINITE, NEGATIVE, HUGE, ZONES_MIXED) = range(1, 10)
"""What can be wrong with a cell, in the order in which it is looked for (`ZONES_MIXED`: among other rows, by
`clocks`); 0 is nothing."""

LARGEST_VALUE = 1e15
"""More than any service is asked for; sums over the longest history stay far within a float."""
LONGEST_S = 1e8
"""Three years; a longer request is a wrong unit."""
HOLES = ("", "nan", "null", "none", "na", "n/a")
"""Texts that mean "not known", in lower case."""
_PLACES = 10
"""A row's fault is its cell's place times this, plus what is wrong with it."""


class TimeCell(NamedTuple):
    """A time; its number is in seconds."""

    noun: str
    """In messages: "the time"."""
    sql: str
    """SQL for the cell as it stands in the file."""
    column: TimeColumn
    may_be_empty: bool = False

    def number_sql(self, raw: str) -> str:
        """SQL for the number in column `raw`; NULL where there is none."""
        return self.column.form.seconds_sql.format(column=raw)

    def whens(self, at: int) -> str:
        """The branches of a CASE that find what is wrong with the cell in this place."""
        raw, number, base = f"r{at}", f"v{at}", _PLACES * at
        empty = f"{raw} IS NULL"
        if self.column.is_text:
            empty += f" OR {_is_hole(raw, (*HOLES, '-') if self.may_be_empty else HOLES[:1])}"
        if self.may_be_empty:
            empty += f" OR isnan({number})"
        differs = self.column.form.zone_differs_sql.format(column=raw, ahead=f"z{at}")
        return f"""
            WHEN {empty} THEN {0 if self.may_be_empty else base + EMPTY}
            WHEN {number} IS NULL OR NOT isfinite({number}) THEN {base + UNREADABLE}
            WHEN {differs} THEN {base + ZONE_DIFFERS}
            WHEN {number} < 0 OR {number} > {LATEST_S} THEN {base + OUTSIDE}"""

    def sentence(self, fault: int, text: str) -> str:
        """What is wrong with a cell and what is allowed."""
        noun, first, form = self.noun, shown(self.column.first), self.column.form
        return {
            EMPTY: f"the {noun} is empty; only a value may be (it is then a hole)",
            UNREADABLE: f"the {noun} {shown(text)} is not {form.named} as the first one, {first}, is",
            ZONE_DIFFERS: f"the {noun} {shown(text)} has not the time zone of the first one, {first}; "
            "all times must have the same, or all none",
            ZONES_MIXED: f"the {noun} {shown(text)} has another offset than the times before it, as no zone's clocks "
            f"change ({CHANGES}); all times must have one time zone, or all none",
            OUTSIDE: f"the {noun} {shown(text)} lies outside what is allowed: 1970-01-01 (or 0 s) to the year 9999",
        }[fault]


class NumberCell(NamedTuple):
    """A number from 0 up, or a hole."""

    noun: str
    sql: str
    is_text: bool
    largest: float = LARGEST_VALUE
    allowed_to: str = "1e15"
    """The largest in words."""
    divisor: float = 1.0
    """Units of the file in one of ours."""
    is_interval: bool = False
    holes: tuple[str, ...] = HOLES

    def number_sql(self, raw: str) -> str:
        """SQL for the number in column `raw`; NULL or NaN where there is none."""
        number = f"epoch({raw})" if self.is_interval else f"TRY_CAST({raw} AS DOUBLE)"
        return number if self.divisor == 1.0 else f"({number} / {self.divisor:.1f})"

    def whens(self, at: int) -> str:
        """The branches of a CASE that find what is wrong with the cell in this place."""
        raw, number, base = f"r{at}", f"v{at}", _PLACES * at
        hole = f" OR {_is_hole(raw, self.holes)}" if self.is_text else ""
        return f"""
            WHEN {number} IS NULL AND NOT ({raw} IS NULL{hole}) THEN {base + TEXT}
            WHEN isinf({number}) THEN {base + INFINITE}
            WHEN {number} < 0 THEN {base + NEGATIVE}
            WHEN {number} > {self.largest} AND NOT isnan({number}) THEN {base + HUGE}"""

    def sentence(self, fault: int, text: str) -> str:
        """What is wrong with a cell and what is allowed."""
        wrong = {
            TEXT: "is not a number",
            INFINITE: "is infinite",
            NEGATIVE: "is negative",
            HUGE: "is too large",
        }[fault]
        allowed = f"0 to {self.allowed_to}" if fault == HUGE else "0 up"
        return (
            f"the {self.noun} {shown(text)} {wrong}; allowed are numbers from {allowed}, and empty for a hole"
        )


Cell = TimeCell | NumberCell


def judged_sql(rows: Table, cells: Sequence[Cell]) -> str:
    """``SELECT`` of ``v0``, ``v1``, … (a number each, NULL or NaN where there is none) and ``fault``.

    For the place of each time also ``z0``, …: minutes that its clock is ahead of the first one's.
    """
    raws = ", ".join(f"{cell.sql} AS r{at}" for at, cell in enumerate(cells))
    numbers = ", ".join(f"{cell.number_sql(f'r{at}')} AS v{at}" for at, cell in enumerate(cells))
    aheads = {
        at: cell.column.form.ahead_sql.format(column=f"r{at}")
        for at, cell in enumerate(cells)
        if isinstance(cell, TimeCell)
    }
    clocks = "".join(f", ({sql})::TINYINT AS z{at}" for at, sql in aheads.items())
    places = ", ".join(
        [f"v{at}" for at in range(len(cells))] + [f"coalesce(z{at}, 0) AS z{at}" for at in aheads]
    )
    faults = ", ".join(f"nullif(CASE {cell.whens(at)} ELSE 0 END, 0)" for at, cell in enumerate(cells))
    return (
        f"SELECT {places}, coalesce({faults}, 0)::UTINYINT AS fault "
        f"FROM (SELECT *, {numbers}{clocks} FROM (SELECT {raws} FROM {rows.from_sql}))"
    )


def fault_error(linked: LinkedFile, rows: Table, cells: Sequence[Cell], fault: int, index: int) -> InputError:
    """The sentence for the row after `index` others.

    Args:
        linked: The file.
        rows: Its columns.
        cells: What was read of them.
        fault: As `judged_sql` gave it.
        index: Rows before it, in the order of the file.
    """
    cell = cells[fault // _PLACES]
    ((text,),) = linked.fetch(
        f"SELECT CAST({cell.sql} AS VARCHAR) FROM {rows.from_sql} LIMIT 1 OFFSET {index}"
    )
    place = row_place(linked.file, linked.fetch, rows, index)
    return InputError(linked.file.shown, cell.sentence(fault % _PLACES, text or ""), place)


def first_fault(linked: LinkedFile, rows: Table, cells: Sequence[Cell]) -> InputError | None:
    """The sentence for the first wrong row of a file, looked for in its order; None: there is none."""
    linked.database.use_threads(1)
    found = linked.fetch(
        f"SELECT fault, number FROM (SELECT fault, row_number() OVER () - 1 AS number "
        f"FROM ({judged_sql(rows, cells)})) WHERE fault <> 0 LIMIT 1"
    )
    return fault_error(linked, rows, cells, *found[0]) if found else None


def cell_fault(at: int, wrong: int) -> int:
    """The fault of a row whose cell in place `at` is wrong so."""
    return _PLACES * at + wrong


def _is_hole(raw: str, holes: Sequence[str]) -> str:
    listed = ", ".join(f"'{hole}'" for hole in holes)
    return f"lower(trim({raw})) IN ({listed})" if len(holes) > 1 else f"trim({raw}) = {listed}"
