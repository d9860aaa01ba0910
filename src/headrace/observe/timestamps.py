"""How the time column of a history is written, told from its first values, and the SQL that reads it.

The reading itself is left to DuckDB (31 million rows); only the form is settled here, from the first time.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import NamedTuple

LATEST_S = 253_402_300_799.0
"""9999-12-31T23:59:59Z; a time after this, or before 0, is refused."""

_EPOCH_FROM = 1e8
"""Numbers from here up are epoch times (1973 in seconds), below it seconds since the start of the history."""
_UNITS: tuple[tuple[float, float, str], ...] = (
    (1e17, 1e9, "nanoseconds"),
    (1e14, 1e6, "microseconds"),
    (1e11, 1e3, "milliseconds"),
    (_EPOCH_FROM, 1.0, "seconds"),
)
"""(smallest number, units per second, name): epoch units are a factor 1,000 apart, so magnitude decides."""
_NAMED_UNITS = {"ms": (1e3, "milliseconds"), "us": (1e6, "microseconds"), "ns": (1e9, "nanoseconds")}
_ISO = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"
    r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?",
    re.ASCII | re.IGNORECASE,
)
_ZONE_SQL = r"regexp_extract({column}, ':[0-9.]+ ?([zZ]|[uU][tT][cC]|[gG][mM][tT]|[+-][0-9:]+)$', 1)"

MOST_AHEAD_MIN = 60
"""By how much clocks are changed; Lord Howe's by 30 minutes, and no inhabited place's by more than an hour."""
_AHEAD_STEP_MIN = 15

ALLOWED = "epoch seconds, ms, µs or ns, seconds since the start, or ISO 8601 (2024-03-01T00:00:00Z)"
"""The forms that are read, for messages."""


class TimeForm(NamedTuple):
    """One way of writing times."""

    seconds_sql: str
    """SQL for the seconds, DOUBLE, NULL where the text has another form; ``{column}`` is the column."""
    zone_differs_sql: str
    """SQL, true where the zone is not that of the first value, nor one that its clocks could change to; ``{ahead}``
    is what `ahead_sql` gives."""
    zone: str
    """Zone of the first value ("UTC", "+02:00"); "" for relative times."""
    note: str
    """What the user should know of how the times were read; "" if nothing."""
    named: str
    """The form in a message: "an ISO 8601 time", "a number"."""
    ahead_sql: str = "0"
    """SQL for the minutes that the clock is ahead of that of the first value, at most `MOST_AHEAD_MIN` either way;
    NULL for any other zone."""


def time_form(column: str, text: str) -> TimeForm | None:
    """The form of the first time of a column; None if it is in none of the forms of `ALLOWED`.

    Args:
        column: The column's name; a unit at its end (``t_ms``) counts for numbers too small for epochs.
        text: The first time that is not empty.
    """
    text = text.strip()
    number = _number(text)
    if number is not None:
        return _number_form(column, number)
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    zone = match[1] or ""
    return _aware_form(zone) if zone else _naive_form()


def timestamp_form(aware: bool) -> TimeForm:
    """The form of a typed column (Parquet's TIMESTAMP, with or without UTC)."""
    note = "" if aware else "The times carry no zone: taken as UTC."
    return TimeForm("epoch_us(CAST({column} AS TIMESTAMP)) / 1e6", "false", "UTC", note, "a timestamp")


def _number(text: str) -> float | None:
    if not text.isascii():
        return None  # Python reads all digits of Unicode, DuckDB only 0 to 9
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _number_form(column: str, number: float) -> TimeForm:
    per_s, name, zone = 1.0, "seconds", ""
    for smallest, units_per_s, unit_name in _UNITS:
        if abs(number) >= smallest:
            per_s, name, zone = units_per_s, unit_name, "UTC"
            break
    else:
        ending = re.split(r"[^a-z]+", column.lower())[-1]
        per_s, name = _NAMED_UNITS.get(ending, (per_s, name))
    sql = f"TRY_CAST({{column}} AS DOUBLE) / {per_s:.1f}"
    note = (
        f"The times are epoch {name}." if zone else f"The times are {name} since the start, not clock times."
    )
    return TimeForm(sql, "false", zone, note, "a number")


def _naive_form() -> TimeForm:
    return TimeForm(
        "epoch_us(TRY_CAST({column} AS TIMESTAMP)) / 1e6",
        # past the date only digits, colon, dot: cheaper than extracting the zone of 31 million rows
        "regexp_matches(substr({column}, 11), '[^0-9:.T \r\n]')",
        "UTC",
        "The times carry no zone: taken as UTC.",
        "an ISO 8601 time",
    )


def _aware_form(zone: str) -> TimeForm:
    return TimeForm(
        "epoch_us(TRY_CAST({column} AS TIMESTAMPTZ)) / 1e6",
        "{ahead} IS NULL",
        _canonical_zone(zone),
        "",
        "an ISO 8601 time",
        _ahead_sql(zone),
    )


def _ahead_sql(zone: str) -> str:
    """Minutes ahead of `zone`, from the spelling of a time's own.

    Times end in one spelling or two through most files, and are told by their end; any other spelling is looked for
    with a regular expression, which would be slow for 31 million rows.
    """
    first_min = _offset_min(_canonical_zone(zone))
    ends: dict[str, int] = {zone: 0}
    spellings: dict[str, int] = {}
    for ahead in range(-MOST_AHEAD_MIN, MOST_AHEAD_MIN + 1, _AHEAD_STEP_MIN):
        at = zone_name(first_min + ahead)
        if at == "UTC":
            ends.setdefault("Z", ahead)
            spellings |= dict.fromkeys(("Z", "UTC", "GMT", "+00", "+0000", "-00", "-0000"), ahead)
            at = "+00:00"
        ends.setdefault(at if ":" in zone or zone.isalpha() else at.replace(":", ""), ahead)
        spellings |= dict.fromkeys((at.replace(":", ""), *((at[:3],) if at.endswith(":00") else ())), ahead)
    by_end = " ".join(f"WHEN ends_with({{column}}, '{text}') THEN {ahead}" for text, ahead in ends.items())
    by_spelling = " ".join(f"WHEN '{text}' THEN {ahead}" for text, ahead in spellings.items())
    return f"CASE {by_end} ELSE CASE replace(upper({_ZONE_SQL}), ':', '') {by_spelling} END END"


def zone_name(offset_min: int) -> str:
    """A fixed offset from UTC as a zone: "+02:00", "UTC"."""
    hours, minutes = divmod(abs(offset_min), 60)
    return f"{'-' if offset_min < 0 else '+'}{hours:02}:{minutes:02}" if offset_min else "UTC"


def zone_ahead(zone: str, ahead_min: int) -> str:
    """The zone that is so many minutes ahead of another: "+02:00", 60 of "+01:00"; a zone that is 0 ahead is itself."""
    return zone_name(_offset_min(zone) + ahead_min) if ahead_min else zone


def _offset_min(canonical: str) -> int:
    if canonical == "UTC":
        return 0
    minutes = int(canonical[1:3]) * 60 + int(canonical[4:])
    return -minutes if canonical[0] == "-" else minutes


def _canonical_zone(zone: str) -> str:
    digits = zone.upper().replace(":", "")
    if digits in ("Z", "UTC", "GMT") or not digits[1:].strip("0"):
        return "UTC"
    return f"{digits[:3]}:{digits[3:] or '00'}"


def time_text(at_s: float, zone: str) -> str:
    """A time for people: ISO 8601 in UTC, or ``t = 600 s`` for relative times (`zone` "")."""
    if not zone:
        return f"t = {at_s:.10g} s"
    stamp = datetime.fromtimestamp(round(at_s, 6), UTC)
    return stamp.isoformat(timespec="microseconds" if stamp.microsecond else "seconds").replace("+00:00", "Z")


def duration_text(seconds: float) -> str:
    """A length of time for people, in its natural unit: ``"30 min"``, ``"3.2 days"``."""
    for unit_s, name in ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min")):
        if seconds >= 2 * unit_s:
            return (
                f"{seconds / unit_s:,.4g} {name}"
                if seconds < 9_999 * unit_s
                else f"{seconds / unit_s:,.0f} {name}"
            )
    return f"{seconds:.6g} s"
