"""The texts of options, read strictly: each mistake is one sentence with option, value and what is allowed.

Nothing here takes long to import: a wrong option is told before anything is read or computed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from headrace import units
from headrace.errors import InputError

DAY_S = 86_400.0

Number = TypeVar("Number", int, float)


def duration_s(option: str, text: object, least_s: float, most_s: float) -> float:
    """A duration option, within bounds; days may stand in front (``"2d12h"``)."""
    days, rest = 0, str(text)
    if match := re.fullmatch(r"([0-9]{1,9})d(.*)", rest):
        days, rest = int(match[1]), match[2] or "0s"
    value = days * DAY_S + read(option, units.duration_s, rest, text)
    return within(option, value, least_s, most_s, text, span_text)


def count(option: str, least: int, most: int) -> Callable[[object], int]:
    """Reads a whole number within bounds."""
    return lambda text: within(option, read(option, units.count, text), least, most, text, str)


def duration(option: str, least_s: float, most_s: float) -> Callable[[object], float]:
    """Reads a duration within bounds, in seconds."""
    return lambda text: duration_s(option, text, least_s, most_s)


def positive(option: str, least: float, most: float) -> Callable[[object], float]:
    """Reads a number above 0 and within bounds; ``--per-replica`` may be a rate (``450/m``)."""

    def reader(text: object) -> float:
        value = read(option, units.rate_per_s if option == "--per-replica" else units.number, text)
        if value <= 0.0:
            raise InputError(option, f"{units.shown(text)} is not above 0")
        return within(option, value, least, most, text, units.number_text)

    return reader


def given(typed: Mapping[str, object], fields: Iterable[str]) -> dict[str, object]:
    """Those of the fields that were given; None, False and an empty list: not given."""
    return {name: typed[name] for name in fields if typed.get(name) not in (None, False, [], ())}


def place(option: str, what: str = "FILE") -> Callable[[object], str]:
    """Reads a place that something is read from or written to; not an empty one."""

    def reader(text: object) -> str:
        if not text:
            raise InputError(option, f"names no file; write {what}")
        return str(text)

    return reader


def chosen(option: str, names: Sequence[str]) -> Callable[[object], str]:
    """Reads one of some names."""
    return lambda text: named(option, str(text), names)


def read(option: str, reader: Callable[[object], Number], text: object, whole: object = None) -> Number:
    """What the reader makes of a text; `whole` is what it is a part of.

    Raises:
        InputError: In the option's name.
    """
    try:
        return reader(text)
    except units.UnitError as error:
        problem = str(error)
        if whole is not None and whole != text:
            problem = f"{units.shown(whole)}: {problem}"
        raise InputError(option, problem) from None


def within(
    option: str, value: Number, least: Number, most: Number, text: object, words: Callable[[Number], str]
) -> Number:
    """The value, if it is within bounds (ends included)."""
    if value < least:
        raise InputError(option, f"{units.shown(text)} is below the smallest allowed value, {words(least)}")
    if value > most:
        raise InputError(option, f"{units.shown(text)} is above the largest allowed value, {words(most)}")
    return value


def named(option: str, text: str, names: Sequence[str]) -> str:
    """The text, if it is one of the names; else the nearest is suggested."""
    if text in names:
        return text
    near = difflib.get_close_matches(text, names, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise InputError(option, f"{units.shown(text)} is not one of {', '.join(names)}{hint}")


def span_text(seconds: float) -> str:
    """A duration as an option takes it: ``3d``, ``90s``."""
    whole_days = seconds >= 2 * DAY_S and seconds % DAY_S == 0
    return f"{seconds / DAY_S:.0f}d" if whole_days else units.duration_text(seconds)
