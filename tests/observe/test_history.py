"""Reading a demand history: what is guessed, found and said; each way of being wrong, in one sentence."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pytest

from headrace.errors import InputError, MissingExtra
from headrace.observe.history import History, read_demand

HEAD = "ts,value\n"
ALLOWED_VALUE = "allowed are numbers from 0 up, and empty for a hole"
FORMATS = (
    "the name does not say a format that is read: CSV (.csv, .tsv, .txt), JSON lines (.jsonl, .ndjson, "
    ".json), each also with .gz or .zst, and .parquet"
)
OBJECTS = '{"ts": 0, "value": 1}\n{"ts": 60, "value": 2}\n'

FileOf = Callable[[str, "str | bytes"], str]


def parquet(select: str, name: str = "day.parquet") -> bytes:
    """A Parquet file with the rows of a query."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / name
        connection.execute(f"COPY ({select}) TO '{path}'")
        return path.read_bytes()


def problem(name: str, **options: str | float) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(InputError) as refused:
        read_demand(name, **options)  # type: ignore[arg-type]
    assert refused.value.exit_code == 2
    assert "\n" not in str(refused.value)
    return str(refused.value)


BAD_TEXTS: dict[str, tuple[str, str, str]] = {
    "negative": (
        "a.csv",
        HEAD + "0,1\n60,-2\n",
        f"a.csv, row 3: the value '-2' is negative; {ALLOWED_VALUE}",
    ),
    "negative in the first row": (
        "a.csv",
        HEAD + "0,-1\n60,2\n",
        f"a.csv, row 2: the value '-1' is negative; {ALLOWED_VALUE}",
    ),
    "text": (
        "a.csv",
        HEAD + "0,1\n60,abc\n",
        f"a.csv, row 3: the value 'abc' is not a number; {ALLOWED_VALUE}",
    ),
    "text everywhere": (
        "a.csv",
        HEAD + "0,x\n60,y\n",
        f"a.csv, row 2: the value 'x' is not a number; {ALLOWED_VALUE}",
    ),
    "decimal comma": (
        "a.csv",
        "ts;value\n0;1,5\n60;2\n",
        f"a.csv, row 2: the value '1,5' is not a number; {ALLOWED_VALUE}",
    ),
    "infinite": (
        "a.csv",
        HEAD + "0,1\n60,inf\n",
        f"a.csv, row 3: the value 'inf' is infinite; {ALLOWED_VALUE}",
    ),
    "overflow": (
        "a.csv",
        HEAD + "0,1\n60,1e999\n",
        f"a.csv, row 3: the value '1e999' is infinite; {ALLOWED_VALUE}",
    ),
    "long text": (
        "a.csv",
        HEAD + "0,1\n60," + "x" * 99 + "\n",
        f"a.csv, row 3: the value '{'x' * 57}...' is not a number; {ALLOWED_VALUE}",
    ),
    "duplicate": (
        "a.csv",
        HEAD + "0,1\n60,2\n60,3\n",
        "a.csv, row 4: the time '60' is the same as that of the row before; each time may occur once",
    ),
    "unsorted": (
        "a.csv",
        HEAD + "0,1\n120,2\n60,3\n",
        "a.csv, row 4: the time '60' is before that of the row before, '120'; rows must be sorted by time",
    ),
    "empty time": (
        "a.csv",
        HEAD + "0,1\n,2\n",
        "a.csv, row 3: the time is empty; only a value may be (it is then a hole)",
    ),
    "no times": (
        "a.csv",
        HEAD + ",1\n,2\n",
        "a.csv, row 2: the time is empty; only a value may be (it is then a hole)",
    ),
    "text time": (
        "a.csv",
        HEAD + "0,1\nx,2\n",
        "a.csv, row 3: the time 'x' is not a number as the first one, '0', is",
    ),
    "negative time": (
        "a.csv",
        HEAD + "-60,1\n0,2\n",
        "a.csv, row 2: the time '-60' lies outside what is allowed: 1970-01-01 (or 0 s) to the year 9999",
    ),
    "endless time": (
        "a.csv",
        HEAD + "2024-01-01T00:00:00,1\ninfinity,2\n",
        (
            "a.csv, row 3: the time 'infinity' is not an ISO 8601 time as the first one, "
            "'2024-01-01T00:00:00', is"
        ),
    ),
    "epoch after ISO": (
        "a.csv",
        HEAD + "2024-01-01 00:00:00,1\n1704067260,2\n",
        (
            "a.csv, row 3: the time '1704067260' is not an ISO 8601 time as the first one, "
            "'2024-01-01 00:00:00', is"
        ),
    ),
    "another country's dates": (
        "a.csv",
        HEAD + "16/01/2014 00:05,1\n",
        (
            "a.csv, row 2: the time '16/01/2014 00:05' can't be read; allowed are epoch seconds, ms, µs or "
            "ns, seconds since the start, or ISO 8601 (2024-03-01T00:00:00Z)"
        ),
    ),
    "aware then naive": (
        "a.csv",
        HEAD + "2024-01-01T00:00:00Z,1\n2024-01-01T00:01:00,2\n",
        (
            "a.csv, row 3: the time '2024-01-01T00:01:00' has not the time zone of the first one, "
            "'2024-01-01T00:00:00Z'; all times must have the same, or all none"
        ),
    ),
    "naive then aware": (
        "a.csv",
        HEAD + "2024-01-01 00:00:00,1\n2024-01-01 00:01:00+01:00,2\n",
        (
            "a.csv, row 3: the time '2024-01-01 00:01:00+01:00' has not the time zone of the first one, "
            "'2024-01-01 00:00:00'; all times must have the same, or all none"
        ),
    ),
    "two zones": (
        "a.csv",
        HEAD + "2024-01-01T00:00:00+02:00,1\n2024-01-01T00:01:00+05:00,2\n",
        (
            "a.csv, row 3: the time '2024-01-01T00:01:00+05:00' has not the time zone of the first one, "
            "'2024-01-01T00:00:00+02:00'; all times must have the same, or all none"
        ),
    ),
    "empty": ("a.csv", "", "a.csv: the file is empty"),
    "blank": ("a.csv", "\n\n", "a.csv: the file is empty"),
    "header only": ("a.csv", HEAD, "a.csv: there is a header, but no row of data"),
    "one row": ("a.csv", HEAD + "0,1\n", "a.csv: there is 1 row of data; a history needs at least 2"),
    "all holes": ("a.csv", HEAD + "0,\n60,\n", "a.csv: none of the 2 rows has a value in 'value'"),
    "blank lines counted": (
        "a.csv",
        "# note\n" + HEAD + "\n0,1\n\n60,x\n",
        f"a.csv, row 6: the value 'x' is not a number; {ALLOWED_VALUE}",
    ),
    "more fields": (
        "a.csv",
        HEAD + "0,1\n60,2,3\n",
        "a.csv, row 3: the row has 3 columns; by the first line there must be 2",
    ),
    "fewer fields": (
        "a.csv",
        HEAD + "0,1\n60\n",
        "a.csv, row 3: the row has 1 column; by the first line there must be 2",
    ),
    "open quote": ("a.csv", HEAD + '0,1\n60,"2\n120,3\n', "a.csv, row 3: a quote is opened and not closed"),
    "mixed line ends": (
        "a.csv",
        HEAD + "0,1\r\n60,2\n120,3\r\n",
        "a.csv: the text is not well-formed CSV: it mixes line ends (CRLF and LF) or has a stray quote",
    ),
    "long line": (
        "a.csv",
        HEAD + "0," + "9" * 3_000_000 + "\n",
        "a.csv, row 2: the line is longer than 2 MB",
    ),
    "one column": (
        "a.csv",
        "value\n1\n2\n",
        "a.csv: one column only ('value'); a time and a value are needed, separated by ',', ';', tab or '|'",
    ),
    "two values": (
        "a.csv",
        "time,a,b\n0,1,2\n60,2,3\n",
        (
            "a.csv: 'a', 'b' could each be the value column; name it with --value-column "
            "(the columns are 'time', 'a', 'b')"
        ),
    ),
    "no time": (
        "a.csv",
        "a,b\n1,2\n2,3\n",
        "a.csv: no column looks like the time column; name it with --time-column (the columns are 'a', 'b')",
    ),
    "off the grid": (
        "a.csv",
        HEAD + "0,1\n60,2\n90,3\n120,4\n180,3\n240,3\n300,3\n",
        (
            "a.csv, row 4: the time t = 90 s does not fall on a regular grid of 60 s, the typical step; "
            "ask for a step above 60 s to read means"
        ),
    ),
    "a leap of years": (
        "a.csv",
        HEAD + "0,1\n1,2\n1000000000,4\n",
        (
            "a.csv, row 4: the row lies 11,574 days after the one before, so that the history has "
            "1,000,000,000 steps of 1 s; allowed are 64,000,000"
        ),
    ),
    "JSON in CSV": ("a.csv", OBJECTS, "a.csv: named CSV, but its content looks like JSON"),
    "HTML in CSV": ("a.csv", "<html></html>", "a.csv: named CSV, but its content looks like HTML or XML"),
    "text in Parquet": (
        "a.parquet",
        HEAD + "0,1\n",
        "a.parquet: named Parquet, but its content is plain text",
    ),
    "text in gzip": ("a.csv.gz", HEAD + "0,1\n", "a.csv.gz: named gzip, but its content is plain text"),
    "text in zstd": ("a.csv.zst", HEAD + "0,1\n", "a.csv.zst: named zstd, but its content is plain text"),
    "text in JSON": ("a.jsonl", HEAD + "0,1\n", "a.jsonl: named JSON lines, but its content is plain text"),
    "cut JSON": (
        "a.jsonl",
        OBJECTS + '{"ts": 120, "val',
        """a.jsonl, row 3: '{"ts": 120, "val' is not well-formed JSON""",
    ),
    "no JSON line": (
        "a.jsonl",
        OBJECTS + "\nhello\n" + OBJECTS,
        "a.jsonl, row 4: 'hello' is not well-formed JSON",
    ),
    "no member": (
        "a.jsonl",
        OBJECTS + '{"value": 3}\n',
        "a.jsonl, row 3: the time is empty; only a value may be (it is then a hole)",
    ),
    "true in JSON": (
        "a.jsonl",
        OBJECTS + '\n{"ts": 120, "value": true}\n',
        f"a.jsonl, row 4: the value 'true' is not a number; {ALLOWED_VALUE}",
    ),
    "negative in an array": (
        "a.json",
        '[{"ts": 0, "value": 1},\n{"ts": 60, "value": -2}]',
        f"a.json, row 2: the value '-2' is negative; {ALLOWED_VALUE}",
    ),
    "empty object": ("a.jsonl", "{}\n", "a.jsonl: there is no object with a time and a value in it"),
    "other name": ("a.xlsx", "x", f"a.xlsx: {FORMATS}"),
    "no ending": ("a", "x", f"a: {FORMATS}"),
}


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_text_is_refused_in_one_sentence(file_of: FileOf, case: str) -> None:
    name, content, sentence = BAD_TEXTS[case]
    assert problem(file_of(name, content)) == sentence


