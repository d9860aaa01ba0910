"""Histories that the laws of the forecaster are tried on: waves, noise, jumps, zeros and holes."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

SLOTS = 24


@st.composite
def histories(
    draw: st.DrawFn, least_days: int = 3, most_days: int = 18, noises: tuple[float, ...] = (0.0, 0.05, 0.8)
) -> NDArray[np.float64]:
    """One to three models, whole days, shape [models, days * SLOTS]; NaN: a hole."""
    models, days = draw(st.integers(1, 3)), draw(st.integers(least_days, most_days))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    windows = days * SLOTS
    wave = draw(st.sampled_from([0.0, 0.5, 1.5])) * np.sin(2.0 * np.pi * np.arange(windows) / SLOTS)
    noise = draw(st.sampled_from(noises)) * random.standard_normal((models, windows))
    demand = draw(st.sampled_from([1e-3, 1.0, 1e6])) * np.exp(wave + noise)
    for _ in range(draw(st.integers(0, 3))):
        first = draw(st.integers(0, windows - 1))
        after = first + draw(st.sampled_from([1, 5, SLOTS, 3 * SLOTS]))
        demand[draw(st.integers(0, models - 1)), first:after] *= draw(
            st.sampled_from([0.0, 0.1, 5.0, np.nan])
        )
    return np.asarray(demand)
