"""Whatever little is known, nothing forecast is far beyond all that was seen: four times, sixteen for the band."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headrace.simulate.backtest import issued_along

SLOTS = 24
FIRST_DAY = 4


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    gone=st.floats(0.0, 0.99),
    gap=st.sampled_from([np.nan, 0.0, 0.1]),
    wave=st.sampled_from([0.0, 0.5, 1.5]),
    noise=st.sampled_from([0.0, 0.05, 0.8]),
)
@example(seed=13, gone=0.75, gap=np.nan, wave=0.0, noise=0.05)
def test_forecasts_stay_within_reach(seed: int, gone: float, gap: float, wave: float, noise: float) -> None:
    random = np.random.default_rng(seed)
    windows = 7 * SLOTS
    demand = np.exp(
        wave * np.sin(2.0 * np.pi * np.arange(windows) / SLOTS)
        + noise * random.standard_normal((20, windows))
    )
    for row in demand:
        length = int(gone * FIRST_DAY * SLOTS)
        begin = int(random.integers(0, FIRST_DAY * SLOTS - length))
        row[begin : begin + length] *= gap
    along = issued_along(demand, SLOTS, (1, 2), first_day=FIRST_DAY)
    # softened by at most a twentieth of the greatest
    reach = 1.05 * np.nanmax(demand, axis=1)[:, None, None]
    assert np.nanmax(along.expected / reach, initial=0.0) <= 4.0
    assert np.nanmax(along.upper / reach, initial=0.0) <= 16.0
