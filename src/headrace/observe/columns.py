"""Which column is the time and which the demand, and how the head of a text table is laid out.

A name that says it wins; then the only column whose content fits. Where two fit, nothing is guessed.
"""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from headrace.errors import InputError
from headrace.observe.source_file import NoRows
from headrace.observe.timestamps import time_form

_TIME_NAMES = frozenset(
    {
        "ts",
        "timestamp",
        "time",
        "t",
        "date",
        "datetime",
        "date_time",
        "epoch",
        "unix",
        "unixtime",
        "unix_time",
    }
    | {"window_start", "start_time", "at", "ds"}
    | {
        f"{name}_{unit}"
        for name in ("t", "ts", "time", "timestamp", "epoch", "at")
        for unit in ("s", "ms", "us", "ns")
    }
)
_RATE_NAMES = frozenset(
    {
        "rate_rps",
        "rps",
        "qps",
        "rate",
        "requests_per_s",
        "requests_per_second",
        "req_per_s",
        "req/s",
        "requests/s",
    }
)
_SLOT_NAMES = frozenset({"slots", "concurrency", "in_flight", "inflight", "active_requests"})
_VALUE_NAMES = _RATE_NAMES | _SLOT_NAMES | {"value", "values", "requests", "demand", "count", "load", "y"}
_DELIMITERS = ",;\t|"
_SAMPLED_ROWS = 50


class Columns(NamedTuple):
    """The two columns that are read."""

    time: int
    """Position of the time column, from 0."""
    value: int
    """Position of the demand column, from 0."""
    note: str
    """One sentence on what was guessed; "" if both were given."""


class TextHead(NamedTuple):
    """The layout of a delimited text file."""

    delimiter: str
    names: tuple[str, ...]
    skipped: int
    """Lines before the first row of data: comments, blank lines and the header."""
    has_header: bool


def text_head(source: str, lines: Sequence[str], fewest: int = 2) -> TextHead:
    """Delimiter and column names, from the first lines of a text file.

    Args:
        source: The file's name, for messages.
        lines: Its first lines, blank ones as "".
        fewest: Columns that are needed.

    Raises:
        InputError: There are no lines (NoRows), or no delimiter splits them into `fewest` columns.
    """
    before = 0
    while before < len(lines) and (
        not lines[before].strip() or lines[before].lstrip("\ufeff").startswith("#")
    ):
        before += 1
    body = [line for line in lines[before : before + _SAMPLED_ROWS] if line.strip()]
    if not body:
        raise NoRows(source, "the file is empty")
    first = body[0].lstrip("\ufeff")
    widths = {sep: len(_fields(source, first, sep)) for sep in _DELIMITERS}
    agreeing = {
        sep: sum(len(_fields(source, line, sep)) == widths[sep] for line in body) for sep in _DELIMITERS
    }
    delimiter = max(_DELIMITERS, key=lambda sep: (widths[sep] > 1, agreeing[sep], widths[sep]))
    if widths[delimiter] < fewest:
        raise InputError(
            source,
            f"one column only ({shown(first)}); a time and a value are needed, "
            "separated by ',', ';', tab or '|'",
        )
    fields = [field.strip() for field in _fields(source, first, delimiter)]
    if any(_is_number(field) or time_form("", field) for field in fields):
        return TextHead(delimiter, tuple(f"column{i + 1}" for i in range(len(fields))), before, False)
    if first.count('"') % 2:
        raise InputError(source, "a quote is opened and not closed", f"row {before + 1}")
    return TextHead(delimiter, tuple(fields), before + 1, True)


def _fields(source: str, line: str, delimiter: str) -> list[str]:
    return next(_rows(source, [line], delimiter), [])


