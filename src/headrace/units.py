"""Numbers with units, read strictly and written back: durations, shares, counts, sizes, rates.

Inside, every number is in its base unit (seconds, a ratio, bytes, per second). Text is read here and nowhere
else, so a duration means the same in a file, in an option and in a custom resource. What is refused is
refused with one sentence (`UnitError`) that shows the value and what to write instead.

Each `…_text` writes what its reader reads back to the very same float: ``duration_s(duration_text(x)) == x``
for every finite float that is not negative.
"""

from __future__ import annotations

import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Final

NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?"
"""Decimal digits, no sign, no exponent, no separators: the one spelling that all readers of YAML agree on."""

LONGEST_CHARS: Final = 400
"""A longer text is never computed with; the longest float, spelled in plain digits, has 344."""
SHOWN_CHARS: Final = 40
"""A longer text is cut in messages."""

_SECONDS: Final[dict[str, int | Fraction]] = {"h": 3600, "m": 60, "s": 1, "ms": Fraction(1, 1000)}
_DURATION: Final = re.compile(rf"(?:({NUMBER})h)?(?:({NUMBER})m)?(?:({NUMBER})s)?(?:({NUMBER})ms)?")
_DURATION_WORDS: Final = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1, "s")),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), (1, "m")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (1, "h")),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), (1, "ms")),
    **dict.fromkeys(("d", "day", "days"), (24, "h")),
    **dict.fromkeys(("w", "week", "weeks"), (168, "h")),
}
_BYTES: Final[dict[str, int]] = {
    "TiB": 2**40,
    "TB": 10**12,
    "GiB": 2**30,
    "GB": 10**9,
    "MiB": 2**20,
    "MB": 10**6,
    "KiB": 2**10,
    "kB": 10**3,
    "B": 1,
}


class UnitError(ValueError):
    """A text or number that can't be read; the message is the sentence to show."""


def printable(text: str) -> str:
    """The text with everything that is no letter spelled out, so that a name is never a command to a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(value: object) -> str:
    """A value as a message shows it: text in quotes, cut at 40 characters, unprintable ones escaped."""
    if isinstance(value, str):
        cut = value if len(value) <= SHOWN_CHARS else value[:SHOWN_CHARS] + "…"
        return f'"{printable(cut)}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        # Python refuses to print an int of more than 4,300 digits, and nobody could read it.
        return str(value) if isinstance(value, float) or abs(value) < 10**SHOWN_CHARS else "a huge number"
    return f"a {type(value).__name__}"


def duration_s(value: object) -> float:
    """Seconds of ``"90s"``, ``"1h30m"``, ``"1.5h"``, ``"250ms"`` (largest unit first, each at most once).

    A bare number is refused even where seconds look obvious: one file's 180 is a neighbour's milliseconds.

    Raises:
        UnitError: Not such a text.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UnitError(f'{shown(value)} is not a duration; write one such as "90s", "3m" or "1h30m"')
    text = value if isinstance(value, str) else _digits(value)
    if re.fullmatch(NUMBER, text) and len(text) <= SHOWN_CHARS:
        raise UnitError(f'{shown(value)} has no unit: write "{text}s"')
    match = _DURATION.fullmatch(text) if len(text) <= LONGEST_CHARS else None
    if not text or match is None:
        raise UnitError(_duration_problem(value, text))
    parts = zip(match.groups(), _SECONDS.values(), strict=True)
    return _float(value, sum((Fraction(digits) * unit for digits, unit in parts if digits), Fraction(0)))


def duration_text(seconds: float) -> str:
    """``5400.0`` as ``"1h30m"``, ``0.25`` as ``"250ms"``, ``0.1234`` as ``"123.4ms"``; 0 as ``"0s"``."""
    if not math.isfinite(seconds) or seconds < 0:
        raise UnitError(f"{seconds} is not a duration; it must be 0 or more and finite")
    exact = Fraction(Decimal(repr(seconds + 0.0)))
    if 0 < exact < 1:
        return _digits(exact * 1000) + "ms"
    if exact.denominator != 1:
        return _digits(exact) + "s"
    hours, rest = divmod(exact.numerator, 3600)
    minutes, rest_s = divmod(rest, 60)
    parts = f"{hours}h" * (hours > 0) + f"{minutes}m" * (minutes > 0) + f"{rest_s}s" * (rest_s > 0)
    return parts or "0s"


