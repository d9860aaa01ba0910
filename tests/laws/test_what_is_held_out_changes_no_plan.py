"""Whatever comes in the days that are held out, the numbers that were planned before them stay the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.asks import DAY_S, OF_DAY, ask, demand, occupancy, runner

from headrace.plan.ask import Ask, Today
from headrace.plan.holdout import proof
from headrace.series import Series
from headrace.simulate.fluid import Floats


def history(future: Floats | float) -> Ask:
    """Three days that are known, and one or two of which everything is multiplied with the future."""
    series = demand(4.5)
    factor = np.ones(len(series))
    factor[3 * OF_DAY :] = future
    minutes = np.ones(round(4.5 * 1_440))
    minutes[3 * 1_440 :] = np.repeat(np.broadcast_to(future, len(series) - 3 * OF_DAY), 5)
    waiting = np.where(np.arange(len(minutes)) % 1_440 < 60, 40.0, 0.0)
    ready = Series(series.start_s, 300.0, 20.0 * factor)
    known = minutes > 0.0
    seen = occupancy(30.0 * minutes, waiting * minutes)
    seen = replace(
        seen, **{name: getattr(seen, name)[known] for name in ("at_s", "running", "waiting", "replicas")}
    )
    return ask(
        replace(series, values=series.values * factor),
        occupancy=seen,
        replicas=ready,
        today=Today("as it was seen", 0.0, ready=ready),
    )


def planned(future: Floats | float) -> tuple[object, ...]:
    made = proof(history(future), 1.5 * DAY_S, 0.1, runner(), lambda share: None).planned
    return made.fleet, made.numbers, made.proposed.outcome, made.bound.outcome


BEFORE = planned(1.0)


@settings(max_examples=8)
@given(st.sampled_from([0.3, 1.7, 20.0]) | st.integers(0, 2**32 - 1))
def test_what_is_held_out_changes_no_plan(future: float | int) -> None:
    drawn: Floats | float = future
    if isinstance(future, int):
        random = np.random.default_rng(future)
        drawn = random.choice([0.0, 1.0, 8.0, np.nan], round(1.5 * OF_DAY), p=[0.2, 0.5, 0.2, 0.1])
        drawn[-1] = 1.0
    assert repr(planned(drawn)) == repr(BEFORE)
