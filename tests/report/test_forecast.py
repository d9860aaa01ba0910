"""Holds what a forecast to be drawn refuses."""

from dataclasses import replace

import numpy as np
import pytest

from headrace.report.forecast import Forecast

FORECAST = Forecast(np.arange(3.0) * 600, 600.0, np.ones(3), np.ones(3))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"times_s": np.array([0.0, 600.0, 600.0])}, "strictly ascending"),
        ({"times_s": np.empty(0)}, "got 0 of"),
        ({"step_s": 0.0}, "positive length"),
        ({"upper": np.ones(2)}, r"upper has shape \(2,\)"),
        ({"quantile": 95.0}, "between 0 and 1"),
    ],
)
def test_what_could_only_be_drawn_wrongly_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(FORECAST, **change)  # type: ignore[arg-type]


def test_it_ends_with_its_last_window() -> None:
    assert FORECAST.end_s == 1800.0
