"""Demand and durations from access logs: which columns tell a request, what is left out, and that it is said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pytest

from headrace.errors import InputError
from headrace.observe.access_log import read_access_log, read_requests

FileOf = Callable[[str, "str | bytes"], str]
SHORT = "The log is short: its first and last requests overlap others that it does not have."


def problem(paths: str | list[str], **options: object) -> str:
    """The sentence with which files are refused."""
    with pytest.raises(InputError) as refused:
        read_requests(paths, **options)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_concurrency_is_weighted_by_time(file_of: FileOf) -> None:
    file_of("a.csv", "start,end\n0,15\n5,10\n12,34\n")
    read = read_requests("a.csv")
    assert (read.slots.start_s, read.slots.step_s, read.slots.unit) == (0.0, 10.0, "slots")
    np.testing.assert_allclose(read.slots.values, [1.5, 1.3, 1.0, 0.4])
    assert (read.arrivals.unit, read.arrivals.values.tolist()) == ("requests/s", [0.2, 0.1, 0.0, 0.0])
    assert read.durations.total_s == 42.0
    assert read.notes == (
        (
            "Guessed: start column 'start' (--start-column names another), end column 'end' "
            "(--end-column names another)."
        ),
        "The times are seconds since the start, not clock times.",
        "3 requests, 14 s in the mean, the longest 22 s.",
        "1.05 slots in use in the mean, 1.5 at most, at 0.075 requests/s, over 40 s from t = 0 s, in steps of 10 s.",
        SHORT,
    )


@pytest.mark.parametrize(
    "columns",
    [
        "start_time,end_time",
        "arrival_time,latency_s",
        "end_time,latency_s",
        "timestamp,latency_s",
        "@timestamp,request_time",
    ],
)
def test_two_of_three_tell_a_request(file_of: FileOf, columns: str) -> None:
    known = {"start_time": (0, 4), "arrival_time": (0, 4), "end_time": (8, 30), "timestamp": (8, 30)}
    known |= {"latency_s": (8, 26), "request_time": (8, 26), "@timestamp": (8, 30)}
    names = columns.split(",")
    rows = "".join(f"200,{known[names[0]][at]},{known[names[1]][at]}\n" for at in range(2))
    read = read_requests(file_of("a.csv", f"status,{columns}\n{rows}"))
    np.testing.assert_allclose(read.slots.values, [1.4, 1.0, 1.0])
    assert ("Assumed" in "".join(read.notes)) == ("timestamp" in columns)


def test_a_time_is_the_end_unless_it_is_said_to_be_the_start(file_of: FileOf) -> None:
    file_of("a.csv", "ts,created_at,duration_s\n100,7,10\n200,8,20\n")
    assert read_requests("a.csv", time="ts").slots.start_s == 90.0
    assert read_requests("a.csv", start="ts").slots.start_s == 100.0
    assert read_requests("a.csv", end="ts", duration="duration_s").slots.start_s == 0.0, (
        "created_at is the start"
    )


def test_rows_need_no_order_and_files_may_overlap(file_of: FileOf) -> None:
    file_of("a.csv", "start,end\n30,40\n0,25\n")
    file_of("b.jsonl", '{"finished_at": 20, "latency_ms": 10000}\n')
    read = read_requests(["a.csv", "b.jsonl"])
    np.testing.assert_allclose(read.slots.values, [1.0, 2.0, 0.5, 1.0])
    assert "The files overlap in time, as logs of servers side by side do: they are added up." in read.notes
    assert "2 files are read as one history." in read.notes


def test_what_is_no_request_is_left_out_and_said(file_of: FileOf) -> None:
    file_of("a.csv", "start,end\n0,30\n5,5\n9,3\n0,\n29,\n100,140\n130,null\n")
    read = read_requests("a.csv")
    assert read.durations.count == 3
    assert "1 row whose end is before its start left out." in read.notes
    assert "1 of them took no time at all." in read.notes
    # 0 began so long before the end of the log that its end must have been lost; nothing takes 111 s
    assert (
        "Requests without an end: 1 run still when the log ends, and are counted; the end of 2 is "
        "lost, and they are left out."
    ) in read.notes
    np.testing.assert_allclose(read.slots.values[:4], [1.0, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(read.slots.values[10:], [1, 1, 1, 2])


def test_the_ends_of_a_log_that_miss_requests_are_left_out(file_of: FileOf) -> None:
    file_of("a.csv", "start,duration_s\n" + "".join(f"{at},20\n" for at in range(5000)))
    read = read_requests("a.csv")
    assert (read.slots.start_s, read.slots.start_s + read.slots.span_s) == (30.0, 4990.0)
    np.testing.assert_allclose(read.slots.values, 20.0)
    assert (
        "20 s at either end of the log are left out, in which requests are missing that began "
        "before it or ended after it."
    ) in read.notes


def test_a_hole_in_the_log_is_no_quiet_hour(file_of: FileOf) -> None:
    busy = [at / 2 for at in range(40_000) if not 8_000 <= at / 2 < 9_000]
    file_of("a.csv", "start,duration_s\n" + "".join(f"{at},5\n" for at in busy))
    read = read_requests("a.csv")
    begins = read.slots.start_s + np.arange(len(read.slots)) * 10.0
    hole = np.isnan(read.slots.values)
    # the steps beside it miss what began or ended in it
    np.testing.assert_array_equal(hole, (begins >= 8_000) & (begins <= 9_000))
    np.testing.assert_allclose(read.slots.values[~hole], 10.0)
    assert any(note.startswith("Gap of 16.83 min from t = 8000 s") for note in read.notes)


def test_quiet_and_hourly_traffic_is_zero_and_no_hole(file_of: FileOf) -> None:
    quiet = [at for at in range(20_000) if at % 100 == 0]
    file_of("a.csv", "start,duration_s\n" + "".join(f"{at},5\n" for at in quiet))
    assert not np.isnan(read_requests("a.csv").slots.values).any()
    batches = [hour * 3600 + at for hour in range(30) for at in range(600)]
    file_of("b.csv", "start,duration_s\n" + "".join(f"{at},5\n" for at in batches))
    assert not np.isnan(read_requests("b.csv").slots.values).any()


def test_a_past_has_demand_durations_zone_and_notes(file_of: FileOf) -> None:
    file_of(
        "a.csv", "time_iso8601,request_time\n2024-01-01T02:00:10+02:00,10\n2024-01-01T02:00:20+02:00,10\n"
    )
    past = read_access_log("a.csv")
    assert (past.name, past.zone, past.demand.unit) == ("a.csv", "+02:00", "slots")
    assert past.demand.start_s == 1_704_067_200.0
    assert past.durations is not None
    assert past.durations.count == 2
    assert past.lower_bound is None
    assert any("Guessed" in note for note in past.notes)
    rates = read_access_log("a.csv", demand="requests/s", name="llama")
    assert (rates.name, rates.demand.unit, rates.demand.values[:2].tolist()) == (
        "llama",
        "requests/s",
        [0.1, 0.1],
    )


BAD: dict[str, tuple[str, str]] = {
    "swapped": (
        "start,end\n5,1\n6,2\n7,8\n",
        "a.csv: in 2 of 3 rows the end is before the start; are the two swapped?",
    ),
    "negative": (
        "ts,duration\n5,1\n6,-2\n",
        "a.csv, row 3: the duration '-2' is negative; allowed are numbers from 0 up, and empty for a hole",
    ),
    "text": (
        "ts,duration\n5,1\nx,2\n",
        "a.csv, row 3: the time 'x' is not a number as the first one, '5', is",
    ),
    "no start": (
        "start,end\n5,7\n,9\n",
        "a.csv, row 3: the start is empty; only a value may be (it is then a hole)",
    ),
    "one": ("ts,duration\n5,1\n", "a.csv: there is 1 request with a start and an end; at least 2 are needed"),
    "none": (
        "ts,duration\n5,\n6,-\n",
        "a.csv: there is no request with a start and an end; at least 2 are needed",
    ),
    "nothing": (
        "ts,bytes\n5,1\n",
        (
            "a.csv: a request's start and end, or one of them and its duration, are needed; name them "
            "with --start-column, "
            "--end-column and --duration-column (the columns are 'ts', 'bytes')"
        ),
    ),
    "no time": (
        "when,duration\n5,1\n",
        (
            "a.csv: no column looks like the time column; name it with --time-column (the columns are "
            "'when', 'duration')"
        ),
    ),
    "a leap of years": (
        "start,end\n0,1\n1700000000,1700000001\n",
        (
            "a.csv: the requests lie 19,676 days apart, which are 170,000,000 steps of 10 s; allowed "
            "are 64,000,000: is one "
            "time wrong?"
        ),
    ),
    "step": ("", "a.csv: a step of 0 s was asked for; it must be above 0 s and finite"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(file_of: FileOf, case: str) -> None:
    content, sentence = BAD[case]
    assert problem(file_of("a.csv", content), step_s=0.0 if case == "step" else 10.0) == sentence


def test_clock_times_and_others_are_not_mixed(file_of: FileOf) -> None:
    file_of("a.csv", "start,end\n0,10\n5,20\n")
    file_of("b.csv", "start,end\n1700000000,1700000010\n")
    assert problem(["a.csv", "b.csv"]) == (
        "b.csv: its times are not of the kind of those of the other files: some are clock times, "
        "some count from a start"
    )


_PEAK = """
import pathlib, re, resource, sys
from headrace.observe.access_log import read_requests
def peak_mb():
    # ru_maxrss of a process begins with what the one that started it held; the kernel's VmHWM does not
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
read_requests("small.parquet")
before_mb = peak_mb()
shares = []
read = read_requests("large.parquet", progress=shares.append)
assert shares == sorted(shares) and shares[-1] == 1.0
print(read.durations.count, float(read.slots.values.mean()), peak_mb() - before_mb)
"""


def test_memory_does_not_grow_with_the_requests(file_of: FileOf) -> None:
    file_of("x", "")
    with duckdb.connect(config={"memory_limit": "300MB"}) as connection:
        for name, rows in (("small", 1_000), ("large", 4_000_000)):  # 64 MB of times alone, were they held
            connection.execute(
                f"COPY (SELECT i / 20.0 AS start_s, i / 20.0 + (i * 7919 % 1000) / 100.0 AS end_s FROM "
                f"range({rows}) r(i)) "
                f"TO '{name}.parquet'"
            )
    source = str(Path(__file__).resolve().parents[2] / "src")
    ran = subprocess.run(
        [sys.executable, "-c", _PEAK],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    count, mean, grown_mb = ran.stdout.split()
    assert int(count) == 4_000_000
    assert float(mean) == pytest.approx(20 * 4.995, rel=1e-3)
    assert float(grown_mb) < 150.0
