"""Scale, quantiles, losses, beliefs and the tracker, each against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.forecast import band


def test_the_conformal_rank() -> None:
    assert [band.rank(count, 0.95) for count in (0, 1, 18, 19, 20, 100, 999)] == [-1, 0, 17, 18, 19, 95, 949]
    assert band.rank(999, 0.5) == 499


def test_quantiles_are_those_of_what_is_known() -> None:
    residuals = np.random.default_rng(0).standard_normal((3, 2, 200)).astype(np.float32)
    holed = residuals.copy()
    holed[1, :, 50:] = np.inf
    holed[2] = np.inf
    found = band.residual_quantiles(holed, np.array([200, 50, 0]), 0.9)
    assert found[0].tolist() == np.sort(residuals[0], axis=1)[:, band.rank(200, 0.9)].tolist()
    assert found[1].tolist() == np.sort(residuals[1, :, :50], axis=1)[:, band.rank(50, 0.9)].tolist()
    assert np.isnan(found[2]).all()


def test_upper_losses_are_pinball_losses_of_demand() -> None:
    draw = np.random.default_rng(1)
    came, points = np.exp(draw.standard_normal((2, 60))), draw.standard_normal((2, 4, 60))
    sigma, quantiles = np.exp(draw.standard_normal((2, 60))), draw.standard_normal((2, 4))
    counts = draw.uniform(size=(2, 60))
    said = np.exp(points + quantiles[:, :, None] * sigma[:, None])
    short = came[:, None] - said
    expected = (np.maximum(0.95 * short, -0.05 * short) * counts[:, None]).sum(axis=2)
    residuals = (np.log(came)[:, None] - points) / sigma[:, None]
    single, spread, counted = (each.astype(np.float32) for each in (residuals, sigma, counts * came))
    losses = band.upper_losses(single, quantiles, spread, counted, 0.95, np.empty_like(single))
    assert losses == pytest.approx(expected, rel=1e-4)


def test_single_precision_tells_experts_apart_that_are_right_to_a_thousandth() -> None:
    draw = np.random.default_rng(2)
    once = 1e-3 * draw.standard_normal((1, 1, 1_008))
    residuals = np.concatenate([once, 1.001 * once], axis=1).astype(np.float32)
    ones = np.ones((1, 1_008), np.float32)
    losses = band.upper_losses(residuals, np.full((1, 2), 1.6e-3), ones, ones, 0.95, np.empty_like(residuals))
    short = np.exp(residuals.astype(np.float64)) * (1.0 - np.exp(1.6e-3 - residuals.astype(np.float64)))
    exact = np.maximum(0.95 * short, -0.05 * short) / np.exp(residuals.astype(np.float64))
    assert losses == pytest.approx(exact.sum(axis=2), rel=1e-4)


def test_middle_losses_are_distances_to_first_order() -> None:
    came, sigma = np.full((1, 3), 100.0, np.float32), np.full((1, 3), 0.01, np.float32)
    residuals = np.array([[[0.0, 1.0, -2.0]]], np.float32)
    losses = band.middle_losses(residuals, np.zeros((1, 1)), sigma, came, np.empty_like(residuals))
    assert losses[0, 0] == pytest.approx(0.0 + 1.0 + 2.0)


def test_scale_is_that_of_the_time_of_day_and_bears_one_wild_error() -> None:
    errors = np.full((1, 10, 48), 0.1)
    errors[0, :, 24:] = 0.4
    scale = band.slot_scale(errors)[0]
    assert 0.1 < scale[12] < 0.25 < scale[36] < 0.4
    assert abs(scale[0] - scale[47]) < 0.03, "midnight joins the two ends"
    wild = errors.copy()
    wild[0, 5, 12] = 50.0
    assert band.slot_scale(wild)[0, 12] < 1.5 * scale[12]
    assert (band.slot_scale(np.full((1, 10, 48), np.nan)) > 0.0).all()


def test_an_hour_is_ordinary_until_errors_say_otherwise() -> None:
    assert band.hour_factor(np.zeros(1), np.zeros(1))[0] == 1.0
    assert band.hour_factor(np.array([80.0]), np.array([3.3]))[0] == 2.0
    assert band.hour_factor(np.zeros(1), np.array([1e9]))[0] == pytest.approx(0.3**0.5)


def test_the_better_expert_is_believed_the_more_the_more_days_there_are() -> None:
    losses = np.array([[1.0, 1.1, 2.0]])
    few, many = (band.beliefs(losses, np.array([days]))[0] for days in (1.0, 10.0))
    assert few.sum() == pytest.approx(1.0)
    assert few[0] > few[1] > few[2] > 0.0
    assert many[0] > few[0]
    assert few[1] / few[0] == pytest.approx(np.exp(-2.0 * 0.1))
    assert band.beliefs(np.zeros((1, 3)), np.zeros(1))[0].tolist() == pytest.approx([1 / 3] * 3)


def test_the_tracker_stands_still_only_at_the_share_asked_for() -> None:
    above, below, unknown = (
        band.tracked(np.zeros(1), np.array([came]), np.ones(1), 0.95)[0] for came in (2.0, 1.0, np.nan)
    )
    assert above == pytest.approx(0.05 * 0.95)
    assert below == pytest.approx(-0.05 * 0.05)
    assert unknown == 0.0
    assert 0.05 * above + 0.95 * below == pytest.approx(0.0)
    assert band.tracked(np.array([4.0]), np.array([9.0]), np.ones(1), 0.95)[0] == 4.0


def test_the_tracker_brings_a_band_that_is_too_narrow_to_its_share() -> None:
    draw = np.random.default_rng(4)
    tracker, within = np.zeros(1), []
    for _ in range(4_000):
        upper = np.ones(1) + tracker
        came = 1.5 * draw.standard_normal(1)
        within.append(bool(came[0] <= upper[0]))
        tracker = band.tracked(tracker, came, upper, 0.95)
    assert np.mean(within[500:]) == pytest.approx(0.95, abs=0.01)


def test_a_unit_of_the_tracker_is_at_least_a_tenth() -> None:
    opinion = band.Opinion(np.array([[2.0, 3.0], [0.0, 0.0], [np.nan, np.nan]]), np.full((3, 2), 0.5))
    assert band.tracker_unit(opinion, np.array([0.5, 0.5, np.nan])).tolist() == [2.0, 0.1, 0.1]


def test_rounding_does_not_choose_among_experts_without_a_loss() -> None:
    nothing = np.array([[0.0, 3e-17, 1e-16, 0.2]])
    weights = band.beliefs(nothing, np.array([7.0]))
    np.testing.assert_allclose(weights, [[1 / 3, 1 / 3, 1 / 3, 0.0]], atol=1e-12)
