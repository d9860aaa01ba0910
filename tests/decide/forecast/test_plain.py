"""A state is small and plain, and so is a fit: JSON has a word for everything in them."""

from __future__ import annotations

import json

import numpy as np

from headrace.decide import forecast

SLOTS = 144


def test_a_state_is_small() -> None:
    history = 100.0 + np.random.default_rng(0).standard_normal((1, 15 * SLOTS))
    fit = forecast.fit(history, SLOTS, (1, 2))
    state = forecast.run(fit, fit.start, history[:, :30]).state
    text = json.dumps(forecast.state_to_plain(state), allow_nan=False)
    assert len(text) < 1_000
    assert len(json.dumps(forecast.fit_to_plain(fit), allow_nan=False)) < 50_000


def test_what_is_not_known_is_null() -> None:
    fit = forecast.fit(np.full((1, 3 * SLOTS), np.nan), SLOTS, (1, 3))
    plain = json.loads(json.dumps(forecast.state_to_plain(fit.start), allow_nan=False))
    assert plain["ridge_ahead"] == [[[None] * 3] * 2]
    back = forecast.state_from_plain(plain)
    assert back.ridge_ahead.shape == (1, 2, 3)
    assert np.isnan(back.ridge_ahead).all()
