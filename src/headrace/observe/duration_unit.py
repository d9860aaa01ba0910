"""In which unit a column of durations is: as said, by its name, or by its first values."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from headrace.errors import InputError
from headrace.observe.cells import HOLES, LONGEST_S, NumberCell
from headrace.observe.column_names import PER_S, unit_of
from headrace.observe.source_file import SourceFile
from headrace.observe.table import NUMBER_KINDS, Table, required_kind

_TYPICAL_S = 900.0
"""Half of all requests take at most this; the longest drain that is ever proposed."""
_TYPICAL_WHOLE_S = 60.0
"""The same where all are whole numbers: seconds are seldom written without a fraction."""


class DurationColumn(NamedTuple):
    """A column of durations, read as seconds."""

    cell: NumberCell
    note: str
    """One sentence where the unit was assumed; "" where it was said, by the user or by the name."""


def duration_column(file: SourceFile, rows: Table, at: int, unit: str | None) -> DurationColumn:
    """How to read a column of durations.

    Args:
        file: The file, for messages.
        rows: Its columns.
        at: Position of the column.
        unit: One of `PER_S`; None: not said.

    Raises:
        InputError: The unit is none, or the column is of a type that holds no durations.
    """
    if unit is not None and unit not in PER_S:
        raise InputError(
            "--duration-unit", f"{unit!r} is no unit of durations; allowed are {', '.join(PER_S)}"
        )
    name, sql = rows.names[at], rows.column_sqls[at]
    if rows.kinds[at] == "INTERVAL":
        return DurationColumn(
            NumberCell("duration", sql, False, LONGEST_S, "1e8 s (three years)", 1.0, True), ""
        )
    is_text = required_kind(file, rows, at, NUMBER_KINDS) == "VARCHAR"
    known = unit or unit_of(name)
    assumed, note = (known, "") if known else _assumed(name, rows.texts.get(at, ()))
    cell = NumberCell(
        "duration",
        sql,
        is_text,
        LONGEST_S,
        f"{LONGEST_S * PER_S[assumed]:.0e} {assumed} (three years)".replace("e+0", "e").replace("e+", "e"),
        PER_S[assumed],
        holes=(*HOLES, "-"),
    )
    return DurationColumn(cell, note)


def _assumed(name: str, texts: Sequence[str | None]) -> tuple[str, str]:
    """The unit in which the typical request is not longer than a quarter of an hour, and a sentence."""
    values = [value for text in texts if (value := _number(text)) is not None]
    typical = statistics.median(values) if values else 0.0
    whole = bool(values) and all(value.is_integer() for value in values)
    limit = _TYPICAL_WHOLE_S if whole else _TYPICAL_S
    steps = sum(typical > limit * factor for factor in (1.0, 1e3, 1e6))
    unit = ("s", "ms", "us", "ns")[steps]
    kind = "whole numbers, " if whole else ""
    return unit, (
        f"Assumed: {name!r} is in {unit}, by its first values ({kind}{typical:.4g} in the middle); "
        "--duration-unit says otherwise."
    )


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0.0 else None
