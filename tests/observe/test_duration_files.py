"""Reading request durations: columns and units guessed and said, bad rows in one sentence, memory bounded."""

from __future__ import annotations

import gzip
import math
import os
import runpy
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from headrace.errors import InputError
from headrace.observe.duration_files import read_durations

FileOf = Callable[[str, "str | bytes"], str]
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def parquet(name: str, select: str) -> str:
    """Writes a Parquet file with the rows of a query."""
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{name}' (FORMAT parquet)")
    return name


def problem(paths: str | list[str], **options: str) -> str:
    """The sentence with which files are refused."""
    with pytest.raises(InputError) as refused:
        read_durations(paths, **options)  # type: ignore[arg-type]
    assert refused.value.exit_code == 2
    assert "\n" not in str(refused.value)
    return str(refused.value)


def places(paths: str | list[str], **options: str) -> dict[int, int]:
    """How many durations there are in each whole second."""
    read, _ = read_durations(paths, **options)  # type: ignore[arg-type]
    return {at: int(count) for at, count in enumerate(read.counts) if count}


def test_durations_are_counted_by_whole_second(file_of: FileOf) -> None:
    file_of("a.csv", "duration_s\n0\n0.001\n1\n1.0001\n3600\n3600.5\n99999\n")
    read, notes = read_durations("a.csv")
    assert {at: int(count) for at, count in enumerate(read.counts) if count} == {
        0: 1,
        1: 2,
        2: 1,
        3600: 1,
        3601: 2,
    }
    assert (read.count, read.longest_s) == (7, 99999.0)
    assert read.total_s == pytest.approx(0.001 + 1 + 1.0001 + 3600 + 3600.5 + 99999)
    assert read.sums_s[3601] == 3600.5 + 99999
    assert notes == (
        "Guessed: duration column 'duration_s' (--duration-column names another).",
        "7 durations, 4.254 h in the mean, the longest 27.78 h.",
    )


@pytest.mark.parametrize(
    ("column", "unit"),
    [
        ("duration_s", 1.0),
        ("latency_ms", 1e3),
        ("durationMs", 1e3),
        ("Latency (ms)", 1e3),
        ("request_duration_seconds", 1.0),
        ("vllm:e2e_request_latency_seconds", 1.0),
        ("elapsed_us", 1e6),
        ("took[µs]", 1e6),
        ("duration_nanos", 1e9),
        ("request_time", 1.0),
    ],
)
def test_unit_is_that_of_the_name(file_of: FileOf, column: str, unit: float) -> None:
    values = "".join(f"{at},{value * unit!r}\n" for at, value in enumerate((1500.0, 2500.0)))
    file_of("a.csv", f"id,{column}\n{values}")
    read, notes = read_durations("a.csv")
    assert read.total_s == pytest.approx(4000.0)
    assert not any("Assumed" in note for note in notes)


@pytest.mark.parametrize(
    ("values", "unit", "said"),
    [
        ("0.8 12.5 31.25", 1.0, "s, by its first values (12.5 in the middle)"),
        ("3 12 31", 1.0, "s, by its first values (whole numbers, 12 in the middle)"),
        ("850 12500 31250", 1e3, "ms, by its first values (whole numbers, 1.25e+04 in the middle)"),
        ("850.5 12500.5 31250.5", 1e3, "ms, by its first values (1.25e+04 in the middle)"),
        ("8000000 12000000 99000000", 1e6, "us, by its first values (whole numbers, 1.2e+07 in the middle)"),
        ("8000000000 12000000000 1", 1e9, "ns, by its first values (whole numbers, 8e+09 in the middle)"),
    ],
)
def test_unit_that_nothing_says_is_assumed_and_said(
    file_of: FileOf, values: str, unit: float, said: str
) -> None:
    file_of("a.csv", "id,latency\n" + "".join(f"x,{value}\n" for value in values.split()))
    read, notes = read_durations("a.csv")
    assert read.total_s == pytest.approx(sum(map(float, values.split())) / unit)
    assert f"Assumed: 'latency' is in {said}; --duration-unit says otherwise." in notes
    told, notes = read_durations("a.csv", unit="ms")
    assert told.total_s == pytest.approx(sum(map(float, values.split())) / 1e3)
    assert not any("Assumed" in note for note in notes)


