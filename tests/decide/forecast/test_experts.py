"""Each expert says what its name says, and its tempered twins say it closer to the centre."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast import experts


def said() -> np.ndarray:
    one = np.ones((1, 1))
    means = np.array([[[3.0], [4.0], [0.25], [0.5]]])
    at, ahead = np.array([[[1.0], [0.0], [2.0]]]), np.array([[[1.5], [0.0], [2.25]]])
    return experts.forecasts(10.0 * one, 5.0 * one, means, at, ahead, 2.0 * one)[0, :, 0]


def test_the_bold_ones() -> None:
    # ridge, newest, two means of the level, last week and days with the newest residual, days with two means of it
    assert said()[: experts.BOLD].tolist() == [10.0, 5.0, 3.0, 4.0, 5.5, 5.25, 2.5, 2.75]


def test_the_tempered_ones() -> None:
    assert said()[8:16] == pytest.approx(2.0 + 0.85 * (said()[:8] - 2.0))
    assert said()[16:] == pytest.approx(2.0 + 0.7 * (said()[:8] - 2.0))
    assert len(said()) == experts.COUNT


def test_running_means_go_on_where_they_were() -> None:
    draw = np.random.default_rng(0)
    logs, usually = draw.standard_normal((2, 200)), draw.standard_normal((2, 3, 200))
    whole = experts.running_means(logs, usually)
    first = experts.running_means(logs[:, :90], usually[:, :, :90])
    second = experts.running_means(logs[:, 90:], usually[:, :, 90:], first[:, :, -1])
    assert np.concatenate([first, second], axis=2) == pytest.approx(whole, rel=1e-10, abs=1e-12)


def test_running_means_are_of_the_level_and_of_the_residual() -> None:
    logs, usually = np.full((1, 50), 3.0), np.full((1, 3, 50), 1.0)
    assert experts.running_means(logs, usually)[0, :, -1].tolist() == [3.0, 3.0, 2.0, 2.0]
