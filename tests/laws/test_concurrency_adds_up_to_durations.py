"""Law: what an access log says runs at once is, step by step, the overlap of its requests with the step.

So it integrates to the sum of the durations (within the span that is kept), and arrivals add up to the requests.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.observe.access_log import Requests, read_requests

REQUEST = st.tuples(st.integers(0, 20_000), st.integers(0, 400))
"""Start and duration in tenths of a second."""


def overlaps(read: Requests, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Mean overlap of each step with all requests, one by one."""
    begins = read.slots.start_s + np.arange(len(read.slots)) * read.slots.step_s
    covered = np.minimum(ends, begins[:, None] + read.slots.step_s) - np.maximum(starts, begins[:, None])
    total: np.ndarray = np.maximum(covered, 0.0).sum(axis=1) / read.slots.step_s
    return total


@settings(max_examples=25)
@given(
    requests=st.lists(REQUEST, min_size=2, max_size=60),
    step_s=st.sampled_from([1.0, 7.0, 10.0, 60.0]),
    start_s=st.sampled_from([0, 1_700_000_000]),
    columns=st.sampled_from(["start,end", "start,duration", "end,duration"]),
    files=st.integers(1, 3),
)
def test_concurrency_is_overlap(
    requests: list[tuple[int, int]], step_s: float, start_s: int, columns: str, files: int
) -> None:
    starts = start_s + np.array([start for start, _ in requests]) / 10.0
    lengths = np.array([length for _, length in requests]) / 10.0
    known = {"start": starts, "duration": lengths, "end": starts + lengths}
    rows = [",".join(f"{known[name][at]:.1f}" for name in columns.split(",")) for at in range(len(requests))]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(files):
            # a comment of its own, so that no file is a copy of another
            text = f"# {number}\n{columns}\n" + "".join(f"{row}\n" for row in rows[number::files])
            (Path(folder) / f"{number}.csv").write_text(text)
        read = read_requests(f"{folder}/*.csv", step_s=step_s, unit="s")
    known_steps = ~np.isnan(read.slots.values)
    expected = overlaps(read, starts, starts + lengths)
    np.testing.assert_allclose(read.slots.values[known_steps], expected[known_steps], atol=1e-6)
    assert known_steps.all(), "so few requests tell no hole"
    inside = np.minimum(starts + lengths, read.slots.start_s + read.slots.span_s) - np.maximum(
        starts, read.slots.start_s
    )
    assert read.slots.values.sum() * step_s == pytest.approx(np.maximum(inside, 0.0).sum(), abs=1e-4)
    within = (starts >= read.slots.start_s) & (starts < read.slots.start_s + read.slots.span_s)
    assert read.arrivals.values.sum() * step_s == pytest.approx(np.count_nonzero(within))
    assert read.durations.count == len(requests)
    assert read.durations.total_s == pytest.approx(lengths.sum())
