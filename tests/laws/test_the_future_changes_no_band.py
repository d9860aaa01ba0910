"""Whatever comes after a window, what was issued when it had been seen stays the same to the last bit.

Where nothing comes at all the arrays are shorter, and sums may be rounded in another order: there to nine digits.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.laws.forecasts import SLOTS, histories

from headrace.simulate.backtest import issued_along


@settings(max_examples=30)
@given(
    history=histories(4, 12, noises=(0.05, 0.8)),
    share=st.floats(0.0, 1.0),
    horizons=st.sampled_from([(1,), (2,), (1, 2, 3)]),
    factor=st.sampled_from([0.0, 0.5, 30.0, np.nan]),
    cut_off=st.booleans(),
)
def test_the_future_changes_no_band(
    history: NDArray[np.float64], share: float, horizons: tuple[int, ...], factor: float, cut_off: bool
) -> None:
    first_day = 3
    seen = first_day * SLOTS + round(share * (history.shape[1] - first_day * SLOTS - 1))
    other = history.copy()
    other[:, seen + 1 :] *= factor
    if cut_off:
        other = other[:, : seen + 1]
    before, after = (issued_along(each, SLOTS, horizons, first_day) for each in (history, other))
    for one, two in ((before.expected, after.expected), (before.upper, after.upper)):
        if cut_off:
            np.testing.assert_allclose(two[:, : seen + 1], one[:, : seen + 1], rtol=1e-9)
        else:
            assert np.array_equal(one[:, : seen + 1], two[:, : seen + 1], equal_nan=True)
    assert after.upper.shape[1] > seen
