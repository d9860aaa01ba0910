"""A fit of many models is each one's own; a short, empty or constant history is answered for what it is worth."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide import forecast
from headrace.decide.forecast import outliers
from headrace.decide.forecast.decay import Floats
from headrace.decide.forecast.learning import whole_days, with_holes_filled

SLOTS = 48


def demand(models: int, days: int, seed: int = 5) -> Floats:
    """Daily waves with noise that wanders a little, shape [models, days * SLOTS]."""
    draw = np.random.default_rng(seed)
    wave = 0.8 * np.sin(2.0 * np.pi * (np.arange(days * SLOTS) / SLOTS + draw.uniform(size=(models, 1))))
    wander = 0.01 * draw.standard_normal((models, days * SLOTS)).cumsum(axis=1)
    return np.asarray(100.0 * np.exp(wave + wander + 0.05 * draw.standard_normal((models, days * SLOTS))))


def day_of(history: Floats, ahead: int = 1) -> forecast.Issued:
    """What is issued over the day after a history, nothing of which is ever seen."""
    fit = forecast.fit(history, SLOTS, (ahead,))
    return forecast.run(fit, fit.start, np.full((len(history), SLOTS), np.nan)).issued


@pytest.mark.parametrize("models", [2, 16, 37])
def test_a_batch_is_each_models_own(models: int) -> None:
    history = demand(models, 21)
    history[0, 100:130] = np.nan
    together = day_of(history, ahead=2)
    for model in (0, 1, models - 1):
        alone = day_of(history[model : model + 1], ahead=2)
        assert together.upper[model] == pytest.approx(alone.upper[0], rel=1e-9)
        assert together.expected[model] == pytest.approx(alone.expected[0], rel=1e-9)


def test_horizons_fitted_together_are_those_fitted_alone() -> None:
    history = demand(2, 20)
    both = forecast.fit(history, SLOTS, (1, 3))
    alone = forecast.fit(history, SLOTS, (3,))
    said = [forecast.run(each, each.start, history[:, :30]).issued.upper[:, :, -1] for each in (both, alone)]
    assert said[0] == pytest.approx(said[1], rel=1e-9)
    assert both.horizons == (1, 3)


def test_the_band_widens_with_the_horizon_and_lies_above_what_is_expected() -> None:
    history = demand(4, 28)
    fit = forecast.fit(history, SLOTS, (1, 6))
    issued = forecast.run(fit, fit.start, history[:, :SLOTS]).issued
    assert (issued.upper > issued.expected).mean() > 0.99
    width = (issued.upper / issued.expected).mean(axis=(0, 1))
    assert width[1] > width[0] > 1.0


def test_a_higher_level_lies_higher() -> None:
    history = demand(3, 21)
    uppers = []
    for level in (0.8, 0.95, 0.99):
        fit = forecast.fit(history, SLOTS, (1,), level)
        uppers.append(forecast.run(fit, fit.start, history[:, :SLOTS]).issued.upper.mean())
    assert uppers[0] < uppers[1] < uppers[2]


def test_what_has_not_happened_yet_does_not_enter() -> None:
    history = demand(2, 15)
    cut = history.copy()
    cut[:, -5:] = np.nan
    fits = [forecast.fit(each, SLOTS, (1, 2), unseen=5) for each in (cut, cut.copy())]
    assert fits[0].start.at == -6
    values = [forecast.run(fit, fit.start, history[:, -5:]).issued.expected for fit in fits]
    assert (values[0] == values[1]).all()
    assert not np.isnan(values[0]).any()


@pytest.mark.parametrize("windows", [1, 2, 5, SLOTS - 1, SLOTS, SLOTS + 1, 3 * SLOTS, 8 * SLOTS + 3])
def test_a_short_history_is_answered(windows: int) -> None:
    history = demand(2, 10)[:, :windows]
    issued = day_of(history)
    assert np.isfinite(issued.expected).all()
    assert (np.isfinite(issued.upper)).all() == (windows > 1), "one window cannot judge a forecast"
    near = issued.expected[:, 0, 0] / history[:, -1]
    assert ((near > 0.5) & (near < 2.0)).all()


def test_a_shape_is_known_after_two_days() -> None:
    history = demand(4, 10)
    came = history[:, 5 * SLOTS : 6 * SLOTS]
    fit = forecast.fit(history[:, : 5 * SLOTS], SLOTS, (4,))
    issued = forecast.run(fit, fit.start, came).issued.expected[:, : SLOTS - 4, 0]
    naive = history[:, 5 * SLOTS - 1 : 6 * SLOTS - 5]
    assert np.abs(issued - came[:, 3:-1]).mean() < 0.5 * np.abs(naive - came[:, 3:-1]).mean()


def test_nothing_known_is_nothing_said() -> None:
    issued = day_of(np.full((2, 5 * SLOTS), np.nan))
    assert np.isnan(issued.expected).all()
    assert np.isnan(issued.upper).all()


def test_a_model_without_demand_does_not_touch_its_neighbour() -> None:
    history = np.concatenate([np.full((1, 20 * SLOTS), np.nan), demand(1, 20), np.zeros((1, 20 * SLOTS))])
    together, alone = day_of(history), day_of(history[1:2])
    assert together.upper[1] == pytest.approx(alone.upper[0], rel=1e-9)
    assert np.isnan(together.upper[0]).all()
    assert (together.upper[2] == 0.0).all()
    assert (together.expected[2] == 0.0).all()


def test_constant_demand_is_forecast_as_it_is() -> None:
    issued = day_of(np.full((1, 20 * SLOTS), 7.0))
    assert issued.expected == pytest.approx(np.full_like(issued.expected, 7.0))
    assert issued.upper == pytest.approx(np.full_like(issued.upper, 7.0), rel=1e-3)


def test_only_so_much_history_is_used() -> None:
    history = demand(1, 60)
    assert whole_days(history, SLOTS).shape == (1, 42 * SLOTS)
    assert whole_days(demand(1, 60), 288).shape[1] == 60 * SLOTS // 288 * 288
    assert (day_of(history).upper == day_of(history[:, 18 * SLOTS :]).upper).all()
    leftover = whole_days(history[:, : 3 * SLOTS + 5], SLOTS)
    assert leftover.shape == (1, 4 * SLOTS)
    assert np.isnan(leftover[0, : SLOTS - 5]).all()
    assert (leftover[0, SLOTS - 5 :] == history[0, : 3 * SLOTS + 5]).all()


def test_a_hole_carries_the_last_value_on_along_the_seasonals() -> None:
    usually = np.array([[[1.0, 2.0, 4.0, 8.0]] * 3])
    logs = np.array([[3.0, np.nan, np.nan, 9.0]])
    assert with_holes_filled(logs, usually, np.zeros(1)).tolist() == [[3.0, 4.0, 6.0, 9.0]]
    assert with_holes_filled(np.full((1, 4), np.nan), usually, np.array([5.0])).tolist() == [[5.0] * 4]


@pytest.mark.parametrize("factor", [5.0, 0.0])
@pytest.mark.parametrize("back", [1, 3, 7])
def test_a_one_off_day_does_not_become_the_profile(factor: float, back: int) -> None:
    history = demand(6, 28)
    odd = history.copy()
    odd[:, (28 - back) * SLOTS : (29 - back) * SLOTS] *= factor
    clean, touched = (forecast.fit(each, SLOTS, (1,)) for each in (history, odd))
    shapes = [fit.seasonals[:, :, SLOTS : 2 * SLOTS] for fit in (clean, touched)]
    shapes = [each - each.mean(axis=2, keepdims=True) for each in shapes]
    # 7 % on average in the shape, where the day as it was would bring a factor of five
    assert np.abs(shapes[0] - shapes[1]).mean() < 0.07


@pytest.mark.parametrize("factor", [5.0, 0.0])
def test_a_week_after_a_one_off_day_the_forecast_is_what_it_would_have_been(factor: float) -> None:
    history = demand(6, 29)
    odd = history.copy()
    odd[:, 21 * SLOTS : 22 * SLOTS] *= factor
    came, errors = history[:, 28 * SLOTS :], []
    for past in (history, odd):
        fit = forecast.fit(past[:, : 28 * SLOTS], SLOTS, (4,))
        issued = forecast.run(fit, fit.start, came).issued.expected[:, : SLOTS - 4, 0]
        errors.append(np.abs(np.log(issued / came[:, 3:-1])).mean())
    assert errors[1] < 1.1 * errors[0]


def test_without_the_guard_a_one_off_day_would_return(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outliers, "usual", lambda logs: np.ones(logs.shape, np.bool_))
    history = demand(6, 28)
    odd = history.copy()
    odd[:, 27 * SLOTS :] = 0.0
    clean, touched = (
        forecast.fit(each, SLOTS, (1,)).seasonals[:, 2, SLOTS : 2 * SLOTS] for each in (history, odd)
    )
    assert np.abs(clean - touched).mean() > 1.0