PARQUET = parquet("SELECT i * 60 AS ts, i AS value FROM range(1000) r(i)")
LONG = (HEAD + "".join(f"{i},{i * 7919 % 1000}\n" for i in range(100_000))).encode()
BAD_BYTES: dict[str, tuple[str, bytes, str]] = {
    "Parquet in CSV": ("a.csv", PARQUET, "a.csv: named CSV, but its content is Parquet"),
    "Parquet in gzip": (
        "a.csv.gz",
        gzip.compress(PARQUET),
        "a.csv.gz: named CSV, but its content is Parquet",
    ),
    "UTF-16": ("a.csv", HEAD.encode("utf-16"), "a.csv: named CSV, but its content is UTF-16 text"),
    "zip": ("a.csv", b"PK\x03\x04", "a.csv: named CSV, but its content is a zip archive (or a spreadsheet)"),
    "binary": ("a.csv", b"a\0b", "a.csv: named CSV, but its content is binary"),
    "Latin-1": ("a.csv", HEAD.encode() + b"0,1\n60,\xe4\n", "a.csv, row 3: the text is not UTF-8"),
    "cut Parquet": (
        "a.parquet",
        PARQUET[:-9],
        "a.parquet: the Parquet file is cut off: its last bytes are missing",
    ),
    "only magic": (
        "a.parquet",
        b"PAR1",
        "a.parquet: the Parquet file is cut off: its last bytes are missing",
    ),
    "cut gzip": ("a.csv.gz", gzip.compress(LONG)[:-2000], "a.csv.gz: the gzip file is cut off or damaged"),
    "cut gzip head": ("a.csv.gz", gzip.compress(LONG)[:20], "a.csv.gz: the gzip file is cut off or damaged"),
    "gzip checksum": (
        "a.csv.gz",
        gzip.compress(LONG)[:-8] + b"\0" * 8,
        "a.csv.gz: the gzip file is cut off or damaged",
    ),
    "empty gzip": ("a.csv.gz", gzip.compress(b""), "a.csv.gz: the file is empty"),
    "cut zstd": ("a.csv.zst", b"\x28\xb5\x2f\xfd\0", "a.csv.zst: the zstd file is cut off or damaged"),
    "negative in Parquet": (
        "a.parquet",
        parquet("SELECT i AS ts, 3 - i AS value FROM range(9) r(i)"),
        f"a.parquet, row 5: the value '-1' is negative; {ALLOWED_VALUE}",
    ),
    "text in a Parquet column": (
        "a.parquet",
        parquet("SELECT i AS ts, CASE WHEN i = 4 THEN 'x' ELSE '1' END AS value FROM range(9) r(i)"),
        f"a.parquet, row 5: the value 'x' is not a number; {ALLOWED_VALUE}",
    ),
    "null time in Parquet": (
        "a.parquet",
        parquet("SELECT nullif(i, 4) AS ts, i AS value FROM range(9) r(i)"),
        "a.parquet, row 5: the time is empty; only a value may be (it is then a hole)",
    ),
    "endless time in Parquet": (
        "a.parquet",
        parquet(
            "SELECT CASE WHEN i = 3 THEN 'infinity'::TIMESTAMP "
            "ELSE TIMESTAMP '2024-01-01' + to_minutes(i) END AS ts, "
            "i AS value FROM range(9) r(i)"
        ),
        (
            "a.parquet, row 4: the time 'infinity' is not a timestamp as the first one, "
            "'2024-01-01 00:00:00', is"
        ),
    ),
    "list in Parquet": (
        "a.parquet",
        parquet("SELECT i AS ts, [i] AS value FROM range(9) r(i)"),
        "a.parquet: the column 'value' is of type BIGINT[]; allowed is a number or text",
    ),
    "no rows in Parquet": (
        "a.parquet",
        parquet("SELECT 1 AS ts, 2 AS value WHERE false"),
        "a.parquet: there are columns, but no row of data",
    ),
}


