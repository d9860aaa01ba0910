"""Holds the words and figures of the page: no 0 for what is not, times as given, the right policy named."""

from dataclasses import replace

import numpy as np
import pytest

from headrace.report import captions
from headrace.report.chart import Clock, TableRow, Timeline, Trace

NAN = float("nan")


def chart(
    *, clock: Clock = "day", start_s: float = 0.0, n: int = 24, over: tuple[tuple[float, float], ...] = ()
) -> Timeline:
    flat = np.full(n, 7.5)
    trace = Trace("p", flat, flat * 0, flat * 0, np.array(over, dtype=float).reshape(-1, 2))
    times = start_s + np.arange(n, dtype=np.float64) * 3600.0
    return Timeline(times, 3600.0, clock, flat, "slots", (trace,))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (0.001, "<0.1"),
        (0.17, "0.2"),
        (28.8, "28.8"),
        (5.0, "5"),
        (99.96, "100"),
        (3225.4, "3,225"),
        (NAN, "–"),
        (float("inf"), "–"),
    ],
)
def test_counts(value: float, said: str) -> None:
    assert captions.count(value) == said


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (0.0, "0 %"),
        (1e-7, "<0.01 %"),
        (0.0009, "0.09 %"),
        (0.123, "12 %"),
        (0.946, "94.6 %"),
        (0.9999, "99.99 %"),
        (0.999999, ">99.99 %"),
        (1.0, "100 %"),
        (NAN, "–"),
    ],
)
def test_shares_are_never_rounded_to_none_or_all(ratio: float, said: str) -> None:
    assert captions.share(ratio) == said


@pytest.mark.parametrize(
    ("span_s", "said"),
    [
        (10, "10 s"),
        (0.25, "0.25 s"),
        (60, "1 min"),
        (950, "15 min 50 s"),
        (3600, "1 h"),
        (3900, "1 h 5 min"),
        (86400 * 7, "7 days"),
        (86400 * 366, "366 days"),
    ],
)
def test_lengths(span_s: float, said: str) -> None:
    assert captions.length(span_s) == said


def test_times_are_as_given_and_say_what_they_count() -> None:
    assert "hour of the day" in captions.time_axis(chart())
    assert captions.span(chart()) == "00:00 to 24:00 (24 h in steps of 1 h)"
    utc = chart(clock="utc", start_s=1709251200.0)
    assert captions.time_axis(utc) == "time in UTC, 2024-03-01"
    week = chart(clock="utc", start_s=1709251200.0, n=168)
    assert captions.time_axis(week) == "time in UTC"
    assert captions.span(week) == "2024-03-01 00:00 to 2024-03-08 00:00 (7 days in steps of 1 h)"
    assert captions.moment(90_000.0, "day", dated=True) == "day 2 01:00"
    assert captions.date(1e18).startswith("day ")


def test_the_cheapest_that_is_never_over_is_named_and_no_bound_is() -> None:
    rows = [
        TableRow("cheap", 5.0, 9.0, 10.0, 1.0),
        TableRow("dear", 0.0, 0.0, 30.0, 1.0),
        TableRow("good", 0.0, 0.0, 20.0, 1.0),
        TableRow("bound", 0.0, 0.0, 5.0, NAN, bound=True),
    ]
    assert captions.verdict(rows) == (
        "Never over capacity for the fewest GPU-hours: ",
        "good",
        ", 20 GPU-hours (among 3 policies).",
    )
    calmer = replace(rows[0], policy="calmer", requests_over=3.0)
    before, name, after = captions.verdict([rows[0], calmer, rows[3]])
    assert (before[:23], name) == ("Every policy was over c", "calmer")
    assert "3 requests in 5 minutes" in after
    assert captions.verdict([rows[3]]) == ("", "", "")


def test_moments_in_words() -> None:
    one = chart(over=((32460.0, 33420.0),))
    assert captions.over(one, one.traces[0]) == "Over capacity once: 09:01 for 16 min."
    none = chart()
    assert captions.figure(none, none.traces[0]) == (
        "Demand 7.5 slots, capacity ready 7.5, starting up to 0, draining up to 0. Never over capacity."
    )
    many = chart(over=((0.0, 10.0), (60.0, 660.0), (3600.0, 7200.0), (9000.0, 9300.0)))
    said = captions.over(many, many.traces[0])
    assert said == (
        "Over capacity 4 times, 1 h 15 min in all; the longest: 00:01 for 10 min; 01:00 for 1 h; "
        "02:30 for 5 min."
    )
