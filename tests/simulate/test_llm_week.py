"""The built-in LLM weeks have the properties of the real traffic that their figures were distilled from.

A generated year is distilled as the real histories were; what comes out may differ from the figures that went in by
the bounds below. They are wider than chance alone: the level is counted with its own spikes, and 5 % of the mean is
added before each logarithm.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks import distil_llm_week

from headrace.series import known_mean
from headrace.simulate import llm_week, texture
from headrace.simulate.llm_week import Figures

YEAR = 364
SETS = {"M_LARGE": llm_week.M_LARGE, "M_MID": llm_week.M_MID}


@pytest.fixture(scope="module", params=SETS)
def pair(request: pytest.FixtureRequest) -> tuple[Figures, Figures]:
    """Figures that went in, and those of a year that came out."""
    asked = SETS[request.param]
    return asked, distil_llm_week.distilled(llm_week.demand(seed=7, days=YEAR, figures=asked))


def test_mean_is_the_real_one(pair: tuple[Figures, Figures]) -> None:
    asked, got = pair
    assert got.mean_per_s == pytest.approx(asked.mean_per_s, rel=0.05)


def test_hours_have_the_real_profile(pair: tuple[Figures, Figures]) -> None:
    asked, got = pair
    assert float(np.corrcoef(asked.hourly, got.hourly)[0, 1]) > 0.9
    np.testing.assert_allclose(got.hourly, asked.hourly, atol=0.06)


def test_weekends_are_as_quiet(pair: tuple[Figures, Figures]) -> None:
    asked, got = pair
    assert got.weekend_ratio == pytest.approx(asked.weekend_ratio, abs=0.04)


def test_level_wanders_as_far_and_as_roughly(pair: tuple[Figures, Figures]) -> None:
    asked, got = pair
    assert got.level_sd == pytest.approx(asked.level_sd, rel=0.15)
    assert got.increment_sd == pytest.approx(asked.increment_sd, rel=0.1)
    assert got.hurst == pytest.approx(asked.hurst, abs=0.05)


def test_increments_turn_back_as_much(pair: tuple[Figures, Figures]) -> None:
    asked, got = pair
    assert got.increment_correlation == pytest.approx(asked.increment_correlation, abs=0.1)


def test_spikes_are_as_many_as_high_and_as_short(pair: tuple[Figures, Figures]) -> None:
    asked, got = pair
    assert 0.75 < got.spikes_per_day / asked.spikes_per_day < 1.4
    assert got.spike_excess == pytest.approx(asked.spike_excess, rel=0.2)
    assert got.spike_windows == pytest.approx(asked.spike_windows, abs=0.4)


def test_the_level_alone_makes_fewer_spikes(pair: tuple[Figures, Figures]) -> None:
    """A rough level stands above its neighbours now and then; half of the counted spikes are put in on top."""
    asked, got = pair
    calm = asked._replace(spikes_per_day=0.0)
    left = distil_llm_week.distilled(llm_week.demand(seed=7, days=YEAR, figures=calm))
    assert got.spikes_per_day > 1.75 * left.spikes_per_day


def test_weeks_repeat_by_seed() -> None:
    first = llm_week.demand()
    np.testing.assert_array_equal(first.values, llm_week.demand(seed=7, days=14).values)
    assert not np.array_equal(first.values, llm_week.demand(seed=8).values)
    assert (first.start_s, first.step_s, first.unit, len(first)) == (0.0, 600.0, "requests/s", 14 * 144)


@pytest.mark.parametrize("days", [1, 3, 14, 60])
def test_any_number_of_days_is_positive_and_finite(days: int) -> None:
    for seed in range(5):
        values = llm_week.demand(seed, days).values
        assert values.shape == (144 * days,)
        assert np.all(np.isfinite(values))
        assert float(values.min()) > 0.0


def test_two_weeks_have_about_the_real_mean() -> None:
    """Slow wandering leaves two weeks 8 % of freedom; the mean over seeds has less."""
    means = [known_mean(llm_week.demand(seed)) / llm_week.M_LARGE.mean_per_s for seed in range(40)]
    assert float(np.mean(means)) == pytest.approx(1.0, abs=0.04)
    assert 0.7 < min(means) < max(means) < 1.3


def test_no_day_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="days = 0, must be at least 1"):
        llm_week.demand(days=0)


def test_hours_are_interpolated_around_midnight() -> None:
    ratio = llm_week.hourly_ratio(llm_week.M_LARGE, 2 * 144)
    np.testing.assert_allclose(ratio[:144], ratio[144:], rtol=1e-12)
    last, first = llm_week.M_LARGE.hourly[23], llm_week.M_LARGE.hourly[0]
    assert min(first, last) < ratio[0] < max(first, last)
    assert float(ratio[:144].mean()) == pytest.approx(1.0, abs=1e-3)


def test_weeks_are_refined_like_a_history() -> None:
    coarse = llm_week.demand()
    fine = texture.refined(coarse, 10.0, seed=7)
    np.testing.assert_array_equal(fine.values[::60], coarse.values)


@pytest.mark.parametrize(
    "figures", [figures._replace(hurst=hurst) for figures in SETS.values() for hurst in (0.2, 0.35, 0.5)]
)
def test_level_has_the_covariance_it_is_said_to_have(figures: Figures) -> None:
    """Increments without spikes, hours or weekends grow with the lag as the figures say, and then level off."""
    flat = figures._replace(hourly=(1.0,) * 24, weekend_ratio=1.0, spikes_per_day=0.0)
    logs = np.log(np.concatenate([llm_week.demand(seed, YEAR, flat).values for seed in range(4)]))
    one_step = 1.0 - flat.increment_sd**2 / (2.0 * flat.level_sd**2)
    for lag in (1, 2, 8, 144):
        asked = flat.level_sd * np.sqrt(2.0 * (1.0 - one_step ** (lag ** (2.0 * flat.hurst))))
        assert float(np.std(logs[lag:] - logs[:-lag])) == pytest.approx(asked, rel=0.05)


@pytest.mark.real_data
@pytest.mark.parametrize("name", SETS)
def test_figures_are_what_the_real_histories_give(name: str, shared_data: Path) -> None:
    history = distil_llm_week.series(shared_data / "demand", name)
    assert distil_llm_week.distilled(history) == SETS[name]
