"""How many run at once from counts by step, and which steps a log can't know."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.durations import durations
from headrace.observe.concurrency import Steps, edge_s, known_span, mean_running, missing_steps


def steady(count: int, each: int = 10) -> Steps:
    """As many requests start as end in each step, all at its beginning."""
    starts = np.full(count, each, dtype=np.int64)
    return Steps(0, 10.0, starts, np.zeros(count), starts, np.zeros(count))


def without(steps: Steps, *stretches: tuple[int, int]) -> Steps:
    starts = steps.starts.copy()
    for begin, after in stretches:
        starts[begin:after] = 0
    return steps._replace(starts=starts, ends=starts)


def holes(mask: NDArray[np.bool_]) -> list[int]:
    return np.flatnonzero(mask).tolist()


def test_running_is_what_has_started_and_not_ended() -> None:
    # one from 2 to 25, one from 14 to 18
    steps = Steps(
        7,
        10.0,
        np.array([1, 1, 0]),
        np.array([2.0, 4.0, 0.0]),
        np.array([0, 1, 1]),
        np.array([0.0, 8.0, 5.0]),
    )
    np.testing.assert_allclose(mean_running(steps), [0.8, 1.4, 0.5])


def test_an_edge_is_as_long_as_nearly_all_requests() -> None:
    assert edge_s(durations(np.array([2.5] * 99 + [500.0]))) == 3.0
    assert edge_s(durations(np.array([2.5] * 98 + [500.0] * 2))) == 500.0
    assert known_span(steady(1000), 25.0) == (4, 996)
    assert known_span(steady(1000), 600.0) == (0, 1000), "over a twentieth at either end"


def test_holes_are_empty_stretches_between_busy_ones() -> None:
    log = steady(1000)
    assert holes(missing_steps(without(log, (500, 520)), 0.0)) == list(range(500, 520))
    assert holes(missing_steps(without(log, (500, 520)), 15.0)) == list(range(498, 522)), (
        "as far as requests reach"
    )
    assert holes(missing_steps(without(log, (0, 20), (990, 1000)), 0.0)) == [], (
        "nothing is known before and after"
    )
    assert holes(missing_steps(without(steady(1000, 1), (500, 520)), 0.0)) == [], "10 requests may be chance"
    assert holes(missing_steps(without(log, (500, 501)), 0.0)) == [], "10 in one step as well"
    assert holes(missing_steps(without(steady(1000, 40), (500, 501)), 0.0)) == [500]


def test_traffic_in_batches_has_no_holes() -> None:
    log = without(steady(1000), *((at, at + 30) for at in range(100, 900, 100)))
    assert holes(missing_steps(log, 0.0)) == []


def test_where_requests_reach_over_most_of_the_log_only_the_stretch_is_a_hole() -> None:
    assert holes(missing_steps(without(steady(1000), (500, 520)), 4_000.0)) == list(range(500, 520))