def _rows(source: str, lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """Delimited lines as fields, by Python's reader, which takes none of more than 131,072 characters."""
    try:
        yield from csv.reader(lines, delimiter=delimiter)
    except csv.Error as error:
        raise InputError(source, f"its first lines can't be read as CSV ({error})") from None


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True


def shown(text: str) -> str:
    """A text of the file in a message: in quotes, cut where it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def chosen_columns(
    source: str,
    names: Sequence[str],
    samples: Mapping[int, Sequence[str | None]],
    time: str | None,
    value: str | None,
) -> Columns:
    """The time and the value column: as named, or guessed by name, then by content.

    Args:
        source: The file's name, for messages.
        names: All column names in their order.
        samples: For each position the first texts of that column (None or "" = empty).
        time: Name given for the time column, or None.
        value: Name given for the value column, or None.

    Raises:
        InputError: A name that is not there, or a guess that would be ambiguous.
    """
    at_time = named(source, names, time, "--time-column") if time is not None else None
    at_value = named(source, names, value, "--value-column") if value is not None else None
    if at_time is None:
        others = [i for i in range(len(names)) if i != at_value]
        fitting = [i for i in others if _is_time_column(names[i], samples.get(i, ()))]
        at_time = _guessed(source, names, others, fitting, "time")
    if at_value is None:
        others = [i for i in range(len(names)) if i != at_time]
        fitting = [i for i in others if _is_value_column(samples.get(i, ()))]
        at_value = _guessed(source, names, others, fitting, "value")
    if at_time == at_value:
        raise InputError(source, f"{names[at_time]!r} can't be both the time and the value column")
    return Columns(at_time, at_value, _note(names, at_time, at_value, time is None, value is None))


def value_unit(name: str) -> str:
    """What one value counts, where the column's name says it: ``"requests/s"``, ``"slots"`` or ""."""
    return "requests/s" if name.lower() in _RATE_NAMES else "slots" if name.lower() in _SLOT_NAMES else ""


def named(source: str, names: Sequence[str], wanted: str, option: str) -> int:
    """The position of the column that was named: as written, else whatever the case.

    Raises:
        InputError: There is none (with the nearest name), or there are several.
    """
    exact = [i for i, name in enumerate(names) if name == wanted]
    found = exact or [i for i, name in enumerate(names) if name.lower() == wanted.lower()]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            source, f"{len(found)} columns are named {wanted!r}; rename them, so that {option} names one"
        )
    near = difflib.get_close_matches(wanted, names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise InputError(source, f"there is no column {wanted!r}{hint}; the columns are {listed(names)}")


def _guessed(source: str, names: Sequence[str], others: list[int], fitting: list[int], role: str) -> int:
    """The one column whose name says it, else the one whose content fits.

    A name is enough by itself: where its content is wrong, the reader names the first row that is.
    """
    known = _TIME_NAMES if role == "time" else _VALUE_NAMES
    found = [i for i in others if names[i].strip().lower() in known] or fitting
    if len(found) == 1:
        return found[0]
    why = "no column looks like" if not found else f"{listed([names[i] for i in found])} could each be"
    raise InputError(
        source, f"{why} the {role} column; name it with --{role}-column (the columns are {listed(names)})"
    )


def _is_time_column(name: str, texts: Sequence[str | None]) -> bool:
    """Its first text is a date, or a number as large as an epoch time."""
    first = next((text for text in texts if text and text.strip()), "")
    form = time_form(name, first)
    return form is not None and form.zone != ""


def _is_value_column(texts: Sequence[str | None]) -> bool:
    """Most of its first values are numbers."""
    filled = [text for text in texts if text and text.strip()]
    return bool(filled) and sum(map(_is_number, filled)) * 2 >= len(filled)


def _note(names: Sequence[str], at_time: int, at_value: int, time_guessed: bool, value_guessed: bool) -> str:
    guesses = [
        f"{role} column {names[at]!r} (--{role}-column names another)"
        for role, at, guessed in (("time", at_time, time_guessed), ("value", at_value, value_guessed))
        if guessed
    ]
    return f"Guessed: {', '.join(guesses)}." if guesses else ""


def listed(names: Sequence[str]) -> str:
    """Names in a message, quoted, the first twelve."""
    shown = ", ".join(repr(name) for name in names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def field_texts(source: str, head: TextHead, lines: Sequence[str]) -> dict[int, list[str | None]]:
    """The first texts of each column of a delimited file, by position; short rows give None."""
    body = [line for line in lines[head.skipped :] if line.strip()]
    rows = list(_rows(source, body, head.delimiter))
    return {i: [row[i] if i < len(row) else None for row in rows] for i in range(len(head.names))}


def member_texts(objects: Sequence[object]) -> tuple[tuple[str, ...], dict[int, list[str | None]]]:
    """The names of JSON objects' members, in order of appearance, and their first texts by position."""
    names: dict[str, None] = {}
    for item in objects:
        names.update(dict.fromkeys(item if isinstance(item, dict) else ()))
    return tuple(names), {
        at: [_member_text(item.get(name) if isinstance(item, dict) else None) for item in objects]
        for at, name in enumerate(names)
    }


def _member_text(member: object) -> str | None:
    return member if isinstance(member, str) else None if member is None else str(member)
