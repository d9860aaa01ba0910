"""What a coarse history does not show: how demand moves below its step, and how occupancy scatters about it.

Straight lines between half-hourly values would make every rise foreseeable and every policy look better than it is.
So a history is continued below its step with its own roughness, and whole requests are let come and go at random.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from headrace.series import Series, known_mean, resampled
from headrace.simulate.fluid import Floats

SOFTENING_RATIO = 0.05
"""Share of mean demand that is added before the logarithm, so that a trough near zero does not explode."""
LEAST_HURST, MOST_HURST = 0.1, 0.95
"""Outside, an estimate from one history says more about its rounding than about its roughness."""
HOLE_RATIO = 0.05
"""A window below this share of its local median is a hole in the collection, not a fall of demand."""
HOLE_REACH = 36
"""Windows to both sides that make up the local median (six hours each way at ten minutes)."""
_ROWS_AT_ONCE = 65_536


def log_demand(series: Series) -> Floats:
    """log(y + 5 % of the mean), shape [n]; NaN for holes, and throughout where nothing but zero is known."""
    softening = SOFTENING_RATIO * known_mean(series)
    if not softening > 0.0:
        return np.full(len(series), np.nan)
    return np.log(series.values + softening)


def hurst(series: Series) -> float:
    """Hurst exponent at the series' own step: log2 of the increments' sd over two steps against one.

    Of `log_demand`, clipped to 0.1 .. 0.95: 0.5 is a random walk, less turns back, more goes on. 0.5 where fewer than
    two increments of each kind are known, or where nothing moves.
    """
    logs = log_demand(series)
    one, two = _increment_sd(logs, 1), _increment_sd(logs, 2)
    if not (one > 0.0 and two > 0.0):
        return 0.5
    return min(max(math.log2(two / one), LEAST_HURST), MOST_HURST)


def refined(series: Series, tick_s: float, seed: int) -> Series:
    """The series at ticks of `tick_s`, its roughness continued below its step.

    Midpoint displacement of `log_demand`: halfway between two values stands their mean and a normal draw of sd
    s * sqrt(1 - 2**(2H - 2)) * 2**-H, with s the sd of increments over one step and H from `hurst`; each halving
    after that scatters by 2**-H of the one before. Ticks off the halvings lie on straight lines between them.

    Known values stand at the beginnings of their steps, unchanged where a tick falls there. Holes stay holes: a tick
    is known exactly where the step it falls in is known. The last step, and one before a hole, ends where it began.

    Args:
        series: Demand, >= 0; NaN: a hole.
        tick_s: Seconds, > 0. At the series' own step or coarser, nothing is to be continued.
        seed: The same seed gives the same texture.

    Returns:
        `round(span / tick_s)` values, >= 0, in the series' unit.
    """
    plain = resampled(series, tick_s, "line")
    logs = log_demand(series)
    cells = math.ceil(series.step_s / tick_s - 1e-9)
    if cells <= 1 or np.isnan(logs).all():
        return plain
    bridges = _displaced(logs, hurst(series), _increment_sd(logs, 1), (cells - 1).bit_length(), seed)
    position = np.arange(len(plain), dtype=np.float64) * (tick_s / series.step_s)
    step = np.minimum((position + 1e-9).astype(np.int64), len(series) - 1)
    share = np.clip(position - step, 0.0, 1.0) * (bridges.shape[1] - 1)
    left = np.minimum(share.astype(np.int64), bridges.shape[1] - 2)
    low, high = bridges[step, left], bridges[step, left + 1]
    softening = SOFTENING_RATIO * known_mean(series)
    values = np.exp(low + (high - low) * (share - left)) - softening
    on_step = np.abs(position - step) < 1e-9
    # exp(log(y)) is y only to the last digits
    return replace(plain, values=np.where(on_step, series.values[step], np.maximum(0.0, values)))


def _displaced(logs: Floats, exponent: float, sd: float, halvings: int, seed: int) -> Floats:
    """Each step of `logs` as 2**halvings cells from its value to the next, shape [n, 2**halvings + 1]."""
    random = np.random.default_rng(seed)
    following = np.append(logs[1:], np.nan)
    bridges = np.stack([logs, np.where(np.isnan(following), logs, following)], axis=1)
    scatter = (sd if sd > 0.0 else 0.0) * math.sqrt(1.0 - 2.0 ** (2.0 * exponent - 2.0)) * 2.0**-exponent
    for _ in range(halvings):
        middle = (bridges[:, :-1] + bridges[:, 1:]) / 2.0
        middle += scatter * random.standard_normal(middle.shape)
        finer = np.empty((len(logs), 2 * middle.shape[1] + 1))
        finer[:, ::2], finer[:, 1::2] = bridges, middle
        bridges = finer
        scatter *= 2.0**-exponent
    return bridges


def _increment_sd(logs: Floats, steps: int) -> float:
    """Standard deviation of the known increments over `steps` steps; NaN where there are fewer than two."""
    increments = logs[steps:] - logs[:-steps]
    known = increments[~np.isnan(increments)]
    return float(known.std()) if known.size > 1 else math.nan


def with_occupancy_noise(
    demand_replicas: Floats, slots_per_replica: float, service_s: float, tick_s: float, seed: int
) -> Floats:
    """Occupancy as whole requests come and go (an M/M/inf queue), where only its mean is known.

    The count in service has its own mean as variance and forgets in one service time: a Gaussian Ornstein-Uhlenbeck
    process with correlation exp(-t / service), cut at zero. At 150 slots per replica 60 replicas scatter by 1.1 %
    and 8 by 2.9 %. Far below a hundred slots in all, the normal law is only rough.

    Args:
        demand_replicas: Mean demand, in replicas, shape [ticks], >= 0; NaN stays NaN.
        slots_per_replica: Requests that one replica serves at once, > 0.
        service_s: Mean time of a request in service, seconds, > 0.
        tick_s: Seconds per tick, > 0.
        seed: The same seed gives the same noise.

    Returns:
        Demand in replicas, shape [ticks].
    """
    shocks = np.random.default_rng(seed).standard_normal(len(demand_replicas))
    scatter = np.sqrt(demand_replicas / slots_per_replica)
    return np.maximum(0.0, demand_replicas + scatter * autoregressive(shocks, tick_s / service_s))


def autoregressive(shocks: Floats, decay: float) -> Floats:
    """x[i] = a * x[i-1] + sqrt(1 - a**2) * shocks[i], a = exp(-decay), x[0] = shocks[0]: unit variance throughout."""
    if decay > 40.0:  # exp(-40) is below the last digit
        return shocks
    keep = math.exp(-decay)
    steps = shocks * math.sqrt(1.0 - keep * keep)
    steps[:1] = shocks[:1]
    out = np.empty_like(steps)
    last = 0.0
    # In blocks whose powers of `keep` stay above exp(-300), well within a float.
    size = max(1, min(4096, int(300.0 / decay)))
    powers = keep ** np.arange(1, size + 1)
    for begin in range(0, len(steps), size):
        block = steps[begin : begin + size]
        weights = powers[: len(block)]
        out[begin : begin + size] = weights * (last + np.cumsum(block / weights))
        last = float(out[begin + len(block) - 1])
    return out


def filled(series: Series) -> tuple[Series, int]:
    """The series with straight lines through its holes (level at the ends), and how many values that made.

    A series of holes alone stays as it is, and the count is 0.
    """
    hole = np.isnan(series.values)
    count = int(hole.sum())
    if count in (0, len(series)):
        return series, 0
    at = np.arange(len(series))
    values = series.values.copy()
    values[hole] = np.interp(at[hole], at[~hole], values[~hole])
    return replace(series, values=values), count


def collection_holes(series: Series) -> NDArray[np.bool_]:
    """Where a value below 5 % of the median of its 36 neighbours to each side says that nothing was collected.

    Real demand does not fall by a factor of twenty at once and come back as suddenly; a collector that lost its
    source does. A loss that makes up half of the neighbours hides itself. Shape [n]; never True where the value is
    a hole already. At the ends the neighbours are those that exist.
    """
    width = 2 * HOLE_REACH + 1
    edge = np.full(HOLE_REACH, np.nan)
    windows = sliding_window_view(np.concatenate([edge, series.values, edge]), width)
    holes = np.zeros(len(series), dtype=np.bool_)
    for begin in range(0, len(series), _ROWS_AT_ONCE):
        part = slice(begin, min(begin + _ROWS_AT_ONCE, len(series)))
        known = ~np.isnan(series.values[part])
        # A known value is in its own window, so no median is of holes alone.
        medians = np.nanmedian(windows[part][known], axis=1)
        holes[part][known] = series.values[part][known] < HOLE_RATIO * medians
    return holes


def with_holes(series: Series, holes: NDArray[np.bool_]) -> Series:
    """The series without the values at `holes` (shape [n])."""
    return replace(series, values=np.where(holes, np.nan, series.values))
