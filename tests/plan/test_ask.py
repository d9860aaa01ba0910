"""`until` hides everything that comes at a moment or after it, and nothing before."""

from __future__ import annotations

import numpy as np
from tests.plan.asks import DAY_S, MONDAY_S, OF_DAY, ask, demand, occupancy

from headrace.durations import durations
from headrace.plan.ask import Today, until
from headrace.series import Series

SPLIT_S = MONDAY_S + 2 * DAY_S


def test_everything_with_a_time_ends_at_the_moment() -> None:
    history = demand(4)
    minutes = 4 * 1_440
    whole = ask(
        history,
        lower_bound=np.arange(len(history)) % 2 == 0,
        occupancy=occupancy(
            np.arange(minutes, dtype=np.float64), np.zeros(minutes), usage=np.arange(minutes) / minutes
        ),
        replicas=Series(MONDAY_S, 600.0, np.arange(4 * 144, dtype=np.float64)),
        today=Today("as it was seen", 0.0, ready=Series(MONDAY_S, 300.0, history.values)),
    )
    known = until(whole, SPLIT_S)
    assert np.array_equal(known.demand.values, history.values[: 2 * OF_DAY])
    assert np.array_equal(known.past.demand.values, history.values[: 2 * OF_DAY])
    assert known.past.lower_bound is not None
    assert len(known.past.lower_bound) == 2 * OF_DAY
    assert known.today is not None
    assert known.today.ready is not None
    assert len(known.today.ready) == 2 * OF_DAY
    seen, ready = known.past.occupancy, known.past.replicas
    assert seen is not None
    assert ready is not None
    assert (len(seen), seen.at_s[-1], seen.running[-1]) == (2_880, SPLIT_S - 60.0, 2_879.0)
    assert seen.kv_usage_ratio is not None
    assert (len(seen.kv_usage_ratio), seen.kv_usage_ratio[-1]) == (2_880, 2_879.0 / minutes)
    assert (len(ready), ready.values[-1]) == (288, 287.0)


def test_what_is_not_known_stays_unknown_and_durations_stay_whole() -> None:
    known = until(ask(demand(4), durations=durations(np.array([1.0, 2.0]))), SPLIT_S)
    assert known.past.durations is not None
    assert known.past.durations.count == 2
    assert (known.past.lower_bound, known.past.occupancy, known.past.replicas) == (None, None, None)
