"""Distils the figures of `headrace.simulate.llm_week` from the real histories, and prints both side by side.

Run: ``python benchmarks/distil_llm_week.py FOLDER`` with the folder that holds
servegen_m_large_10min_total.csv and servegen_m_mid_10min_total.csv (derived from alibaba/ServeGen, Apache-2.0:
requests per second of all clients in windows of ten minutes, 14 days), by default the demand folder of
``HEADRACE_DATA``. Without the files it says so and does nothing.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from headrace.observe.history import read_demand
from headrace.series import Series, known_mean
from headrace.simulate import llm_week, texture
from headrace.simulate.llm_week import WINDOWS_PER_DAY, WINDOWS_PER_HOUR, Figures

FILES = {
    "M_LARGE": "servegen_m_large_10min_total.csv",
    "M_MID": "servegen_m_mid_10min_total.csv",
}
SHOWN = {"M_LARGE": llm_week.M_LARGE, "M_MID": llm_week.M_MID}


def series(folder: Path, name: str) -> Series:
    """A real history with its collection holes taken out."""
    read = read_demand(folder / FILES[name], time="t_s", value="rate_rps").series
    return texture.with_holes(read, texture.collection_holes(read))


def around(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Median of each known value and its neighbours, one hour to each side; NaN for holes."""
    reach = llm_week.SPIKE_REACH
    edge = np.full(reach, np.nan)
    windows = sliding_window_view(np.concatenate([edge, values, edge]), 2 * reach + 1)
    medians = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    medians[known] = np.nanmedian(windows[known], axis=1)
    return medians


def spikes(values: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]:
    """Where spikes stand (shape [n]), how high each is (over the median around it) and its length in windows."""
    ratio = values / around(values)
    here = ratio > llm_week.SPIKE_RATIO
    edges = np.flatnonzero(np.diff(here, prepend=False, append=False))
    begins, ends = edges[::2], edges[1::2]
    pairs = zip(begins, ends, strict=True)
    heights = np.array([np.nanmax(ratio[begin:end]) for begin, end in pairs])
    return here, heights, ends - begins


def hourly(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Demand by hour of day over its day's mean, mean over the days; shape [24], mean 1."""
    days = values[: len(values) // WINDOWS_PER_DAY * WINDOWS_PER_DAY].reshape(-1, WINDOWS_PER_DAY)
    ratio = days / np.nanmean(days, axis=1, keepdims=True)
    # Windows, not hours, are averaged: a collection hole may take a whole hour of one day.
    by_hour = np.nanmean(ratio.reshape(len(days), 24, WINDOWS_PER_HOUR), axis=(0, 2))
    return np.asarray(by_hour / by_hour.mean())


def weekend(values: NDArray[np.float64]) -> tuple[int, float]:
    """Day of week (from the first day) on which the two quietest days begin, and their ratio to the other five."""
    days = np.nanmean(values.reshape(-1, WINDOWS_PER_DAY), axis=1)
    of_week = days[: len(days) // 7 * 7].reshape(-1, 7).mean(axis=0)
    first = int(np.argmin(of_week + np.roll(of_week, -1)))
    quiet = [first, (first + 1) % 7]
    return first, float(of_week[quiet].mean() / np.delete(of_week, quiet).mean())


def level(calm: Series, hours: NDArray[np.float64], quiet_day: int, ratio: float) -> NDArray[np.float64]:
    """Logarithm of the demand without spikes, over that of hour and quiet day; shape [n]."""
    at = np.arange(len(calm))
    day = at // WINDOWS_PER_DAY % 7
    is_quiet = (day == quiet_day) | (day == (quiet_day + 1) % 7)
    shape = hours[at // WINDOWS_PER_HOUR % 24] * np.where(is_quiet, ratio, 1.0)
    return np.asarray(texture.log_demand(calm) - np.log(shape))


def neighbour_correlation(increments: NDArray[np.float64]) -> float:
    """Correlation of each increment with the next, where both are known."""
    one, next_one = increments[:-1], increments[1:]
    known = ~np.isnan(one) & ~np.isnan(next_one)
    matrix: NDArray[np.float64] = np.asarray(np.corrcoef(one[known], next_one[known]))
    return float(matrix[0, 1])


def distilled(history: Series) -> Figures:
    """The figures of a history in windows of ten minutes, whole weeks; NaN: a hole."""
    values = history.values
    here, heights, lengths = spikes(values)
    calm = texture.with_holes(history, here)
    hours = hourly(values)
    quiet_day, ratio = weekend(values)
    steps = np.diff(texture.log_demand(calm))
    known_days = np.count_nonzero(~np.isnan(values)) / WINDOWS_PER_DAY
    return Figures(
        mean_per_s=round(known_mean(history), 1),
        hourly=tuple(round(float(hour), 3) for hour in hours),
        weekend_ratio=round(ratio, 3),
        level_sd=round(float(np.nanstd(level(calm, hours, quiet_day, ratio))), 3),
        increment_sd=round(float(np.nanstd(steps)), 4),
        increment_correlation=round(neighbour_correlation(np.diff(texture.log_demand(history))), 3),
        hurst=round(texture.hurst(calm), 3),
        spikes_per_day=round(len(heights) / known_days, 2),
        spike_excess=round(float(heights.mean()) - llm_week.SPIKE_RATIO, 3),
        spike_windows=round(float(lengths.mean()), 2),
    )


def main() -> None:
    """Distil, print, compare."""
    options = argparse.ArgumentParser(description="Figures of real LLM traffic")
    named = os.environ.get("HEADRACE_DATA", "../shared/data")
    options.add_argument("folder", nargs="?", type=Path, default=Path(named) / "demand")
    folder = options.parse_args().folder
    if not all((folder / file).is_file() for file in FILES.values()):
        print(f"{folder} lacks {' or '.join(FILES.values())}: nothing to distil from")
        return
    for name, shown in SHOWN.items():
        found = distilled(series(folder, name))
        print(f"{name}: {'as in the module' if found == shown else 'NOT as in the module'}")
        for figure, value in found._asdict().items():
            print(f"    {figure}={value},")
        again = distilled(llm_week.demand(seed=7, days=364, figures=shown))
        print("  a generated year of it, distilled in the same way:")
        for figure, value in again._asdict().items():
            print(f"    {figure}={value},")


if __name__ == "__main__":
    main()
