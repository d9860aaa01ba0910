"""How good the forecaster's bands are on real histories, beside what has to be beaten, and what a fit costs.

Protocol: rolling origin, refitted daily. Two weeks are only learned from (one where there are less than four weeks).
Forecasts are for the next window, and for 12 minutes ahead (of ten-minute windows the second; of half hours that is
the next one again, so those rows stand once). Loss: pinball of the upper 95 % quantile, in % of mean demand.
Collection holes of ServeGen's m-mid are holes.

Run: ``python benchmarks/forecast_backtest.py [--data FOLDER] [--quick]``
"""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from headrace.decide import forecast
from headrace.observe.history import read_demand
from headrace.simulate.backtest import Quality, ahead_of, issued_along, learned_days, pinball, quality
from headrace.simulate.texture import collection_holes, with_holes
from headrace.simulate.yardsticks import NAMES, Protocol, yardsticks

DAY_S = 86_400.0
LEVEL = 0.95


class Source(NamedTuple):
    """A history of the shared data."""

    file: str
    step_s: float
    ahead: tuple[int, ...]
    """Horizons judged, in windows."""
    has_collection_holes: bool = False


SOURCES = {
    "nyc_taxi": Source("nab_nyc_taxi", 1_800.0, (1,)),
    "taylor": Source("taylor_halfhourly_electricity", 1_800.0, (1,)),
    "m_large": Source("servegen_m_large_10min_total", 600.0, (1, 2)),
    "m_mid": Source("servegen_m_mid_10min_total", 600.0, (1, 2), has_collection_holes=True),
    "m_mid diurnal": Source("servegen_m_mid_10min_diurnal_clients", 600.0, (1, 2), has_collection_holes=True),
    "crane0": Source("crane_input0_1min", 600.0, (1, 2)),
    "crane1": Source("crane_input1_1min", 600.0, (1, 2)),
    "crane2": Source("crane_input2_1min", 600.0, (1, 2)),
    "crane11": Source("crane_input11_1min", 600.0, (1, 2)),
}
MAIN = ("nyc_taxi", "taylor", "m_large", "m_mid", "m_mid diurnal", "crane0")
"""The six series that the claim names first."""
PROTOTYPE_PERCENT = {
    ("nyc_taxi", 1): 0.458,
    ("taylor", 1): 0.060,
    ("m_large", 1): 2.068,
    ("m_large", 2): 2.831,
    ("m_mid", 1): 1.341,
    ("m_mid", 2): 1.639,
    ("m_mid diurnal", 1): 0.825,
    ("m_mid diurnal", 2): 1.039,
    ("crane0", 1): 0.333,
    ("crane0", 2): 0.502,
}
"""Loss of the prototype that the forecaster was written from."""
PROTOTYPE_TO_BAR = {
    ("crane1", 1): 0.80,
    ("crane1", 2): 0.87,
    ("crane2", 1): 0.62,
    ("crane2", 2): 0.68,
    ("crane11", 1): 0.64,
    ("crane11", 2): 0.63,
}
"""Where only its ratio to the bar is known, to two digits."""
MSTL_PERCENT = {
    ("nyc_taxi", 1): 0.612,
    ("taylor", 1): 0.059,
    ("m_large", 1): 2.441,
    ("m_large", 2): 3.128,
    ("m_mid", 1): 2.957,
    ("m_mid", 2): 2.992,
    ("m_mid diurnal", 1): 0.963,
    ("m_mid diurnal", 2): 1.321,
    ("crane0", 1): 0.299,
    ("crane0", 2): 0.377,
    ("crane1", 1): 4.155,
    ("crane1", 2): 7.220,
    ("crane2", 1): 4.100,
    ("crane2", 2): 4.969,
    ("crane11", 1): 2.519,
    ("crane11", 2): 3.717,
}
"""Frozen scores of statsforecast 2.1.1's MSTL with level correction, from benchmarks/forecast_mstl.py."""


class Row(NamedTuple):
    """One history at one horizon; losses in % of mean demand."""

    name: str
    ahead: int
    ours: Quality
    words: str
    peers: dict[str, float]
    """Loss of each yardstick, its band over as many days as suits it best in hindsight."""

    @property
    def ours_percent(self) -> float:
        """Our loss."""
        return 100.0 * self.ours.pinball_ratio

    @property
    def bar(self) -> float:
        """Loss of the best yardstick in hindsight."""
        return min(self.peers.values())

    @property
    def to_prototype(self) -> float:
        """Our loss over the prototype's."""
        key = (self.name, self.ahead)
        known = PROTOTYPE_PERCENT.get(key)
        return self.ours_percent / (known if known else PROTOTYPE_TO_BAR[key] * self.bar)


