"""Demand in another unit is the same demand: the forecast of k times a history is k times its forecast."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.laws.forecasts import SLOTS, histories

from headrace.simulate.backtest import issued_along


@settings(max_examples=30)
@given(history=histories(4, 10, noises=(0.05, 0.8)), factor=st.sampled_from([1e-6, 0.37, 2.0, 150.0, 1e9]))
def test_forecast_scales_with_demand(history: NDArray[np.float64], factor: float) -> None:
    # of demand that has always been zero nobody knows what is much
    assume((np.nanmax(history[:, : 3 * SLOTS - 1], axis=1, initial=0.0) > 0.0).all())
    plain, scaled = (issued_along(each, SLOTS, (1, 2), first_day=3) for each in (history, factor * history))
    level = np.nanmax(history, initial=0.0)
    for one, two in ((plain.expected, scaled.expected), (plain.upper, scaled.upper)):
        np.testing.assert_allclose(two / factor, one, rtol=1e-5, atol=1e-6 * level)
