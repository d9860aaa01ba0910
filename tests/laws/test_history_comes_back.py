"""Law: a series written as CSV, JSON lines or Parquet is read back equal, its holes included.

Whether a hole is an empty value or a missing row, and how the times are written, makes no difference.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.observe.history import read_demand

# most neighbours are a step apart; a run of known values at each end fixes start and end
RUN = st.lists(st.floats(0.0, 1e12, allow_subnormal=False), min_size=4, max_size=30)
MIDDLE = st.lists(st.one_of(st.none(), st.floats(0.0, 1e12, allow_subnormal=False)), max_size=6)
STEP_S = st.sampled_from([0.25, 1.0, 7.0, 10.0, 60.0, 600.0, 86_400.0])
START_S = st.one_of(st.just(0), st.integers(1_000_000_000, 2_000_000_000))


def text_time(at_s: float, form: str) -> str:
    """A time in one of the forms that are read."""
    if form == "seconds":
        return repr(at_s)
    if form == "milliseconds":
        return str(round(at_s * 1000))
    return (
        datetime.fromtimestamp(at_s, UTC).isoformat()
        if form == "aware"
        else (datetime.fromtimestamp(at_s, UTC).replace(tzinfo=None).isoformat(sep=" "))
    )


def write(path: Path, rows: list[tuple[str, float | None]]) -> None:
    """Rows as the file that the name's ending says."""
    if ".csv" in path.name:
        text = "timestamp,value\n" + "".join(f"{at},{'' if v is None else repr(v)}\n" for at, v in rows)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps({"timestamp": at, "value": v}) + "\n" for at, v in rows))
    else:
        with duckdb.connect() as connection:
            connection.execute("CREATE TABLE history (timestamp VARCHAR, value DOUBLE)")
            connection.executemany("INSERT INTO history VALUES (?, ?)", rows)
            number = rows[0][0].replace(".", "").isdigit()
            fields = "timestamp::DOUBLE AS timestamp, value" if number else "timestamp, value"
            connection.execute(f"COPY (SELECT {fields} FROM history) TO '{path}'")


@settings(max_examples=40)
@given(
    first=RUN,
    middle=MIDDLE,
    last=RUN,
    step_s=STEP_S,
    start_s=START_S,
    leave_out=st.booleans(),
    form=st.sampled_from(["seconds", "milliseconds", "aware", "naive"]),
    ending=st.sampled_from(["csv", "csv.gz", "jsonl", "parquet"]),
)
def test_written_series_is_read_back_equal(
    first: list[float],
    middle: list[float | None],
    last: list[float],
    step_s: float,
    start_s: int,
    leave_out: bool,
    form: str,
    ending: str,
) -> None:
    if start_s == 0 and form == "milliseconds":
        form = "seconds"  # small numbers are seconds: nothing tells a relative millisecond from one
    series: list[float | None] = [*first, *middle, *last]
    rows = [
        (text_time(start_s + i * step_s, form), value)
        for i, value in enumerate(series)
        if value is not None or not leave_out
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"history.{ending}"
        write(path, rows)
        history = read_demand(path)
    expected = np.array([np.nan if value is None else value for value in series])
    np.testing.assert_array_equal(history.series.values, expected)
    assert (history.series.start_s, history.series.step_s, history.rows) == (start_s, step_s, len(rows))
    holes = sum(round((end_s - begin_s) / step_s) for begin_s, end_s in history.gaps)
    assert holes == np.count_nonzero(np.isnan(expected))
