"""Law: durations read from several files are those read from one, and those counted in Python.

However the rows are split, in whatever format and unit: the same counts, the same longest, sums within 1e-12.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.durations import durations
from headrace.observe.duration_files import read_durations

# whole seconds, a hair beside them, and beyond the last place
SECONDS = st.one_of(
    st.integers(0, 5_000_000).map(lambda ms: ms / 1000.0), st.integers(0, 4000).map(float), st.just(3600.001)
)


def write(path: Path, values_ms: list[int]) -> None:
    """Durations in ms in the format that the name says."""
    if path.suffix == ".csv":
        path.write_text("id,latency_ms\n" + "".join(f"{at},{value}\n" for at, value in enumerate(values_ms)))
    else:
        path.write_text("".join(json.dumps({"latency_ms": value}) + "\n" for value in values_ms))


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(st.sampled_from(["csv", "jsonl"]), st.lists(SECONDS, min_size=1, max_size=20)),
        min_size=2,
        max_size=4,
    )
)
def test_parts_are_the_whole(parts: list[tuple[str, list[float]]]) -> None:
    everything = [value for _, values in parts for value in values]
    with tempfile.TemporaryDirectory() as folder:
        for at, (ending, values) in enumerate(parts):
            # an ordinal in each file, so that none is a copy of another
            write(
                Path(folder) / f"part{at}.{ending}", [round(value * 1000) for value in (*values, float(at))]
            )
        whole = [*everything, *(float(at) for at in range(len(parts)))]
        write(Path(folder) / "whole.csv", [round(value * 1000) for value in whole])
        split, _ = (
            read_durations([f"{folder}/part*.csv", *sorted(Path(folder).glob("part*.jsonl"))])
            if any(ending == "csv" for ending, _ in parts)
            else read_durations(f"{folder}/part*.jsonl")
        )
        one, _ = read_durations(f"{folder}/whole.csv")
    expected = durations(np.array(whole))
    for read in (split, one):
        np.testing.assert_array_equal(read.counts, expected.counts)
        np.testing.assert_allclose(read.sums_s, expected.sums_s, rtol=1e-12)
        assert read.longest_s == expected.longest_s