def span_text(seconds: float) -> str:
    """A length for a sentence: ``"7 days"``, ``"1 day"``, ``"5h"``; days with at most three digits."""
    if seconds >= 86_400.0:
        days = f"{seconds / 86_400.0:,.3g}" if seconds < 86_400.0 * 999.5 else f"{seconds / 86_400.0:,.0f}"
        return "1 day" if days == "1" else f"{days} days"
    return duration_text(round(seconds) if seconds >= 1.0 else seconds)


def ratio(value: object) -> float:
    """A share as a ratio: ``"75%"``, ``0.75`` and ``"0.75"`` are all 0.75. Never negative; may be above 1.

    Raises:
        UnitError: Not such a text or number.
    """
    allowed = "write a share such as 75% or 0.75"
    if isinstance(value, str) and len(value) <= LONGEST_CHARS:
        if match := re.fullmatch(rf"({NUMBER})%", value):
            return _float(value, Fraction(match[1]) / 100)
        if match := re.fullmatch(rf"\s*({NUMBER})\s*(?:%|pct|percent|per cent)\s*", value, re.IGNORECASE):
            raise UnitError(f'{shown(value)} is not a share; did you mean "{match[1]}%"?')
        if re.fullmatch(rf"-{NUMBER}%", value):
            raise UnitError(f"{shown(value)} is negative; {allowed}")
    found = number(value, "a share", allowed)
    if found < 0:
        raise UnitError(f"{shown(value)} is negative; {allowed}")
    return found


def ratio_text(value: float) -> str:
    """``0.75`` as ``"75%"``, ``0.001`` as ``"0.1%"``."""
    return _digits(Fraction(Decimal(repr(value + 0.0))) * 100) + "%"


def number(value: object, noun: str = "a number", allowed: str = "write digits such as 0.5") -> float:
    """A plain finite number, maybe negative: ``0.9``, ``"0.9"``, ``-0.2``. No exponent, no separators.

    Args:
        value: What was given.
        noun: What the message calls it.
        allowed: What the message says to write.

    Raises:
        UnitError: Not such a text or number.
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
        return float(value)  # the comparison is false for NaN, infinities and an int that no float can hold
    if isinstance(value, str) and len(value) <= LONGEST_CHARS:
        if re.fullmatch(rf"-?{NUMBER}", value) and not re.match(r"-?0[0-9]", value):
            return _float(value, Fraction(value))
        if plain := _plain_digits(value):
            raise UnitError(f"{shown(value)} is not written in plain digits; write {plain}")
    raise UnitError(f"{shown(value)} is not {noun}; {allowed}")


def number_text(value: float) -> str:
    """``7.5`` as ``"7.5"``, ``8.0`` as ``"8"``, ``1e-05`` as ``"0.00001"``: never an exponent."""
    return _digits(value)


def count(value: object) -> int:
    """A whole number, maybe negative: ``8`` or ``"8"``. ``8.0``, ``1e3``, ``010`` and ``1_000`` are refused.

    Raises:
        UnitError: Not such a text or number.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", value):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{19,}", value):
        raise UnitError(f"{shown(value)} has more than 18 digits")
    found = number(value, "a whole number", "write digits such as 8")
    if abs(found) >= 1e18:
        raise UnitError(f"{shown(value)} has more than 18 digits")
    below = math.floor(found)
    near = f"{below} or {below + 1}" if found % 1 else _digits(found)
    raise UnitError(f"{shown(value)} is not a whole number; write {near}")


def size_bytes(value: object) -> float:
    """Bytes of ``"141GB"`` (powers of 1,000) or ``"48GiB"`` (powers of 1,024); B, kB, KiB, MB, … TiB.

    Raises:
        UnitError: Not such a text; ``Gb``, ``G`` and ``Gi`` are refused with the nearest right one.
    """
    text = value if isinstance(value, str) else ""
    match = re.fullmatch(rf"\s*(-?{NUMBER})\s*([A-Za-z]+)\s*", text) if len(text) <= LONGEST_CHARS else None
    if match and text == match[1] + match[2] and match[2] in _BYTES and not text.startswith("-"):
        return _float(value, Fraction(match[1]) * _BYTES[match[2]])
    spelled = {unit.casefold(): unit for unit in _BYTES}
    near = spelled.get(match[2].casefold().removesuffix("b") + "b") if match else None
    if match and near and not text.startswith("-"):
        raise UnitError(f'{shown(value)} is not a size; did you mean "{match[1]}{near}"?')
    raise UnitError(f'{shown(value)} is not a size; write one such as "141GB" or "48GiB"')