def history(folder: Path, source: Source) -> np.ndarray:
    """Whole days of a history, shape [windows]; NaN: a hole."""
    series = read_demand(folder / f"{source.file}.csv", step_s=source.step_s).series
    if source.has_collection_holes:
        series = with_holes(series, collection_holes(series))
    slots = round(DAY_S / source.step_s)
    return series.values[: len(series) // slots * slots]


def row(name: str, demand: np.ndarray, step_s: float, ahead: int) -> Row:
    """All figures of one history at one horizon."""
    slots = round(DAY_S / step_s)
    first_day = learned_days(len(demand), slots)
    issued = ahead_of(issued_along(demand[None], slots, (ahead,), first_day, LEVEL), ahead)
    judged = slice(first_day * slots, len(demand))
    mean = float(np.nanmean(demand[judged]))
    peers = dict.fromkeys(NAMES, math.inf)
    for peer in yardsticks(demand, Protocol(slots, ahead, first_day, LEVEL)):
        loss = 100.0 * float(np.nanmean(pinball(demand, peer.upper, LEVEL)[judged])) / mean
        peers[peer.name] = min(peers[peer.name], loss)
    return Row(
        name,
        ahead,
        quality(demand, issued, slots, first_day, LEVEL),
        forecast.coverage_words(demand[judged], issued.upper[0, judged], slots, LEVEL),
        peers,
    )


def rows(folder: Path, names: tuple[str, ...] = tuple(SOURCES)) -> list[Row]:
    """The table, one horizon of one history after the other."""
    return [
        row(name, demand, SOURCES[name].step_s, ahead)
        for name in names
        for demand in [history(folder, SOURCES[name])]
        for ahead in SOURCES[name].ahead
    ]


def print_rows(table: list[Row]) -> None:
    """The losses, and what is said of coverage in words."""
    print("q95 pinball loss, % of mean demand (peers: band length best in hindsight; bar: the best of them)")
    heads = (
        "persist.",
        "+ level",
        "last week",
        "+ level",
        "MSTL + L",
        "ours",
        "to bar",
        "to proto",
        "cover %",
    )
    print(f"  {'':<17}{''.join(f'{head:>10}' for head in heads)}")
    for each in table:
        mstl = MSTL_PERCENT.get((each.name, each.ahead), math.nan)
        figures = [
            *each.peers.values(),
            mstl,
            each.ours_percent,
            each.ours_percent / each.bar,
            each.to_prototype,
        ]
        print(
            f"  {each.name + f' h{each.ahead}':<17}{''.join(f'{figure:>10.3f}' for figure in figures)}"
            f"{100 * each.ours.coverage_ratio:>10.1f}"
        )
    for each in table:
        print(f"  {each.name} h{each.ahead}: {each.words}")


def made_up(models: int, days: int, slots: int) -> np.ndarray:
    """Histories to time the fit on: a daily wave and noise that wanders."""
    draw = np.random.default_rng(7)
    wave = 0.5 * np.sin(2.0 * np.pi * np.arange(days * slots) / slots)
    wander = 0.02 * draw.standard_normal((models, days * slots)).cumsum(axis=1)
    return 100.0 * np.exp(wave + wander + 0.1 * draw.standard_normal((models, days * slots)))


def fit_ms(models: int, days: int, slots: int, repeats: int) -> float:
    """CPU milliseconds of one model's fit with selection, at the best of the repeats."""
    demand = made_up(models, days, slots)
    spent = []
    for _ in range(repeats):
        begun = time.process_time()
        forecast.fit(demand, slots)
        spent.append(time.process_time() - begun)
    return 1_000.0 * min(spent) / models


def print_speed(quick: bool) -> None:
    """What a fit costs, alone and in batches."""
    print("CPU of one fit with selection, ms a model (best of several): alone, in batches of 16")
    repeats = 3 if quick else 40
    for minutes, days in ((30, 42), (10, 28), (10, 7), (5, 14)):
        slots = 24 * 60 // minutes
        alone, batched = fit_ms(1, days, slots, repeats), fit_ms(16, days, slots, repeats)
        print(f"  {minutes:>2} min x {days:>2} days {alone:8.2f} {batched:8.2f}")
    batch, batches = (200, 1) if quick else (1_000, 10)
    demand = made_up(batch, 28, 144)
    begun = time.process_time()
    for _ in range(batches):
        forecast.fit(demand, 144)
    spent_s = time.process_time() - begun
    print(f"  {batch * batches:,} models of 10 min x 28 days, one batch after the other: {spent_s:.1f} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Backtest of the forecaster on real histories.")
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("HEADRACE_DATA", shared)))
    parser.add_argument("--quick", action="store_true", help="two histories, few repeats")
    chosen = parser.parse_args()
    if (chosen.data / "demand").is_dir():
        print_rows(rows(chosen.data / "demand", ("m_large", "crane0") if chosen.quick else tuple(SOURCES)))
    else:
        print(f"{chosen.data} is not here (HEADRACE_DATA or --data names the folder): only speed is measured")
    print_speed(chosen.quick)


if __name__ == "__main__":
    main()