def test_whole_seconds_in_other_units_stay_whole(file_of: FileOf) -> None:
    file_of("a.csv", "latency_ms\n1000\n61000\n3600000\n")
    assert places("a.csv") == {1: 1, 61: 1, 3600: 1}
    file_of("b.csv", "start,end\n1700000000.1,1700000061.1\n1700000000.123,1700000001.123\n")
    assert places("b.csv") == {61: 1, 1: 1}, "61.00000024 by the difference of two floats"


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.zst", "jsonl", "jsonl.gz", "json", "parquet"])
def test_every_format_is_read(file_of: FileOf, ending: str) -> None:
    name = f"a.{ending}"
    select = "SELECT i AS id, i + 0.5 AS duration_s FROM range(100) r(i)"
    if ending == "parquet":
        file_of("x", "")
        parquet(name, select)
    elif ending == "json":
        file_of(name, "[" + ",".join(f'{{"id": {i}, "duration_s": {i}.5}}' for i in range(100)) + "]")
    elif ending.startswith("jsonl"):
        text = "".join(f'{{"id": {i}, "duration_s": {i}.5}}\n' for i in range(100)).encode()
        file_of(name, gzip.compress(text) if ending.endswith("gz") else text)
    else:
        text = ("id,duration_s\n" + "".join(f"{i},{i}.5\n" for i in range(100))).encode()
        file_of(name, gzip.compress(text) if ending.endswith("gz") else text)
        if ending.endswith("zst"):
            with duckdb.connect() as connection:
                Path("b.csv").write_bytes(text)
                connection.execute(
                    f"COPY (FROM read_csv('b.csv')) TO '{name}' (FORMAT csv, COMPRESSION zstd)"
                )
    read, _ = read_durations(name)
    assert (read.count, read.total_s, read.longest_s) == (100, 5000.0, 99.5)


def test_interval_columns_are_read(file_of: FileOf) -> None:
    file_of("x", "")
    parquet("a.parquet", "SELECT to_milliseconds(1500 * i) AS elapsed FROM range(3) r(i)")
    assert places("a.parquet") == {0: 1, 2: 1, 3: 1}


def test_start_and_end_stand_for_a_duration(file_of: FileOf) -> None:
    file_of(
        "a.csv",
        "id,start_time,end_time\n1,2024-01-01T00:00:00Z,2024-01-01T00:00:05Z\n2,2024-01-01T00:00:01Z,\n"
        "3,2024-01-01T00:00:09Z,2024-01-01T00:00:08Z\n4,2024-01-01T00:00:01Z,2024-01-01T00:00:01.5Z\n",
    )
    read, notes = read_durations("a.csv")
    assert (read.count, read.total_s) == (2, 5.5)
    assert "1 row without a duration left out." in notes
    assert "1 row whose end is before its start left out." in notes
    assert places("a.csv", start="start_time", end="end_time") == {5: 1, 1: 1}


def test_holes_are_left_out_and_said(file_of: FileOf) -> None:
    file_of("a.csv", "id,duration_s\n1,2\n2,\n3,-\n4,NaN\n5,null\n6,3\n")
    read, notes = read_durations("a.csv")
    assert (read.count, read.total_s) == (2, 5.0)
    assert "4 rows without a duration left out." in notes


def test_one_column_without_a_name_is_the_duration(file_of: FileOf) -> None:
    file_of("a.csv", "1.5\n2.5\n")
    assert places("a.csv") == {2: 1, 3: 1}


def test_the_request_time_is_taken_before_the_one_behind_it(file_of: FileOf) -> None:
    file_of("a.csv", "request_time,upstream_response_time,time_to_first_token_s\n2,1,0.1\n3,1,0.1\n")
    assert read_durations("a.csv")[0].total_s == 5.0


def test_a_wrong_unit_is_asked_about(file_of: FileOf) -> None:
    file_of("a.csv", "duration_s\n8000\n9000\n1\n")
    assert read_durations("a.csv")[1][-1].endswith(
        "Half of them take over an hour: is the unit right (--duration-unit)?"
    )


