"""Below its step a history keeps its points, its mean, its roughness and its holes; occupancy scatters as stated."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from headrace.observe.history import read_demand
from headrace.series import Series, gaps, known_mean, resampled
from headrace.simulate import texture
from headrace.simulate.fluid import Floats

STEP_S = 640.0


def fractional_walk(exponent: float, steps: int, seed: int) -> Floats:
    """Fractional Brownian motion at whole steps, exact, from the square root of its covariance."""
    at = np.arange(1, steps + 1, dtype=np.float64)
    power = at ** (2 * exponent)
    lags = np.abs(at[:, None] - at[None, :]) ** (2 * exponent)
    covariance = (power[:, None] + power[None, :] - lags) / 2
    draws = np.random.default_rng(seed).standard_normal(steps)
    return np.asarray(np.linalg.cholesky(covariance) @ draws)


def rough(exponent: float, seed: int = 3) -> Series:
    """900 values whose logarithm moves by 5 % a step."""
    values = 100.0 * np.exp(0.05 * fractional_walk(exponent, 900, seed))
    return Series(1_000.0, STEP_S, values, "requests/s")


def with_hole(series: Series) -> Series:
    values = series.values.copy()
    values[10:14] = np.nan
    return Series(series.start_s, series.step_s, values, series.unit)


@pytest.mark.parametrize("exponent", [0.3, 0.5, 0.8])
def test_hurst_of_a_walk_is_found(exponent: float) -> None:
    assert texture.hurst(rough(exponent)) == pytest.approx(exponent, abs=0.06)


@pytest.mark.parametrize("exponent", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("finer", [1, 2, 4])
def test_texture_is_as_rough_as_the_history(exponent: float, finer: int) -> None:
    history = rough(exponent)
    asked = texture.hurst(history)
    fine = texture.refined(history, 10.0, seed=1)
    # 640 s over 10 s is a power of two: every tick is a halving, none lies on a line
    logs = texture.log_demand(fine)
    one, two = (float(np.std(logs[n:] - logs[:-n])) for n in (finer, 2 * finer))
    assert math.log2(two / one) == pytest.approx(asked, abs=0.1)


@pytest.mark.parametrize("exponent", [0.3, 0.5, 0.8])
def test_increments_shrink_with_the_step_to_the_power_of_hurst(exponent: float) -> None:
    history = rough(exponent)
    fine = texture.refined(history, 10.0, seed=1)
    steps, ticks = (np.diff(texture.log_demand(series)) for series in (history, fine))
    asked = float(np.std(steps)) * (10.0 / STEP_S) ** texture.hurst(history)
    assert float(np.std(ticks)) == pytest.approx(asked, rel=0.25)


@pytest.mark.parametrize("step_s", [640.0, 600.0, 60.0])
def test_texture_passes_through_every_value(step_s: float) -> None:
    coarse = Series(5.0, step_s, rough(0.4).values, "slots")
    fine = texture.refined(coarse, 10.0, seed=1)
    every = int(step_s / 10.0)
    assert (fine.start_s, fine.step_s, fine.unit, len(fine)) == (5.0, 10.0, "slots", every * len(coarse))
    np.testing.assert_array_equal(fine.values[::every], coarse.values)
    between = fine.values.reshape(-1, every)[:, 1:]
    assert float(np.std(between - coarse.values[:, None])) > 0.0


@pytest.mark.parametrize("exponent", [0.3, 0.8])
def test_mean_is_kept_within_two_percent(exponent: float) -> None:
    coarse = rough(exponent)
    for seed in range(5):
        assert known_mean(texture.refined(coarse, 10.0, seed)) == pytest.approx(known_mean(coarse), rel=0.02)


def test_texture_repeats_by_seed_and_differs_without() -> None:
    coarse = rough(0.4)
    first = texture.refined(coarse, 10.0, seed=7).values
    np.testing.assert_array_equal(first, texture.refined(coarse, 10.0, seed=7).values)
    assert float(np.mean(first == texture.refined(coarse, 10.0, seed=8).values)) < 0.02


def test_holes_stay_holes_and_nothing_leaks_out_of_them() -> None:
    fine = texture.refined(with_hole(rough(0.4)), 10.0, seed=1)
    assert gaps(fine) == ((1_000.0 + 10 * STEP_S, 1_000.0 + 14 * STEP_S),)
    before = fine.values[9 * 64 : 10 * 64]
    assert np.all(np.isfinite(before))
    assert float(np.std(before)) > 0.0


def test_demand_that_falls_to_zero_never_gets_below() -> None:
    values = np.where(np.arange(400) % 5 == 0, 0.0, 50.0)
    fine = texture.refined(Series(0.0, 600.0, values), 10.0, seed=1)
    assert float(fine.values.min()) == 0.0
    assert np.all(np.isfinite(fine.values))


@pytest.mark.parametrize("values", [[5.0] * 20, [0.0] * 20, [math.nan] * 20, [3.0], []])
def test_what_does_not_move_stays_as_it_is(values: list[float]) -> None:
    fine = texture.refined(Series(0.0, 60.0, np.array(values, dtype=np.float64)), 10.0, seed=1)
    np.testing.assert_allclose(fine.values, np.repeat(values, 6), rtol=1e-12)


def test_nothing_is_made_up_at_the_step_itself_or_above() -> None:
    coarse = rough(0.4)
    np.testing.assert_array_equal(texture.refined(coarse, STEP_S, seed=1).values, coarse.values)
    np.testing.assert_array_equal(texture.refined(coarse, 2 * STEP_S, seed=1).values, coarse.values[::2])


@pytest.mark.parametrize(("replicas", "percent"), [(60.0, 1.054), (8.0, 2.887)])
def test_occupancy_scatters_as_stated(replicas: float, percent: float) -> None:
    noisy = texture.with_occupancy_noise(np.full(400_000, replicas), 150.0, 20.0, 10.0, seed=1)
    assert 100.0 * float(noisy.std()) / replicas == pytest.approx(percent, rel=0.02)
    assert float(noisy.mean()) == pytest.approx(replicas, rel=0.001)


@pytest.mark.parametrize("tick_s", [1.0, 10.0, 60.0])
def test_occupancy_forgets_in_one_service_time(tick_s: float) -> None:
    noise = texture.with_occupancy_noise(np.full(400_000, 60.0), 150.0, 20.0, tick_s, seed=1) - 60.0
    for ticks in (1, 2, 5):
        together = float(np.mean(noise[ticks:] * noise[:-ticks])) / float(np.mean(noise**2))
        assert together == pytest.approx(math.exp(-ticks * tick_s / 20.0), abs=0.02)


def test_occupancy_is_the_recursion_written_out() -> None:
    """The blocks in which it is computed leave no seam."""
    noisy = texture.with_occupancy_noise(np.full(5_000, 60.0), 150.0, 2_000.0, 10.0, seed=4)
    found = (noisy - 60.0) / math.sqrt(60.0 / 150.0)
    shocks = np.random.default_rng(4).standard_normal(5_000)
    keep = math.exp(-10.0 / 2_000.0)
    last, written = 0.0, []
    for tick, shock in enumerate(shocks.tolist()):
        last = shock if tick == 0 else keep * last + math.sqrt(1 - keep * keep) * shock
        written.append(last)
    np.testing.assert_allclose(found, written, rtol=1e-9, atol=1e-9)


def test_occupancy_keeps_holes_and_sign_and_repeats_by_seed() -> None:
    demand = np.array([0.01, math.nan, 0.0, 0.02] * 500)
    noisy = texture.with_occupancy_noise(demand, 150.0, 20.0, 10.0, seed=1)
    np.testing.assert_array_equal(np.isnan(noisy), np.isnan(demand))
    assert float(np.nanmin(noisy)) == 0.0
    assert np.all(noisy[2::4] == 0.0)
    np.testing.assert_array_equal(noisy, texture.with_occupancy_noise(demand, 150.0, 20.0, 10.0, seed=1))
    other = texture.with_occupancy_noise(demand, 150.0, 20.0, 10.0, seed=2)
    assert not np.array_equal(noisy, other, equal_nan=True)


def test_long_ticks_are_independent_of_each_other() -> None:
    demand = np.full(1_000, 60.0)
    noisy = texture.with_occupancy_noise(demand, 150.0, 1.0, 60.0, seed=1)
    shocks = np.random.default_rng(1).standard_normal(1_000)
    np.testing.assert_allclose(noisy, demand + shocks * math.sqrt(0.4), rtol=1e-12)


def test_holes_are_filled_by_straight_lines_and_counted() -> None:
    series = Series(0.0, 60.0, np.array([math.nan, 2.0, math.nan, math.nan, 8.0, math.nan]), "slots")
    whole, count = texture.filled(series)
    assert count == 4
    np.testing.assert_allclose(whole.values, [2.0, 2.0, 4.0, 6.0, 8.0, 8.0])
    assert (whole.step_s, whole.unit) == (60.0, "slots")
    assert texture.filled(whole) == (whole, 0)
    assert texture.filled(Series(0.0, 60.0, np.array([math.nan])))[1] == 0


def test_collection_holes_are_found_and_quiet_hours_are_not() -> None:
    hour = np.arange(1_008) / 6.0
    values = 100.0 * (1.0 - 0.8 * np.cos(2 * np.pi * hour / 24))
    lost = [0, 300, 301, 302, 1_007]
    lowest = [local_median(values, index) for index in lost]
    values[lost] = 0.045 * np.array(lowest)
    values[400] = 0.055 * local_median(values, 400)
    values[500] = math.nan
    series = Series(0.0, 600.0, values)
    holes = texture.collection_holes(series)
    assert np.flatnonzero(holes).tolist() == lost
    cleared = texture.with_holes(series, holes)
    assert int(np.isnan(cleared.values).sum()) == len(lost) + 1


def local_median(values: Floats, index: int) -> float:
    return float(np.median(values[max(0, index - 36) : index + 37]))


def test_collection_holes_of_a_long_history_have_no_seam() -> None:
    values = np.full(70_000, 10.0)
    values[65_530:65_542] = 0.1
    holes = texture.collection_holes(Series(0.0, 10.0, values))
    assert np.flatnonzero(holes).tolist() == list(range(65_530, 65_542))


def test_demand_that_is_mostly_zero_has_no_collection_holes() -> None:
    values = np.where(np.arange(500) % 7 == 0, 30.0, 0.0)
    assert not texture.collection_holes(Series(0.0, 600.0, values)).any()


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "holes"),
    [
        ("servegen_m_mid_10min_total", 102),
        ("servegen_m_mid_10min_diurnal_clients", 102),
        ("servegen_m_large_10min_total", 0),
        ("servegen_m_large_10min_diurnal_clients", 0),
    ],
)
def test_collection_holes_of_real_llm_traffic(shared_data: Path, name: str, holes: int) -> None:
    series = read_demand(shared_data / "demand" / f"{name}.csv", value="rate_rps").series
    found = texture.collection_holes(series)
    assert int(found.sum()) == holes
    assert texture.filled(texture.with_holes(series, found))[1] == holes


def test_a_step_of_two_ticks_gets_one_rough_value_in_its_middle() -> None:
    values = np.array([10.0, 30.0, 12.0, 40.0, 11.0])
    series = Series(0.0, 20.0, values, "requests/s")
    fine, line = texture.refined(series, 10.0, 3), resampled(series, 10.0, "line")
    np.testing.assert_array_equal(fine.values[::2], values)
    assert (fine.values[1:-1:2] != line.values[1:-1:2]).all()
