"""Reading samples of running and waiting: one row a moment, or a row for each replica; counters are refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from headrace.errors import InputError
from headrace.observe.gauge import is_counter
from headrace.observe.occupancy_files import read_occupancy

FileOf = Callable[[str, "str | bytes"], str]
HEAD = "timestamp,num_requests_running,num_requests_waiting\n"
GUESSED = (
    "Guessed: time column 'timestamp' (--time-column names another), running column 'num_requests_running' "
    "(--running-column names another), waiting column 'num_requests_waiting' (--waiting-column names another)."
)


def problem(paths: str | list[str], **options: str) -> str:
    """The sentence with which files are refused."""
    with pytest.raises(InputError) as refused:
        read_occupancy(paths, **options)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_one_row_is_one_moment(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,4,0\n15,6,1\n45,,3\n30,8,2\n")
    read, notes = read_occupancy("a.csv")
    assert read.at_s.tolist() == [0.0, 15.0, 30.0], "sorted, without the moment that nobody answered"
    assert (read.running.tolist(), read.waiting.tolist()) == ([4.0, 6.0, 8.0], [0.0, 1.0, 2.0])
    assert np.isnan(read.replicas).all()
    assert read.step_s == 15.0
    assert notes == (
        GUESSED,
        "The times are seconds since the start, not clock times.",
        "How many replicas there were is not known; running and waiting are taken for those of one.",
        "3 moments, one every 15 s; running 6 in the mean and 8 at most, waiting 1 and 2.",
    )


def test_rows_at_one_time_are_replicas(file_of: FileOf) -> None:
    file_of(
        "a.csv", "ts,pod,vllm:num_requests_running,vllm:num_requests_waiting\n0,a,4,0\n0,b,8,2\n15,a,6,0\n"
    )
    read, notes = read_occupancy("a.csv")
    assert (read.running.tolist(), read.waiting.tolist(), read.replicas.tolist()) == ([6, 6], [1, 0], [2, 1])
    assert "Rows at one time are taken for replicas, 2 at most; running and waiting are their means." in notes
    file_of("b.csv", "ts,running,queue_depth\n0,4,0\n15,6,2\n")
    file_of("c.csv", "ts,running,queue_depth\n0,8,2\n15,10,2\n")
    files, _ = read_occupancy(["b.csv", "c.csv"])
    assert (files.running.tolist(), files.replicas.tolist()) == ([6.0, 8.0], [2.0, 2.0])


def test_sums_are_divided_by_the_replicas(file_of: FileOf) -> None:
    file_of(
        "a.jsonl",
        '{"t": 0, "running": 12, "waiting": 3, "replicas": 3}\n{"t": 60, "running": 0, "waiting": 0, '
        '"replicas": 0}\n{"t": 120, "running": 12, "waiting": 0, "replicas": 4}\n',
    )
    read, notes = read_occupancy("a.jsonl")
    assert (read.at_s.tolist(), read.running.tolist()) == ([0.0, 120.0], [4.0, 3.0])
    assert (read.waiting.tolist(), read.replicas.tolist()) == ([1.0, 0.0], [3.0, 4.0])
    assert "Running and waiting are taken for sums over 'replicas', and divided by it." in notes


def test_sglang_names_are_known(file_of: FileOf) -> None:
    file_of("a.csv", "time,sglang:num_running_reqs,sglang:num_queue_reqs\n0,1,2\n10,3,4\n")
    assert read_occupancy("a.csv")[0].waiting.tolist() == [2.0, 4.0]


def test_kv_usage_stands_beside_it_where_a_column_has_it(file_of: FileOf) -> None:
    head = "ts,pod,running,waiting,vllm:gpu_cache_usage_perc,vllm:kv_cache_usage_perc\n"
    file_of("a.csv", head + "0,a,4,0,,0.2\n0,b,8,2,,0.6\n15,a,6,0,,\n15,b,6,0,,0.5\n30,a,6,0,,\n")
    read, notes = read_occupancy("a.csv")
    assert read.kv_usage_ratio is not None
    assert read.kv_usage_ratio[:2] == pytest.approx([0.4, 0.5])
    assert np.isnan(read.kv_usage_ratio[2])
    assert "KV usage is taken for a share; it is 50 % at most." in notes
    assert "KV usage column 'vllm:kv_cache_usage_perc' (--kv-column names another)" in notes[0]
    file_of("b.csv", "ts,running,waiting,replicas,cache\n0,12,0,3,40\n60,12,0,3,90\n")
    assert read_occupancy("b.csv")[0].kv_usage_ratio is None
    named, notes = read_occupancy("b.csv", kv_usage="cache")
    assert named.kv_usage_ratio == pytest.approx([0.4, 0.9])
    assert "KV usage is taken for percent; it is 90 % at most." in notes
    file_of("c.csv", "ts,running,waiting,kv_usage\n0,1,0,\n15,1,0,nan\n")
    assert read_occupancy("c.csv")[0].kv_usage_ratio is None


def test_kv_usage_that_is_no_share_is_refused(file_of: FileOf) -> None:
    file_of("a.csv", "ts,running,waiting,kv_usage\n0,1,0,0.5\n15,1,0,400\n")
    assert problem("a.csv") == (
        "a.csv, row 3: the KV usage '400' is too large; allowed are numbers from 0 to 1 (or 100, in %), and empty for "
        "a hole"
    )


BAD: dict[str, tuple[str, str]] = {
    "negative": (
        HEAD + "0,1,0\n15,2,-1\n",
        "a.csv, row 3: the waiting '-1' is negative; allowed are numbers from 0 up, and empty for a hole",
    ),
    "text": (
        HEAD + "0,1,0\n15,many,1\n",
        "a.csv, row 3: the running 'many' is not a number; allowed are numbers from 0 up, and empty for a hole",
    ),
    "one": (
        HEAD + "0,1,0\n",
        "a.csv: there is 1 moment at which running and waiting are known; at least 2 are needed",
    ),
    "nothing known": (
        HEAD + "0,,0\n15,1,\n",
        "a.csv: there is no moment at which running and waiting are known; at least 2 are needed",
    ),
    "no replica": (
        "ts,running,waiting,replicas\n0,0,0,0\n15,0,0,0\n30,0,0,0\n",
        "a.csv: no replica answered at any of the 3 moments (replicas are 0); at least 2 are needed",
    ),
    "one replica once": (
        "ts,running,waiting,replicas\n0,0,0,0\n15,4,0,1\n30,0,0,0\n",
        (
            "a.csv: there is 1 moment at which running and waiting are known, and at 2 more no replica "
            "answered (replicas are 0); at least 2 are needed"
        ),
    ),
    "no queue": (
        "ts,running,x\n0,1,0\n15,2,0\n",
        (
            "a.csv: no column looks like the waiting column; name it with --waiting-column (the "
            "columns are 'ts', 'running', 'x')"
        ),
    ),
    "two columns": (
        "ts,running\n0,1\n15,2\n",
        (
            "a.csv: no column looks like the waiting column; name it with --waiting-column (the "
            "columns are 'ts', 'running')"
        ),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(file_of: FileOf, case: str) -> None:
    content, sentence = BAD[case]
    assert problem(file_of("a.csv", content)) == sentence


def test_a_wrong_name_gets_the_nearest(file_of: FileOf) -> None:
    file_of("a.csv", HEAD + "0,1,0\n15,2,0\n")
    assert problem("a.csv", waiting="num_request_waiting").startswith(
        "a.csv: there is no column 'num_request_waiting' (did you mean 'num_requests_waiting'?)"
    )
    assert problem("a.csv", running="timestamp", time="timestamp") == (
        "a.csv: 'timestamp' can't be both the time and the running column"
    )


def test_a_counter_is_no_gauge(file_of: FileOf) -> None:
    file_of(
        "a.csv",
        "ts,request_success_total,waiting\n"
        + "".join(f"{at * 15},{at * 40},{at % 3}\n" for at in range(200)),
    )
    assert problem("a.csv", running="request_success_total") == (
        "a.csv: the running column 'request_success_total' looks like a counter: over 200 moments "
        "it only rises, from 0 to "
        "7,960; allowed is a gauge, what is running at that moment"
    )


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        (np.arange(100) * 50.0, True),
        (np.repeat(np.arange(300) * 50.0, 3), True),  # scraped more often than it changes
        (np.concatenate([np.arange(500) * 9.0, np.arange(500) * 9.0]), True),  # a restart
        (np.arange(19) * 5000.0, False),  # too few to tell
        (np.arange(50) * 2.0, False),  # a load that rises
        (200 + 100 * np.sin(np.arange(1000) / 50), False),
        (np.where(np.arange(1000) == 500, 5000.0, 0.0), False),  # one long queue
        (np.full(1000, 64.0), False),  # saturated all the time
        (np.concatenate([np.arange(100) * 50.0, np.arange(100)[::-1] * 50.0]), False),
        (np.array([np.nan, *np.arange(100) * 50.0, np.nan]), True),
    ],
    ids=range(10),
)
def test_counters_are_told_from_gauges(values: np.ndarray, counts: bool) -> None:
    assert is_counter(values) is counts
