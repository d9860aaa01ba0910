"""Scores of statsforecast's MSTL on the protocol of forecast_backtest.py: a measurement for development only.

headrace neither needs nor installs statsforecast. MSTL splits log demand into daily and (from two weeks on) weekly
seasonals and a trend, which AutoETS carries on; it is refitted each day on the last 28 days, and its forecast of the
day gets the level correction and the conformal band that the yardsticks get too, since without them it stands no
chance. The fit of a day lacks the day's last window before it for both horizons. The band is the best of three lengths
in hindsight. About a second a refit; what it prints is frozen in forecast_backtest.py.

Run: ``pip install statsforecast``, then ``python benchmarks/forecast_mstl.py [--data FOLDER] [--only NAME,NAME]``
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from forecast_backtest import DAY_S, LEVEL, SOURCES, history

from headrace.simulate.backtest import learned_days, pinball
from headrace.simulate.yardsticks import BAND_DAYS, Protocol, banded

FIT_DAYS = 28
WARM_DAYS = 14
"""So many days before the judged ones are forecast too, for the band and the level correction to be learned on."""
WEEK_DAYS = 7
SOFTENING = 0.05


def day_ahead(past: np.ndarray, slots: int) -> np.ndarray:
    """Log demand of the next day, and of the last window of the past, which is not shown to the fit."""
    from statsforecast.models import MSTL, AutoETS

    known = past[:-1]
    filled = np.interp(np.arange(len(known)), np.flatnonzero(~np.isnan(known)), known[~np.isnan(known)])
    seasons = [slots, WEEK_DAYS * slots] if len(known) >= 2 * WEEK_DAYS * slots - 1 else [slots]
    method = MSTL(season_length=seasons, trend_forecaster=AutoETS(model="ZZN"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = method.forecast(y=filled, h=slots + 1)["mean"]
    return np.asarray(said[1:], np.float64)


def curve(demand: np.ndarray, slots: int, first_day: int, name: str) -> np.ndarray:
    """What MSTL says of each window at the start of its day, in the unit of demand; NaN before the first fit."""
    said = np.full(len(demand), np.nan)
    days = range(max(3, first_day - WARM_DAYS), len(demand) // slots)
    for day in days:
        start = day * slots
        past = demand[max(0, start - FIT_DAYS * slots) : start]
        softening = SOFTENING * float(np.nanmean(past))
        said[start : start + slots] = np.exp(day_ahead(np.log(past + softening), slots)) - softening
        print(f"\r{name}: day {day - days.start + 1} of {len(days)} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    # its exponentials may fall below the softening
    return np.maximum(said, 0.0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description="Scores of statsforecast's MSTL on the forecaster's protocol."
    )
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("HEADRACE_DATA", shared)))
    parser.add_argument("--only", default=",".join(SOURCES), help="names of histories, joined by commas")
    chosen = parser.parse_args()
    if importlib.util.find_spec("statsforecast") is None:
        print("statsforecast is not installed, nothing is measured; to measure: pip install statsforecast")
        return
    if not (chosen.data / "demand").is_dir():
        print(f"{chosen.data} is not here (HEADRACE_DATA or --data names the folder): nothing is measured")
        return
    print(
        "MSTL + AutoETS, q95 pinball loss in % of mean demand: as it is, with level correction; CPU s a refit"
    )
    for name in chosen.only.split(","):
        source = SOURCES[name]
        demand, slots = history(chosen.data / "demand", source), round(DAY_S / source.step_s)
        first_day = learned_days(len(demand), slots)
        begun = time.process_time()
        said = curve(demand, slots, first_day, name)
        fits = int((~np.isnan(said)).sum()) // slots
        spent_s = (time.process_time() - begun) / max(fits, 1)
        judged = slice(first_day * slots, len(demand))
        for ahead in source.ahead:
            protocol = Protocol(slots, ahead, first_day, LEVEL)
            losses = [
                min(
                    100.0
                    * float(
                        np.nanmean(pinball(demand, banded(demand, said, protocol, how, days), LEVEL)[judged])
                    )
                    / float(np.nanmean(demand[judged]))
                    for days in BAND_DAYS
                )
                for how in ("none", "to the curve")
            ]
            print(f"  {name} h{ahead}: {losses[0]:.3f} {losses[1]:.3f}   {spent_s:.2f}", flush=True)


if __name__ == "__main__":
    main()
