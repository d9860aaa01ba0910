"""The built-in LLM traffic: generated from figures of real traffic, so that nothing needs to be downloaded.

The figures are those of two production models in the ServeGen data set (alibaba/ServeGen, Apache-2.0; "ServeGen:
Workload Characterization and Generation of Large Language Model Serving in Production"): requests per second of
all clients of m-large and of m-mid, in windows of ten minutes, for 14 days. How each was distilled stands at the
figure; benchmarks/distil_llm_week.py does it again from the files. Generated are the level, the hours, the roughness
and the spikes; not the ends of single clients, nor any text.

A history that comes out has a step of ten minutes, as the files do; `texture.refined` continues it below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.series import Series
from headrace.simulate.fluid import Floats

STEP_S = 600.0
WINDOWS_PER_HOUR = 6
WINDOWS_PER_DAY = 144
WEEKEND_DAYS = (5, 6)
"""The generated history begins on a Monday at midnight."""
SPIKE_RATIO = 1.3
"""A spike is what stands above this many times the median of its neighbours,"""
SPIKE_REACH = 6
"""of which there are this many windows to each side (one hour)."""


class Figures(NamedTuple):
    """What is kept of a real history of ten-minute windows, holes in the collection taken out.

    Logarithms are of demand + 5 % of its mean. Spikes are windows above 1.3 times the median of the two hours around
    them, taken out (by their windows) wherever a figure below says so.
    """

    mean_per_s: float
    """Mean demand, requests per second."""
    hourly: tuple[float, ...]
    """Demand by hour of day over the mean of its day, mean over the days; 24 ratios, divided by their mean."""
    weekend_ratio: float
    """Mean of two quiet days over the mean of the other five, in (0, 1].

    The source does not say on which weekday it begins: these are the two days in a row (of a week's seven) that were
    quietest in both weeks together, which makes the ratio a low estimate.
    """
    level_sd: float
    """Standard deviation of the logarithm once hours, quiet days and spikes are out."""
    increment_sd: float
    """Standard deviation of the logarithm's increments over ten minutes, spikes out."""
    increment_correlation: float
    """Correlation of neighbouring increments, spikes in; below 0 the level turns back. Not set but a consequence of
    the Hurst exponent in what is generated (2**(2H - 1) - 1), and so a check."""
    hurst: float
    """`texture.hurst`, spikes out."""
    spikes_per_day: float
    spike_excess: float
    """Mean of a spike's height (its greatest ratio to the median around it) above 1.3."""
    spike_windows: float
    """Mean length of a spike in windows, >= 1."""


M_LARGE = Figures(
    mean_per_s=195.8,
    hourly=(
        *(1.011, 0.993, 0.973, 0.924, 0.895, 0.856, 0.836, 0.806, 0.786, 0.886, 1.064, 1.115),
        *(0.974, 0.981, 1.047, 1.039, 1.108, 1.077, 1.041, 1.139, 1.138, 1.093, 1.125, 1.094),
    ),
    weekend_ratio=0.73,
    level_sd=0.329,
    increment_sd=0.1308,
    increment_correlation=-0.154,
    hurst=0.332,
    spikes_per_day=3.86,
    spike_excess=0.195,
    spike_windows=1.63,
)
"""servegen_m_large_10min_total: all clients of ServeGen's m-large."""

M_MID = Figures(
    mean_per_s=1885.4,
    hourly=(
        *(0.951, 0.983, 1.071, 1.105, 1.043, 0.952, 0.905, 0.976, 1.002, 1.037, 1.074, 1.072),
        *(0.988, 1.074, 1.01, 0.921, 0.924, 0.966, 0.931, 0.996, 1.04, 1.058, 0.955, 0.966),
    ),
    weekend_ratio=0.775,
    level_sd=0.298,
    increment_sd=0.1175,
    increment_correlation=-0.165,
    hurst=0.384,
    spikes_per_day=2.03,
    spike_excess=0.216,
    spike_windows=1.63,
)
"""servegen_m_mid_10min_total: all clients of ServeGen's m-mid, 102 windows of which are collection holes."""


def demand(seed: int = 7, days: int = 14, figures: Figures = M_LARGE) -> Series:
    """Generated LLM demand in requests/s, in windows of ten minutes; it begins on a Monday at midnight.

    The product of mean, hour of day, quiet days, a log-normal level and spikes. The level's covariance at a lag is
    level_sd**2 * exp(-(lag / range)**(2H)): over ten minutes its increments have `increment_sd` and grow with
    the lag to the power H, over days they level off, as those of the real histories do. Spikes come at random, with
    an exponential excess and a geometric length.

    Args:
        seed: The same seed gives the same weeks; fewer days are not the beginning of more.
        days: At least 1.
        figures: Whose traffic.

    Raises:
        ValueError: `days` is below 1.
    """
    if days < 1:
        raise ValueError(f"days = {days}, must be at least 1")
    random = np.random.default_rng(seed)
    windows = days * WINDOWS_PER_DAY
    level = np.exp(_level(figures, windows, random) - figures.level_sd**2 / 2.0)
    spikes = _spikes(figures, windows, random)
    # Spikes are part of the mean that was measured.
    spiking = figures.spikes_per_day * figures.spike_windows / WINDOWS_PER_DAY
    spiked = 1.0 + spiking * (SPIKE_RATIO + figures.spike_excess - 1.0)
    values = figures.mean_per_s * hourly_ratio(figures, windows) * _daily_ratio(figures, days) * level
    return Series(0.0, STEP_S, values * spikes / spiked, "requests/s")


def hourly_ratio(figures: Figures, windows: int) -> Floats:
    """The hours' ratios at each window, on straight lines from the middle of one hour to the next."""
    hour = (np.arange(windows) + 0.5) / WINDOWS_PER_HOUR
    middles = np.arange(24) + 0.5
    return np.interp(hour % 24.0, middles, figures.hourly, period=24.0)


def _daily_ratio(figures: Figures, days: int) -> Floats:
    """1 on average over a week, shape [windows]."""
    of_week = np.array([figures.weekend_ratio if day in WEEKEND_DAYS else 1.0 for day in range(7)])
    of_week /= of_week.mean()
    return np.repeat(of_week[np.arange(days) % 7], WINDOWS_PER_DAY)


def _level(figures: Figures, windows: int, random: np.random.Generator) -> Floats:
    """A stationary normal series with the covariance that `demand` names, exactly: drawn by Fourier transform.

    2H is at most 1 in traffic that turns back, where the covariance falls in an ever flatter curve; wound around
    a circle of twice the length it then has no negative frequency.
    """
    exponent = 2.0 * figures.hurst
    one_step = 1.0 - figures.increment_sd**2 / (2.0 * figures.level_sd**2)
    lag = np.arange(windows + 1, dtype=np.float64)
    covariance = figures.level_sd**2 * np.exp(np.log(one_step) * lag**exponent)
    circle = np.concatenate([covariance, covariance[-2:0:-1]])
    power = np.maximum(0.0, np.fft.fft(circle).real)
    size = len(circle)
    draws = random.standard_normal(size) + 1j * random.standard_normal(size)
    return np.asarray(np.fft.fft(np.sqrt(power / size) * draws).real[:windows])


def _spikes(figures: Figures, windows: int, random: np.random.Generator) -> Floats:
    """What each window is multiplied by: 1, or the height of a spike; the higher of two that meet."""
    ratio = np.ones(windows)
    count = random.poisson(figures.spikes_per_day * windows / WINDOWS_PER_DAY)
    begins = random.integers(0, windows, count)
    heights = SPIKE_RATIO + random.exponential(figures.spike_excess, count)
    lengths = random.geometric(1.0 / figures.spike_windows, count)
    for begin, height, length in zip(begins.tolist(), heights.tolist(), lengths.tolist(), strict=True):
        here = slice(begin, begin + length)
        ratio[here] = np.maximum(ratio[here], height)
    return ratio
