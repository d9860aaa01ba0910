"""What is rarely exceeded is never below what is expected, however the experts disagree."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.laws.forecasts import SLOTS, histories

from headrace.simulate.backtest import issued_along

GROWING = np.exp(np.linspace(0.0, 7.0, 5 * SLOTS))[None]
HEAVY = np.random.default_rng(1).pareto(0.6, (1, 14 * SLOTS))


@settings(max_examples=30)
@given(history=histories(3, 12), level=st.sampled_from([0.6, 0.95]))
@example(history=GROWING, level=0.95)
@example(history=HEAVY, level=0.95)
def test_the_band_is_not_below_what_is_expected(history: NDArray[np.float64], level: float) -> None:
    along = issued_along(history, SLOTS, (1, 2), first_day=2, level=level)
    known = ~np.isnan(along.upper)
    assert (along.upper[known] >= along.expected[known]).all()
