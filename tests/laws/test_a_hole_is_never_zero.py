"""Wherever holes lie, in the history or in the day, nothing is forecast far below what was ever seen."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.forecasts import SLOTS

from headrace.simulate.backtest import issued_along

LEAST = 100.0


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    days=st.integers(3, 16),
    share=st.sampled_from([0.1, 0.5, 0.9]),
    stretches=st.lists(st.tuples(st.floats(0.0, 1.0), st.sampled_from([3, SLOTS, 2 * SLOTS])), max_size=4),
)
def test_a_hole_is_never_zero(seed: int, days: int, share: float, stretches: list[tuple[float, int]]) -> None:
    random = np.random.default_rng(seed)
    demand = LEAST * random.uniform(1.0, 1.5, size=(2, days * SLOTS))
    demand[1, random.uniform(size=days * SLOTS) < share] = np.nan
    for begin, windows in stretches:
        first = round(begin * days * SLOTS)
        demand[1, first : first + windows] = np.nan
    issued = issued_along(demand, SLOTS, (1, 3), first_day=2)
    for said in (issued.expected, issued.upper):
        known = said[1][~np.isnan(said[1])]
        assert (known > 0.7 * LEAST).all()
    # what is not known of one model is no matter for the other
    alone = issued_along(demand[:1], SLOTS, (1, 3), first_day=2)
    np.testing.assert_allclose(issued.upper[:1], alone.upper, rtol=1e-9)
