"""A fit and a state written as JSON and read again are the same, and go on with the very same numbers."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.laws.forecasts import SLOTS, histories

from headrace.decide import forecast
from headrace.decide.forecast import Fit, State


def written(value: object) -> str:
    """A text that is the same only for the same arrays, types and NaN included."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, tuple):
        return "(" + ",".join(written(each) for each in value) + ")"
    if hasattr(value, "__dataclass_fields__"):
        return ",".join(f"{field.name}={written(getattr(value, field.name))}" for field in fields(value))  # type: ignore[arg-type]
    return repr(value)


@settings(max_examples=30)
@given(history=histories(), horizons=st.sampled_from([(1,), (1, 2, 4)]), windows=st.integers(1, SLOTS))
def test_forecaster_comes_back(history: NDArray[np.float64], horizons: tuple[int, ...], windows: int) -> None:
    fit: Fit = forecast.fit(history, SLOTS, horizons)
    today = history[:, :SLOTS]
    state: State = forecast.run(fit, fit.start, today[:, :windows]).state
    fit_again = forecast.fit_from_plain(json.loads(json.dumps(forecast.fit_to_plain(fit), allow_nan=False)))
    text = json.dumps(forecast.state_to_plain(state), allow_nan=False)
    state_again = forecast.state_from_plain(json.loads(text))
    assert written(fit_again) == written(fit)
    assert written(state_again) == written(state)
    rest = np.concatenate([today[:, windows:], history[:, :3]], axis=1)
    one, two = (forecast.run(each, at, rest) for each, at in ((fit, state), (fit_again, state_again)))
    assert written(one.issued) == written(two.issued)
    assert written(one.state) == written(two.state)
