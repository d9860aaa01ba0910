"""A rule split at its headroom runs as the whole does: the same ticks over, the same replicas paid, holes or not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.simulate.inputs import Setting, after, inputs, past_curve
from headrace.simulate.runner import Runner
from headrace.simulate.split import at_number, split
from headrace.spec import Rule

RUNNER = Runner(interpret=True)
NUMBERS = {
    "floor_gain": st.sampled_from([0.0, 0.8, 1.3]),
    "curve_weight": st.sampled_from([0.0, 0.5, 1.0]),
    "samples": st.integers(1, 4),
    "slope_gain": st.sampled_from([0.0, 0.5, 1.0]),
    "floor_exponent": st.sampled_from([1.0, 0.5]),
    "noise": st.sampled_from([0.0, 0.05]),
    "ceiling_gain": st.sampled_from([1.1, math.inf]),
    "exponent": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    "on_curve": st.booleans(),
    "tolerance": st.sampled_from([0.0, 0.1]),
    "sync_s": st.sampled_from([0.0, 1_500.0]),
    "down_window_s": st.sampled_from([600.0, 3_000.0]),
    "down_interval_s": st.sampled_from([0.0, 1_200.0]),
    "down_step": st.sampled_from([1.0, math.inf]),
    "low_timer": st.booleans(),
    "undo": st.booleans(),
}


@settings(max_examples=60, deadline=None)
@given(
    numbers=st.fixed_dictionaries(NUMBERS),
    number=st.floats(-0.2, 3.0),
    seed=st.integers(0, 10_000),
    holes=st.booleans(),
)
def test_a_split_rule_runs_as_the_whole(
    numbers: dict[str, Any], number: float, seed: int, holes: bool
) -> None:
    random = np.random.default_rng(seed)
    setting = Setting(startup_s=1_200.0, lag_s=600.0, drain_s=900.0, tick_s=300.0, per_replica=1.0)
    day = 5.0 + 3.0 * np.sin(np.arange(3 * 288) * 2 * np.pi / 288) + random.standard_normal(3 * 288)
    demand = np.maximum(0.0, day)
    if holes:
        at = int(random.integers(300, 840))
        demand[at : at + 20] = np.nan
    traffic = after(past_curve(demand, setting), 288)  # before, the mean of the past is not known

    def numbered(headroom: float, _setting: Setting) -> Rule:
        return Rule(headroom=headroom, **numbers)

    read = inputs(numbered(number, setting), setting, traffic)
    whole = RUNNER.tally(numbered(number, setting), setting, read)
    left, sample = at_number(split(numbered, setting, read), number)
    apart = RUNNER.tally(left, setting, sample)
    np.testing.assert_allclose(apart, whole)