BAD: dict[str, tuple[str, str, str]] = {
    "negative": (
        "a.csv",
        "id,duration\n1,2\n2,-3\n",
        "a.csv, row 3: the duration '-3' is negative; allowed are numbers from 0 up, and empty for a hole",
    ),
    "text": (
        "a.csv",
        "id,duration\n1,2\n\n2,2s\n",
        "a.csv, row 4: the duration '2s' is not a number; allowed are numbers from 0 up, and empty for a hole",
    ),
    "infinite": (
        "a.jsonl",
        '{"duration": 1}\n{"duration": "inf"}\n',
        "a.jsonl, row 2: the duration 'inf' is infinite; allowed are numbers from 0 up, and empty for a hole",
    ),
    "huge": (
        "a.csv",
        "id,duration_ms\n1,2\n2,1e12\n",
        (
            "a.csv, row 3: the duration '1e12' is too large; allowed are numbers from 0 to 1e11 ms (three years), "
            "and empty for a hole"
        ),
    ),
    "one": ("a.csv", "id,duration\n1,2\n", "a.csv: there is 1 duration; at least 2 are needed"),
    "none": ("a.csv", "id,duration\n1,\n2,\n", "a.csv: there is no duration; at least 2 are needed"),
    "empty": ("a.csv", "", "a.csv: the file is empty"),
    "header": ("a.csv", "id,duration\n", "a.csv: there is a header, but no row of data"),
    "no such column": (
        "a.csv",
        "id,size\n1,2\n",
        (
            "a.csv: no column looks like the duration column; name it with --duration-column "
            "(the columns are 'id', 'size')"
        ),
    ),
    "two": (
        "a.csv",
        "latency,duration\n1,2\n",
        "a.csv: 'latency', 'duration' could each be the duration column; name it with --duration-column",
    ),
    "other kind": (
        "a.parquet",
        "id,duration\n1,2\n",
        "a.parquet: named Parquet, but its content is plain text",
    ),
    "bad time": (
        "a.csv",
        "start,end\n0,1\nx,2\n",
        "a.csv, row 3: the start 'x' is not a number as the first one, '0', is",
    ),
    "kinds of time": (
        "a.csv",
        "start,end\n0,1700000000\n",
        (
            "a.csv: start ('0') and end ('1700000000') are not of one kind: one is a clock time, the other counts "
            "from a start"
        ),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(file_of: FileOf, case: str) -> None:
    name, content, sentence = BAD[case]
    assert problem(file_of(name, content)) == sentence


def test_names_and_units_that_are_not_there_are_refused(file_of: FileOf) -> None:
    file_of("a.csv", "id,lateness\n1,2\n2,3\n")
    assert problem("a.csv", duration="latness") == (
        "a.csv: there is no column 'latness' (did you mean 'lateness'?); the columns are 'id', 'lateness'"
    )
    assert problem("a.csv", duration="lateness", unit="h") == (
        "--duration-unit: 'h' is no unit of durations; allowed are s, ms, us, ns"
    )
    parquet("b.parquet", "SELECT [1.0] AS duration, 3 AS id")
    assert (
        problem("b.parquet")
        == "b.parquet: the column 'duration' is of type DECIMAL(2,1)[]; allowed is a number or text"
    )


def test_the_first_bad_row_is_named_though_rows_are_read_in_parallel(file_of: FileOf) -> None:
    rows = [f"{at},{at % 97}\n" for at in range(1_000_000)]
    rows[700_000] = "700000,oops\n"
    rows[900_000] = "900000,-1\n"
    file_of("a.csv", "id,duration_s\n" + "".join(rows))
    assert problem("a.csv").startswith("a.csv, row 700,002: the duration 'oops' is not a number")


def test_files_are_added_up_and_empty_ones_said(file_of: FileOf) -> None:
    file_of("a.csv", "duration_s\n1\n")
    file_of("b.csv", "duration_s\n")
    file_of("c.csv", "")
    file_of("d.jsonl", '{"latency_ms": 2000}\n')
    read, notes = read_durations(["*.csv", "d.jsonl"])
    assert (read.count, read.total_s) == (2, 3.0)
    assert (
        "2 files are read as one history; 2 more have no row, and are left out, b.csv the first of them."
        in notes
    )


def test_ctrl_c_leaves_nothing(file_of: FileOf, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkdir("tmp")
    monkeypatch.setattr(tempfile, "tempdir", os.path.abspath("tmp"))
    file_of("a.csv", "duration_s\n1\n2\n")

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_durations("a.csv", progress=interrupt)
    assert os.listdir("tmp") == []


def test_millions_of_rows_are_reduced_in_bounded_memory() -> None:
    benchmark = runpy.run_path(str(BENCHMARKS / "durations_memory.py"))
    rows = benchmark["QUICK_ROWS"]
    read = benchmark["reduced"](rows, 4)
    assert read.peak_bytes < 400e6, "of 1 GiB that 100 million may take"
    off = abs(read.counts.cumsum() - benchmark["closed_counts"](rows).cumsum()).max()
    assert off <= 1, "the formula's last bit decides on one request at most"
    assert read.counts.sum() == rows
    assert math.isclose(read.total_s, benchmark["exact_total_s"](rows), rel_tol=1e-12)
    assert read.told >= 4