@pytest.mark.parametrize("case", BAD_BYTES)
def test_bad_bytes_are_refused_in_one_sentence(file_of: FileOf, case: str) -> None:
    name, content, sentence = BAD_BYTES[case]
    assert problem(file_of(name, content)) == sentence


def test_damaged_parquet_is_refused(file_of: FileOf) -> None:
    damaged = PARQUET[:20] + b"\xff" * 380 + PARQUET[400:]
    assert problem(file_of("a.parquet", damaged)).startswith(
        "a.parquet: the Parquet file is cut off or damaged"
    )


def test_cut_zstd_is_not_taken_for_a_shorter_history(file_of: FileOf) -> None:
    file_of("a.csv", LONG)
    with duckdb.connect() as connection:
        connection.execute("COPY (FROM read_csv('a.csv')) TO 'b.csv.zst' (FORMAT csv, COMPRESSION zstd)")
    whole = Path("b.csv.zst").read_bytes()
    assert read_demand("b.csv.zst").rows == 100_000
    for kept in (5, len(whole) // 2, len(whole) - 1):
        assert problem(file_of("c.csv.zst", whole[:kept])) == "c.csv.zst: the zstd file is cut off or damaged"


def test_what_is_no_file_is_refused_without_waiting(file_of: FileOf) -> None:
    file_of("a.csv", HEAD)
    os.mkfifo("pipe.csv")
    os.mkdir("folder.csv")
    os.symlink("loop.csv", "loop.csv")
    assert problem("none.csv") == "none.csv: there is no such file"
    assert problem("a.csv/b.csv") == "a.csv/b.csv: there is no such file"
    assert problem("folder.csv") == "folder.csv: this is a directory; give one file"
    assert problem("pipe.csv") == (
        "pipe.csv: this is a pipe or a device, which can be read only once; write it to a file first"
    )
    assert problem("loop.csv").startswith("loop.csv: the file can't be read (")


def test_file_without_permission_is_refused(file_of: FileOf) -> None:
    path = Path(file_of("a.csv", HEAD + "0,1\n60,2\n"))
    os.chmod(path, 0)
    if os.geteuid() != 0:
        assert problem("a.csv") == "a.csv: the file can't be read (permission denied)"
        return
    # Root may read everything: for the length of the call this process is nobody
    os.seteuid(65534)
    try:
        found = problem("a.csv")
    finally:
        os.seteuid(0)
    assert found == "a.csv: the file can't be read (permission denied)"


def test_names_that_are_not_there_are_refused_with_the_nearest(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,1\n60,2\n")
    assert problem("a.csv", time="tss") == (
        "a.csv: there is no column 'tss' (did you mean 'ts'?); the columns are 'ts', 'value'"
    )
    assert problem("a.csv", time="value", value="VALUE") == (
        "a.csv: 'value' can't be both the time and the value column"
    )
    assert (
        problem("a.csv", step_s=0.0) == "a.csv: a step of 0 s was asked for; it must be above 0 s and finite"
    )
    file_of("b.csv", "ts,value,value\n0,1,2\n60,1,2\n")
    assert problem("b.csv", value="value") == (
        "b.csv: 2 columns are named 'value'; rename them, so that --value-column names one"
    )


def test_row_numbers_hold_where_a_file_is_read_in_parallel(file_of: FileOf) -> None:
    rows = [f"{i},{i % 97}\n" for i in range(1_500_000)]
    rows[1_400_000] = "1400000,oops\n"
    rows[1_450_000] = "1450000,-1\n"
    file_of("a.csv", HEAD + "".join(rows))
    assert problem("a.csv") == f"a.csv, row 1,400,002: the value 'oops' is not a number; {ALLOWED_VALUE}"
    rows[1_400_000] = "1399999,5\n"  # the first chunk of a million is long past
    file_of("b.csv.gz", gzip.compress((HEAD + "".join(rows)).encode(), 1))
    assert problem("b.csv.gz") == (
        "b.csv.gz, row 1,400,002: the time '1399999' is the same as that of the row before; "
        "each time may occur once"
    )


def test_duplicate_across_two_chunks_is_found(file_of: FileOf) -> None:
    at = 1 << 20  # the first row of the second chunk
    rows = [f"{i},1\n" for i in range(at)] + [f"{at - 1},1\n"]
    assert problem(file_of("a.csv", HEAD + "".join(rows))) == (
        f"a.csv, row {at + 2:,}: the time '{at - 1}' is the same as that of the row before; "
        "each time may occur once"
    )


# -- what is read


def values(history: History) -> list[float | None]:
    """The values, holes as None (NaN equals nothing)."""
    return [None if np.isnan(value) else float(value) for value in history.series.values]


@pytest.mark.parametrize(
    ("first", "second", "start_s", "zone"),
    [
        ("0", "60", 0.0, ""),
        ("1704067200", "1704067260", 1704067200.0, "UTC"),
        ("1704067200.0", "1704067260.0", 1704067200.0, "UTC"),
        ("1704067200000", "1704067260000", 1704067200.0, "UTC"),
        ("1704067200000000", "1704067260000000", 1704067200.0, "UTC"),
        ("1704067200000000000", "1704067260000000000", 1704067200.0, "UTC"),
        ("2024-01-01 00:00:00", "2024-01-01 00:01:00", 1704067200.0, "UTC"),
        ("2024-01-01T00:00", "2024-01-01T00:01", 1704067200.0, "UTC"),
        ("2024-01-01T00:00:00.5Z", "2024-01-01T00:01:00.500+00:00", 1704067200.5, "UTC"),
        ("2024-01-01 00:00:00 UTC", "2024-01-01T00:01:00Z", 1704067200.0, "UTC"),
        ("2024-01-01T02:00:00+02:00", "2024-01-01T02:01:00+0200", 1704067200.0, "+02:00"),
        ("2024-01-01T05:30:00+05:30", "2024-01-01 05:31:00+0530", 1704067200.0, "+05:30"),
        ("2023-12-31T19:00:00-05", "2023-12-31T19:01:00-05:00", 1704067200.0, "-05:00"),
    ],
)
def test_times_are_read_in_every_form(
    file_of: FileOf, first: str, second: str, start_s: float, zone: str
) -> None:
    history = read_demand(file_of("a.csv", f"{HEAD}{first},1\n{second},2\n"))
    assert (history.series.start_s, history.series.step_s, history.zone) == (start_s, 60.0, zone)


def test_unit_in_the_column_name_counts_for_small_numbers(file_of: FileOf) -> None:
    history = read_demand(file_of("a.csv", "t_ms,rps\n0,1\n60000,2\n"))
    assert history.series.step_s == 60.0
    assert history.series.unit == "requests/s"
    assert "The times are milliseconds since the start, not clock times." in history.notes


def test_notes_say_what_was_guessed_and_found(file_of: FileOf) -> None:
    history = read_demand(
        file_of("a.csv", "when;load;region\n2024-01-01;1;x\n2024-01-02;;x\n2024-01-03;3;x\n")
    )
    assert (history.time_column, history.value_column, history.rows) == ("when", "load", 3)
    assert history.notes == (
        (
            "Guessed: time column 'when' (--time-column names another), "
            "value column 'load' (--value-column names another)."
        ),
        "The times carry no zone: taken as UTC.",
        "3 rows, one every 24 h, over 3 days from 2024-01-01T00:00:00Z.",
        "Gap of 24 h from 2024-01-02T00:00:00Z: simulated around, not taken as zero demand.",
    )
    named = read_demand("a.csv", time="WHEN", value="load")
    assert not any("Guessed" in note for note in named.notes)


def test_gap_of_days_stays_a_gap(file_of: FileOf) -> None:
    rows = "".join(f"{i * 3600},{i}\n" for i in (*range(10), *range(90, 100)))
    history = read_demand(file_of("a.csv", HEAD + rows))
    assert len(history.series) == 100
    assert np.isnan(history.series.values[10:90]).all()
    assert history.gaps == ((36_000.0, 324_000.0),)
    assert (
        history.notes[-1] == "Gap of 3.333 days from t = 36000 s: simulated around, not taken as zero demand."
    )


def test_empty_values_are_holes_not_zeros(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,1\n60,\n120,NaN\n180,null\n240,N/A\n300, None \n360,0\n")
    assert values(read_demand("a.csv")) == [1.0, None, None, None, None, None, 0.0]
    file_of("a.jsonl", OBJECTS + '{"ts": 120, "value": null}\n{"ts": 180}\n{"ts": 240, "value": NaN}\n')
    assert values(read_demand("a.jsonl")) == [1.0, 2.0, None, None, None]


def test_jitter_is_moved_onto_the_grid_and_said(file_of: FileOf) -> None:
    history = read_demand(file_of("a.csv", HEAD + "0,1\n60.2,2\n119.9,3\n180,4\n"))
    assert (history.series.step_s, values(history)) == (60.0, [1.0, 2.0, 3.0, 4.0])
    assert "2 rows were moved onto the grid of 60 s, by at most 0.2 s." in history.notes


def test_finer_file_is_read_as_means_without_its_holes(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,1\n10,2\n20,6\n30,\n40,7\n100,8\n")
    history = read_demand("a.csv", step_s=20.0)
    assert (history.series.start_s, history.series.step_s) == (0.0, 20.0)
    assert values(history) == [1.5, 6.0, 7.0, None, None, 8.0]
    assert "Read as means over 20 s; the file has a row every 10 s." in history.notes


def test_coarser_file_keeps_its_step(file_of: FileOf) -> None:
    history = read_demand(file_of("a.csv", HEAD + "0,1\n600,2\n"), step_s=10.0)
    assert (history.series.step_s, values(history)) == (600.0, [1.0, 2.0])


def test_irregular_times_are_read_as_means_only(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,1\n7,2\n13,4\n50,5\n51,6\n120,7\n123,9\n")
    assert "does not fall on a regular grid" in problem("a.csv")
    assert values(read_demand("a.csv", step_s=60.0)) == [3.6, None, 8.0]


def test_means_span_chunks(file_of: FileOf) -> None:
    rows = 1_100_000  # more than one chunk, whose end is not the end of a bucket
    file_of("a.parquet", parquet(f"SELECT 1704067200 + i AS ts, i % 7 AS value FROM range({rows}) r(i)"))
    history = read_demand("a.parquet", step_s=60.0)
    expected = np.arange(rows) % 7
    whole = rows // 60 * 60
    np.testing.assert_allclose(history.series.values[:-1], expected[:whole].reshape(-1, 60).mean(axis=1))
    assert history.series.values[-1] == pytest.approx(expected[whole:].mean())


@pytest.mark.parametrize(
    "name",
    [
        "we*rd [x]?.csv",
        "-x.csv",
        'it\'s "q" %20.csv',
        "é 漢.csv",
        os.fsdecode(b"\xff.csv"),
        "s3:x.csv",
        "year=1.csv",
    ],
)
def test_path_is_taken_literally(file_of: FileOf, name: str) -> None:
    file_of("weXrd x1.csv", HEAD + "0,1\n60,2\n120,9\n")  # the first name's pattern matches this one
    try:
        file_of(name, HEAD + "0,1\n60,2\n")
    except OSError:
        pytest.skip("this file system has no such name")
    assert values(read_demand(name)) == [1.0, 2.0]
    assert values(read_demand(Path(name))) == [1.0, 2.0]


def test_json_members_may_have_any_name(file_of: FileOf) -> None:
    content = '{"ts": 0, "a.b/c~d\'e": 1, "x": "y"}\n{"ts": 60, "a.b/c~d\'e": 2}\n'
    assert values(read_demand(file_of("a.jsonl", content))) == [1.0, 2.0]


def test_gzip_of_several_members_is_read_whole(file_of: FileOf) -> None:
    content = gzip.compress((HEAD + "0,1\n").encode()) + gzip.compress(b"60,5\n")
    assert values(read_demand(file_of("a.csv.gz", content))) == [1.0, 5.0]


def test_byte_order_mark_and_crlf_do_not_matter(file_of: FileOf) -> None:
    assert values(read_demand(file_of("a.csv", "\ufeffts,value\r\n0,1\r\n60,2\r\n"))) == [1.0, 2.0]


def test_file_without_header_has_numbered_columns(file_of: FileOf) -> None:
    history = read_demand(file_of("a.csv", "1704067200,1\n1704067260,2\n"))
    assert (history.time_column, history.value_column, values(history)) == ("column1", "column2", [1.0, 2.0])


# -- how it is read


def test_progress_rises_to_one(file_of: FileOf) -> None:
    file_of("a.parquet", parquet("SELECT i AS ts, i % 9 AS value FROM range(2000000) r(i)"))
    shares: list[float] = []
    read_demand("a.parquet", step_s=10.0, progress=shares.append)
    assert shares == sorted(shares)
    assert len(shares) >= 5
    assert shares[-1] == 1.0


def test_ctrl_c_ends_the_reading_and_leaves_nothing(file_of: FileOf, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkdir("tmp")
    monkeypatch.setattr(tempfile, "tempdir", os.path.abspath("tmp"))
    file_of("a.parquet", PARQUET)

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_demand("a.parquet", progress=interrupt)
    assert os.listdir("tmp") == []
    read_demand("a.parquet")
    assert os.listdir("tmp") == []


def test_missing_temporary_folder_is_said(file_of: FileOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", os.path.abspath("none"))
    assert problem(file_of("a.csv", HEAD + "0,1\n60,2\n")) == (
        "a.csv: there is no temporary folder to read it into (no such file or directory)"
    )


def test_without_duckdb_it_says_what_to_install(file_of: FileOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtra) as missing:
        read_demand(file_of("a.csv", HEAD + "0,1\n60,2\n"))
    assert str(missing.value) == (
        "reading a demand history needs duckdb, which is not installed: pip install 'headrace[history]'"
    )


_PEAK = """
import resource, sys
from headrace.observe import database, history
import duckdb
per_mb = 1e6 if sys.platform == "darwin" else 1e3
peak_mb = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / per_mb
database._MEMORY_LIMIT = "100MB"
history.read_demand("small.parquet", step_s=10.0)
before_mb = peak_mb()
read = history.read_demand("large.parquet", step_s=10.0)
print(read.rows, len(read.series), peak_mb() - before_mb)
"""


def test_memory_does_not_grow_with_the_file(file_of: FileOf) -> None:
    rows = 10_000_000  # 160 MB of times and values, were they held at once
    file_of("small.parquet", PARQUET)
    with duckdb.connect(config={"memory_limit": "300MB"}) as connection:
        connection.execute(
            f"COPY (SELECT i AS ts, hash(i) % 999 AS value FROM range({rows}) r(i)) TO 'large.parquet'"
        )
    source = str(Path(__file__).resolve().parents[2] / "src")
    ran = subprocess.run(
        [sys.executable, "-c", _PEAK],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    read_rows, read_values, grown_mb = ran.stdout.split()
    assert (int(read_rows), int(read_values)) == (rows, rows // 10)
    assert float(grown_mb) < 250.0


REAL = {
    "crane_input0_1min": ("ts", "value", 60.0, 11_520),
    "crane_input11_1min": ("ts", "value", 60.0, 23_040),
    "crane_input1_1min": ("ts", "value", 60.0, 23_040),
    "crane_input2_1min": ("ts", "value", 60.0, 23_040),
    "nab_grok_asg_anomaly": ("timestamp", "value", 300.0, 4_621),
    "nab_nyc_taxi": ("timestamp", "value", 1800.0, 10_320),
    "servegen_m_large_10min_diurnal_clients": ("t_s", "rate_rps", 600.0, 2_016),
    "servegen_m_large_10min_total": ("t_s", "rate_rps", 600.0, 2_016),
    "servegen_m_mid_10min_diurnal_clients": ("t_s", "rate_rps", 600.0, 2_016),
    "servegen_m_mid_10min_total": ("t_s", "rate_rps", 600.0, 2_016),
    "taylor_halfhourly_electricity": ("timestamp", "value", 1800.0, 4_032),
}


@pytest.mark.real_data
@pytest.mark.parametrize("name", REAL)
def test_real_histories_are_read_without_options(shared_data: Path, name: str) -> None:
    history = read_demand(shared_data / "demand" / f"{name}.csv")
    assert (history.time_column, history.value_column, history.series.step_s, history.rows) == REAL[name]
    assert len(history.series) == history.rows
    assert history.gaps == ()


@pytest.mark.real_data
def test_every_real_history_is_in_the_table(shared_data: Path) -> None:
    assert {path.stem for path in (shared_data / "demand").glob("*.csv")} == set(REAL)


HUGE = "9" * 5_000


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("day.jsonl", f'{{"ts": 0, "value": {HUGE}}}\n{OBJECTS}', "day.jsonl, row 1: the value '9999"),
        ("day.jsonl", f'{{"ts": {HUGE}, "value": 1}}\n{OBJECTS}', "day.jsonl, row 1: the time '9999"),
        ("day.jsonl", OBJECTS + f'{{"ts": 120, "value": {HUGE}}}\n', "day.jsonl, row 3: the value '9999"),
        (
            "day.jsonl",
            OBJECTS + '{"ts": 120, "value": ' + "[" * 50_000 + "]" * 50_000 + "}\n",
            "day.jsonl, row 3: the value '[[[[",
        ),
        (
            "day.csv",
            HEAD + "\u0660,1\n60,2\n",
            "day.csv, row 2: the time '\u0660' can't be read; allowed are",
        ),
        ("day.csv", HEAD + "\u0662\u0660\u0662\u0664-01-01,1\n60,2\n", "day.csv, row 2: the time"),
        ("day.csv", HEAD + "inf,1\n60,2\n", "day.csv, row 2: the time 'inf' can't be read; allowed are"),
        ("day.csv", HEAD + "nan,1\n60,2\n", "day.csv, row 2: the time 'nan' can't be read; allowed are"),
        ("day.csv", HEAD + "0,1\n60,1e308\n", "day.csv, row 3: the value '1e308' is too large; allowed are"),
        ("day.csv", 'ts,value,"note\n0,1,2\n60,2,3\n', "day.csv, row 1: a quote is opened and not closed"),
        (
            "day.csv",
            f"ts,value,{HUGE * 40}\n0,1,2\n60,2,3\n",
            "day.csv: its first lines can't be read as CSV",
        ),
        ("day.csv", HEAD + f"0,1\n{HUGE}x,2\n", "day.csv, row 3: the time '9999"),
    ],
    ids=range(12),
)
def test_what_python_reads_otherwise_than_duckdb_is_refused_too(
    file_of: FileOf, name: str, content: str, words: str
) -> None:
    told = problem(file_of(name, content))
    assert told.startswith(words)
    assert len(told) < 400, "long texts of the file are cut"


def test_a_hole_is_not_too_large(file_of: FileOf) -> None:
    history = read_demand(file_of("day.csv", HEAD + "0,1e15\n60,nan\n120,2\n"))
    assert values(history) == [1e15, None, 2.0]


def test_an_object_nested_too_deep_for_python_is_read_where_it_is_not_asked_for(file_of: FileOf) -> None:
    deep = '{"ts": 120, "value": 3, "more": ' + "[" * 50_000 + "]" * 50_000 + "}\n"
    assert values(read_demand(file_of("day.jsonl", OBJECTS + deep))) == [1.0, 2.0, 3.0]


# -- several files


def test_several_files_are_one_history_in_the_order_of_their_times(file_of: FileOf) -> None:
    file_of("b.csv", HEAD + "0,1\n60,2\n")
    file_of("a.csv", HEAD + "240,3\n300,4\n")
    file_of("c.jsonl", '{"ts": 120, "value": 5}\n')
    history = read_demand(["*.csv", "c.jsonl"])
    assert values(history) == [1.0, 2.0, 5.0, None, 3.0, 4.0]
    assert history.rows == 5
    assert "3 files are read as one history." in history.notes
    shares: list[float] = []
    assert values(read_demand(["*.csv", "c.jsonl"], step_s=120.0, progress=shares.append)) == [1.5, 5.0, 3.5]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_files_that_overlap_are_refused(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,1\n60,2\n120,3\n")
    file_of("b.csv", HEAD + "120,4\n180,5\n")
    with pytest.raises(InputError) as refused:
        read_demand("?.csv")
    assert str(refused.value) == (
        "b.csv, row 2: the time '120' lies within the times of a.csv; the files of one history must follow each other"
    )


def test_a_copy_in_the_folder_is_left_out_and_said(file_of: FileOf) -> None:
    for name in ("a.csv", "a (1).csv"):
        file_of(name, HEAD + "0,1\n60,2\n")
    history = read_demand("*.csv")
    assert values(history) == [1.0, 2.0]
    assert "a.csv has the same content as a (1).csv, and is left out." in history.notes


def test_bad_rows_of_several_files_are_named_with_their_file(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,1\n60,2\n")
    file_of("b.csv", HEAD + "120,1\n180,-2\n")
    with pytest.raises(InputError, match=r"^b\.csv, row 3: the value '-2' is negative"):
        read_demand(["b.csv", "a.csv"])
    file_of("b.csv", HEAD + "150,1\n180,2\n240,2\n300,2\n")
    with pytest.raises(
        InputError, match=r"^b\.csv, row 2: the time t = 150 s does not fall on a regular grid"
    ):
        read_demand(["a.csv", "b.csv"])
    file_of("b.csv", "ts,rps\n120,1\n180,2\n")
    with pytest.raises(
        InputError, match=r"^b\.csv: its demand is 'rps', that of a\.csv 'value'; one history needs"
    ):
        read_demand(["a.csv", "b.csv"])
    file_of("b.csv", HEAD + "1700000000,1\n1700000060,2\n")
    with pytest.raises(InputError, match=r"^b\.csv: its times are not of the kind of those of a\.csv"):
        read_demand(["a.csv", "b.csv"])


def test_empty_files_among_others_are_left_out_and_said(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,1\n60,2\n")
    file_of("b.csv", HEAD)
    history = read_demand("?.csv")
    assert values(history) == [1.0, 2.0]
    assert "One file is read; b.csv has no row, and is left out." in history.notes
    file_of("a.csv", "")
    assert problem("?.csv") == "a.csv and 1 more: none of the files has a row of data"
