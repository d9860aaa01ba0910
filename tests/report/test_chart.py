"""Holds what a chart refuses, and that moments over capacity are found exactly."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from headrace.report.chart import Timeline, Trace, moments_over

LEVELS = hnp.arrays(np.float64, 60, elements=st.one_of(st.just(float("nan")), st.integers(0, 4).map(float)))

FLAT = np.ones(4)


def small(n: int = 4) -> Timeline:
    flat = np.ones(n)
    trace = Trace("p", flat, flat * 0, flat * 0, np.empty((0, 2)))
    return Timeline(np.arange(n, dtype=np.float64) * 10.0, 10.0, "day", flat, "requests/s", (trace,))


@given(LEVELS, LEVELS, st.integers(0, 59))
def test_moments_are_the_ticks_over(demand: np.ndarray, ready: np.ndarray, hole: int) -> None:
    times = np.arange(60, dtype=np.float64) * 10.0
    times[hole:] += 500.0
    found = moments_over(times, 10.0, demand, ready)
    for time, over in zip(times, demand > ready, strict=True):
        assert ((found[:, 0] <= time) & (time < found[:, 1])).any() == over
    assert (found[1:, 0] > found[:-1, 1]).all(), "moments that touch are one"
    assert (found[:, 1] - found[:, 0]).sum() == pytest.approx(10.0 * np.count_nonzero(demand > ready))


def test_span_and_gaps() -> None:
    chart = small()
    assert (chart.start_s, chart.end_s, chart.has_gaps) == (0.0, 40.0, False)
    assert replace(chart, demand=np.array([1, np.nan, 1, 1])).has_gaps
    assert replace(chart, times_s=np.array([0.0, 10, 900, 910])).has_gaps


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"times_s": np.array([0.0, 10, 10, 20])}, "strictly ascending"),
        ({"times_s": np.array([0.0, 10, np.nan, 20])}, "finite"),
        ({"step_s": 0.0}, "positive length, got 4 of 0.0 s"),
        ({"times_s": np.empty(0)}, "got 0 of"),
        ({"demand": np.ones(3)}, r"demand has shape \(3,\), must be \(4,\)"),
        ({"traces": (Trace("p", np.ones(5), FLAT, FLAT, np.empty((0, 2))),)}, "p: ready has shape"),
        ({"traces": (Trace("p", FLAT, FLAT, FLAT, np.ones(2)),)}, "p: over_s has shape"),
        ({"traces": (Trace("p", FLAT, FLAT, FLAT, np.array([[5.0, 9], [8, 12]])),)}, "must ascend"),
    ],
)
def test_what_could_only_be_drawn_wrongly_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(small(), **change)  # type: ignore[arg-type]
