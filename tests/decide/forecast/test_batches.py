"""Models fitted apart and put together are in the order they were given."""

from __future__ import annotations

import numpy as np

from headrace.decide import forecast
from headrace.decide.forecast.batches import joined

SLOTS = 24


def test_fits_are_joined_model_by_model() -> None:
    history = 10.0 + np.random.default_rng(0).uniform(size=(5, 9 * SLOTS))
    parts = [forecast.fit(history[rows], SLOTS, (1, 2)) for rows in (slice(0, 2), slice(2, 5))]
    whole = joined(parts)
    assert whole.horizons == (1, 2)
    assert whole.windows_per_day == SLOTS
    assert (whole.offset == np.concatenate([part.offset for part in parts])).all()
    assert (whole.steps[1].upper.weights[2:] == parts[1].steps[1].upper.weights).all()
    assert (whole.start.logs[:2] == parts[0].start.logs).all()
    assert whole.start.at == -1
