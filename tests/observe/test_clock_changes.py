"""Local times with offsets across a change of clocks are read as written; offsets that come and go are refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from headrace.errors import InputError
from headrace.observe.access_log import read_requests
from headrace.observe.duration_files import read_durations
from headrace.observe.history import read_demand
from headrace.observe.occupancy_files import read_occupancy

FileOf = Callable[[str, "str | bytes"], str]
SPRING = datetime(2026, 3, 29, 1, tzinfo=UTC)  # Europe's change
BERLIN = (
    "Its clocks change: +01:00 and +02:00; times are read as written, and local days are those of +02:00, "
    "its last."
)


def times(zone: str, start: datetime, count: int, step: timedelta, utc: str = "+00:00") -> list[str]:
    """Local times with offsets, `utc` for that of UTC."""
    local = [(start + step * at).astimezone(ZoneInfo(zone)) for at in range(count)]
    return [at.isoformat().replace("+00:00", utc) for at in local]


def problem(reader: Callable[[str], object]) -> str:
    """The sentence with which a.csv is refused."""
    with pytest.raises(InputError) as refused:
        reader("a.csv")
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("zone", "start", "utc", "note"),
    [
        ("Europe/Berlin", SPRING, "+00:00", "Its clocks change: +01:00 and +02:00; "),
        ("Europe/London", SPRING, "Z", "Its clocks change: UTC and +01:00; "),
        ("Europe/London", SPRING, "+00:00", "Its clocks change: UTC and +01:00; "),
        (
            "Australia/Lord_Howe",
            datetime(2026, 4, 4, 15, tzinfo=UTC),
            "",
            "Its clocks change: +10:30 and +11:00",
        ),
        (
            "America/St_Johns",
            datetime(2026, 3, 8, 5, 30, tzinfo=UTC),
            "",
            "Its clocks change: -03:30 and -02:30",
        ),
        (
            "America/New_York",
            datetime(2026, 11, 1, 6, tzinfo=UTC),
            "",
            "Its clocks change: -05:00 and -04:00",
        ),
    ],
    ids=lambda part: str(part)[:24],
)
def test_a_zone_whose_clocks_change_is_read_as_written(
    file_of: FileOf, zone: str, start: datetime, utc: str, note: str
) -> None:
    begin = start - timedelta(hours=10)
    written = times(zone, begin, 40, timedelta(minutes=30), utc)
    assert len({text[19:] for text in written}) == 2, "the change is in the file"
    file_of("a.csv", "timestamp,rps\n" + "".join(f"{text},{at}\n" for at, text in enumerate(written)))
    read = read_demand("a.csv")
    assert (read.series.start_s, read.series.step_s) == (begin.timestamp(), 1800.0)
    assert read.series.values.tolist() == list(range(40))
    assert any(said.startswith(note) for said in read.notes), read.notes
    assert read.zone == {"Z": "UTC"}.get(written[-1][19:], written[-1][19:]), "the last one"


def test_many_years_of_changes(file_of: FileOf) -> None:
    written = times("Europe/Berlin", datetime(2020, 1, 1, 0, tzinfo=UTC), 365 * 6 * 4, timedelta(hours=6))
    file_of("a.csv", "timestamp,rps\n" + "".join(f"{text},1\n" for text in written))
    read = read_demand("a.csv")
    assert (len(read.series), read.gaps, read.zone) == (365 * 6 * 4, (), "+01:00")


@pytest.mark.parametrize(
    ("offsets", "row"),
    [
        (["+01:00", "+01:00", "+02:00", "+01:00"], 5),
        (["Z", "+01:00", "Z", "+01:00"], 4),
        (["+01:00", "+02:00", "+02:00", "Z"], 5),
        (["+01:00", "Z", "+01:00", "+01:00"], 4),
    ],
    ids=["back at once", "Z and back", "two hours", "back to the first"],
)
def test_offsets_that_come_and_go_are_mixed_zones(file_of: FileOf, offsets: list[str], row: int) -> None:
    ahead = {"Z": 0, "+01:00": 1, "+02:00": 2}
    written = [
        f"{(SPRING + timedelta(hours=ahead[text], minutes=at)).isoformat()[:19]}{text}"
        for at, text in enumerate(offsets)
    ]
    file_of("a.csv", "timestamp,rps\n" + "".join(f"{text},1\n" for text in written))
    assert problem(read_demand) == (
        f"a.csv, row {row}: the time {written[row - 2]!r} has another offset than the times before it, as no zone's "
        "clocks change (by at most 1 h, 2 weeks apart, 4 times a year); all times must have one time zone, or all none"
    )


def test_a_change_to_an_earlier_time_is_of_two_zones_and_not_of_order(file_of: FileOf) -> None:
    file_of("a.csv", "timestamp,rps\n2026-03-01T10:00:00+01:00,1\n2026-03-01T10:01:00+02:00,2\n")
    assert "'2026-03-01T10:01:00+02:00' has another offset" in problem(read_demand)


@pytest.mark.parametrize("other", ["+05:00", "-01:00", "", "+03:00", "Z", "+01:15:30"])
def test_a_zone_far_away_is_refused_wherever_it_comes(file_of: FileOf, other: str) -> None:
    rows = [f"2026-03-01T10:{at:02}:00{other if at == 40 else '+02:00'}" for at in range(50)]
    if other == "+03:00":  # an hour away, but back at once
        rows[40] = "2026-03-01T11:40:00+03:00"
    file_of("a.csv", "timestamp,rps\n" + "".join(f"{text},1\n" for text in rows))
    told = problem(read_demand)
    assert told.startswith(f"a.csv, row {43 if other == '+03:00' else 42}: the time "), told
    assert "zone" in told or "is not an ISO 8601 time" in told


def test_access_logs_occupancy_and_spans_in_any_order(file_of: FileOf) -> None:
    ends = times("Europe/Berlin", SPRING - timedelta(hours=1), 720, timedelta(seconds=10))
    order = np.random.default_rng(3).permutation(720)
    file_of("a.csv", "end,duration_s\n" + "".join(f"{ends[at]},8\n" for at in order))
    log = read_requests("a.csv")
    assert (log.durations.count, log.zone) == (720, "+02:00")
    assert BERLIN in log.notes
    np.testing.assert_allclose(log.slots.values[5:-5], 0.8)
    starts = times("Europe/Berlin", SPRING - timedelta(hours=1, seconds=8), 720, timedelta(seconds=10))
    file_of("b.csv", "start,end\n" + "".join(f"{starts[at]},{ends[at]}\n" for at in order))
    read, notes = read_durations("b.csv")
    assert (read.count, read.total_s) == (720, 720 * 8.0)
    assert BERLIN in notes
    assert read_requests("b.csv").slots.values.tolist() == log.slots.values.tolist()
    file_of("c.csv", "ts,running,waiting\n" + "".join(f"{ends[at]},{at % 7},0\n" for at in order))
    seen, notes = read_occupancy("c.csv")
    assert seen.running.tolist() == [at % 7 for at in range(720)]
    assert BERLIN in notes


@pytest.mark.parametrize(
    ("head", "reader"),
    [
        ("end,duration_s", read_requests),
        ("ts,running,waiting", read_occupancy),
        ("start,end", read_durations),
    ],
    ids=["log", "occupancy", "spans"],
)
def test_mixed_zones_in_any_order_are_refused(
    file_of: FileOf, head: str, reader: Callable[[str], object]
) -> None:
    ends = times("Europe/Berlin", SPRING - timedelta(hours=1), 720, timedelta(seconds=10))
    ends[100] = (SPRING - timedelta(hours=1, seconds=-1000)).astimezone(ZoneInfo("Europe/Athens")).isoformat()
    assert ends[100].endswith("+02:00"), "an hour from Berlin's then"
    rest = {"end,duration_s": "8", "ts,running,waiting": "1,0"}
    rows = [f"{text},{rest.get(head, text)}\n" for text in ends]
    file_of("a.csv", head + "\n" + "".join(reversed(rows)))
    # rows are reversed, the times are not: the first that no change explains comes after the one at fault
    told = problem(reader)
    assert told.startswith("a.csv, row 62"), told
    assert "has another offset than the times before it" in told


def test_files_of_one_zone_before_and_after_its_change(file_of: FileOf) -> None:
    written = times("Europe/Berlin", SPRING - timedelta(minutes=2), 4, timedelta(minutes=1))
    for name, texts in (("a.csv", written[:2]), ("b.csv", written[2:])):
        file_of(name, "timestamp,rps\n" + "".join(f"{text},1\n" for text in texts))
    read = read_demand(["b.csv", "a.csv"])
    assert (len(read.series), read.gaps, read.zone) == (4, (), "+02:00")
