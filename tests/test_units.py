"""What each reader of numbers with units takes, and the exact sentence for what it refuses."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from headrace import units
from headrace.units import UnitError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("3m", 180.0),
        ("1h30m", 5400.0),
        ("1h2m3s4ms", 3723.004),
        ("250ms", 0.25),
        ("1.5h", 5400.0),
        ("0s", 0.0),
        ("0.1s", 0.1),
        ("90m", 5400.0),
    ],
)
def test_duration(text: str, seconds: float) -> None:
    assert units.duration_s(text) == seconds


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (180, '180 has no unit: write "180s"'),
        (7.5, '7.5 has no unit: write "7.5s"'),
        ("180", '"180" has no unit: write "180s"'),
        ("3 min", '"3 min" is not a duration; did you mean "3m"?'),
        ("3M", '"3M" is not a duration; did you mean "3m"?'),
        ("1h 30m", '"1h 30m" is not a duration; did you mean "1h30m"?'),
        ("1 hour and 5 minutes", '"1 hour and 5 minutes" is not a duration; did you mean "1h5m"?'),
        ("1d", '"1d" is not a duration; did you mean "24h"?'),
        ("3:00", '"3:00" could be minutes or hours; write "3m" or "3h"'),
        ("-3m", '"-3m" is negative; a duration is 0s or more'),
        ("30s1m", '"30s1m" is not a duration; write one such as "90s", "3m" or "1h30m"'),
        ("5m5m", '"5m5m" is not a duration; write one such as "90s", "3m" or "1h30m"'),
        ("", '"" is not a duration; write one such as "90s", "3m" or "1h30m"'),
        (" 3m\n", '" 3m\\n" is not a duration; did you mean "3m"?'),
        ("1e3s", '"1e3s" is not a duration; write one such as "90s", "3m" or "1h30m"'),
        ("٣m", '"٣m" is not a duration; write one such as "90s", "3m" or "1h30m"'),
        (math.nan, 'nan is not a duration; write one such as "90s", "3m" or "1h30m"'),
        (math.inf, 'inf is not a duration; write one such as "90s", "3m" or "1h30m"'),
        (True, 'true is not a duration; write one such as "90s", "3m" or "1h30m"'),
        (None, 'null is not a duration; write one such as "90s", "3m" or "1h30m"'),
        ("9" * 399 + "h", f'"{"9" * 40}…" is larger than any number that can be reckoned with'),
        ("9" * 401 + "h", f'"{"9" * 40}…" is not a duration; write one such as "90s", "3m" or "1h30m"'),
    ],
)
def test_no_duration(value: object, sentence: str) -> None:
    with pytest.raises(UnitError) as error:
        units.duration_s(value)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("read", "value", "number"),
    [
        (units.ratio, "75%", 0.75),
        (units.ratio, 0.75, 0.75),
        (units.ratio, "0.75", 0.75),
        (units.ratio, "0.1%", 0.001),
        (units.ratio, "200%", 2.0),
        (units.ratio, 0, 0.0),
        (units.number, -0.2, -0.2),
        (units.number, "-0.2", -0.2),
        (units.count, 8, 8),
        (units.count, "8", 8),
        (units.count, "-3", -3),
        (units.size_bytes, "141GB", 141e9),
        (units.size_bytes, "48GiB", 48 * 2.0**30),
        (units.size_bytes, "1.5kB", 1500.0),
        (units.size_bytes, "7B", 7.0),
        (units.rate_per_s, "7.5/s", 7.5),
        (units.rate_per_s, "450/m", 7.5),
        (units.rate_per_s, "27000/h", 7.5),
        (units.rate_per_s, 7.5, 7.5),
    ],
)
def test_other_readers(read: Callable[[object], float], value: object, number: float) -> None:
    assert read(value) == number


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (units.ratio, "75 %", '"75 %" is not a share; did you mean "75%"?'),
        (units.ratio, "75 percent", '"75 percent" is not a share; did you mean "75%"?'),
        (units.ratio, "-5%", '"-5%" is negative; write a share such as 75% or 0.75'),
        (units.ratio, -1, "-1 is negative; write a share such as 75% or 0.75"),
        (units.ratio, ".5", '".5" is not written in plain digits; write 0.5'),
        (units.ratio, "3/4", '"3/4" is not a share; write a share such as 75% or 0.75'),
        (units.ratio, True, "true is not a share; write a share such as 75% or 0.75"),
        (units.ratio, math.nan, "nan is not a share; write a share such as 75% or 0.75"),
        pytest.param(
            units.ratio,
            10**5000,
            "a huge number is not a share; write a share such as 75% or 0.75",
            id="huge",
        ),
        (units.number, "-inf", '"-inf" is not a number; write digits such as 0.5'),
        (units.number, "9" * 399, f'"{"9" * 40}…" is larger than any number that can be reckoned with'),
        (units.number, [1], "a list is not a number; write digits such as 0.5"),
        (units.count, 8.5, "8.5 is not a whole number; write 8 or 9"),
        (units.count, -8.5, "-8.5 is not a whole number; write -9 or -8"),
        (units.count, 8.0, "8.0 is not a whole number; write 8"),
        (units.count, "010", '"010" is not written in plain digits; write 10'),
        (units.count, "1_000", '"1_000" is not written in plain digits; write 1000'),
        (units.count, "1,000", '"1,000" is not written in plain digits; write 1000'),
        (units.count, "1e3", '"1e3" is not written in plain digits; write 1000'),
        (units.count, "0x10", '"0x10" is not a whole number; write digits such as 8'),
        (units.count, "9" * 30, f'"{"9" * 30}" has more than 18 digits'),
        (units.count, False, "false is not a whole number; write digits such as 8"),
        (units.size_bytes, "141Gb", '"141Gb" is not a size; did you mean "141GB"?'),
        (units.size_bytes, "48Gi", '"48Gi" is not a size; did you mean "48GiB"?'),
        (units.size_bytes, "141 GB", '"141 GB" is not a size; did you mean "141GB"?'),
        (units.size_bytes, "141", '"141" is not a size; write one such as "141GB" or "48GiB"'),
        (units.size_bytes, "-1GB", '"-1GB" is not a size; write one such as "141GB" or "48GiB"'),
        (units.size_bytes, 141, '141 is not a size; write one such as "141GB" or "48GiB"'),
        (units.rate_per_s, "7.5 req/s", '"7.5 req/s" is not a rate; did you mean "7.5/s"?'),
        (units.rate_per_s, "450/min", '"450/min" is not a rate; did you mean "450/m"?'),
        (units.rate_per_s, "7rps", '"7rps" is not a rate; did you mean "7/s"?'),
        (units.rate_per_s, -1, '-1 is negative; write one such as "7.5/s"'),
        (units.rate_per_s, math.inf, 'inf is not a rate; write one such as "7.5/s"'),
    ],
)
def test_other_refusals(read: Callable[[object], float], value: object, sentence: str) -> None:
    with pytest.raises(UnitError) as error:
        read(value)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (units.duration_text(5400.0), "1h30m"),
        (units.duration_text(0.0), "0s"),
        (units.duration_text(0.25), "250ms"),
        (units.duration_text(1.5), "1.5s"),
        (units.duration_text(90061.0), "25h1m1s"),
        (units.ratio_text(0.001), "0.1%"),
        (units.ratio_text(0.07), "7%"),
        (units.number_text(1e-05), "0.00001"),
        (units.number_text(8.0), "8"),
        (units.number_text(-0.0), "0"),
        (units.size_text(141e9), "141GB"),
        (units.size_text(48 * 2.0**30), "48GiB"),
        (units.rate_text(7.5), "7.5/s"),
    ],
)
def test_texts(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize("seconds", [-1.0, math.nan, math.inf])
def test_no_text_for_what_is_no_duration(seconds: float) -> None:
    with pytest.raises(UnitError, match="must be 0 or more and finite"):
        units.duration_text(seconds)


def test_shown_escapes_and_cuts() -> None:
    assert units.shown("a\x1b[31m\n") == '"a\\x1b[31m\\n"'
    assert units.shown("x" * 41) == '"' + "x" * 40 + '…"'
    assert units.shown(10**40) == "a huge number"


def test_a_name_is_never_a_command_to_a_terminal() -> None:
    assert units.printable("llama-70b é") == "llama-70b é"
    assert units.printable("a\x1b[2Jb\n\u202e") == "a\\x1b[2Jb\\n\\u202e"