def size_text(value: float) -> str:
    """``141e9`` as ``"141GB"``, ``51539607552.0`` as ``"48GiB"``: the largest unit that fits evenly."""
    exact = Fraction(Decimal(repr(value + 0.0)))
    for unit, scale in _BYTES.items():
        if exact and (exact / scale).denominator == 1:
            return f"{exact / scale}{unit}"
    return _digits(exact) + "B"


def rate_per_s(value: object) -> float:
    """Events per second of ``"7.5/s"``, ``"450/m"`` or ``"27000/h"``; a bare number is per second.

    Raises:
        UnitError: Not such a text or number, or negative.
    """
    allowed = 'write one such as "7.5/s"'
    if isinstance(value, str) and len(value) <= LONGEST_CHARS:
        if match := re.fullmatch(rf"({NUMBER})/([smh])", value):
            return _float(value, Fraction(match[1]) / _SECONDS[match[2]])
        words = r"\s*(?:req|reqs|requests?|r)?\s*(?:/|per|p)\s*(s|m|h)[a-z]*\s*"
        if match := re.fullmatch(rf"\s*({NUMBER}){words}", value, re.IGNORECASE):
            raise UnitError(f'{shown(value)} is not a rate; did you mean "{match[1]}/{match[2].lower()}"?')
    found = number(value, "a rate", allowed)
    if found < 0:
        raise UnitError(f"{shown(value)} is negative; {allowed}")
    return found


def rate_text(value: float) -> str:
    """``7.5`` as ``"7.5/s"``."""
    return _digits(value) + "/s"


def _float(given: object, exact: Fraction) -> float:
    """The nearest float, rounded once."""
    try:
        return float(exact)
    except OverflowError as error:
        raise UnitError(f"{shown(given)} is larger than any number that can be reckoned with") from error


def _digits(value: float | Fraction) -> str:
    """Plain digits of a number whose decimal expansion ends; ``nan`` and ``inf`` as Python spells them."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Fraction):
        # Exact: a denominator of 2^a * 5^b, which is what a Decimal times or over a power of ten leaves.
        places = max(len(f"{value.denominator:b}"), 1)
        text = f"{value.numerator * 10**places // value.denominator:0{places + 1}d}"
        text = f"{text[:-places]}.{text[-places:]}"
    else:
        text = format(Decimal(repr(value)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _duration_problem(value: object, text: str) -> str:
    """Why a text that does not match is no duration, with the nearest one that is."""
    if re.fullmatch(rf"-(?:{NUMBER}(?:h|m|s|ms))+", text):
        return f"{shown(value)} is negative; a duration is 0s or more"
    if match := re.fullmatch(r"([0-9]{1,4}):00", text):
        return f'{shown(value)} could be minutes or hours; write "{int(match[1])}m" or "{int(match[1])}h"'
    found = re.findall(rf"({NUMBER})\s*([A-Za-z]+)", text) if len(text) <= LONGEST_CHARS else []
    spelled = re.sub(rf"{NUMBER}\s*[A-Za-z]+|\s|,|\band\b", "", text)
    if found and not spelled and all(word.lower() in _DURATION_WORDS for _, word in found):
        units = [(Fraction(digits), _DURATION_WORDS[word.lower()]) for digits, word in found]
        near = "".join(_digits(amount * times) + unit for amount, (times, unit) in units)
        if _DURATION.fullmatch(near):
            return f'{shown(value)} is not a duration; did you mean "{near}"?'
    return f'{shown(value)} is not a duration; write one such as "90s", "3m" or "1h30m"'


def _plain_digits(text: str) -> str:
    """What ``+8``, ``.5``, ``010``, ``1_000``, ``1,000`` or ``1e3`` likely means, in plain digits; or ""."""
    bare = re.sub(r"(?<=[0-9])[_,](?=[0-9]{3})", "", text)
    if not re.fullmatch(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?", bare):
        return ""
    plain = _digits(Fraction(Decimal(bare)))
    return plain if len(plain) <= SHOWN_CHARS else ""
