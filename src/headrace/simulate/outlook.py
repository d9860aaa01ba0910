"""Other curves for the rule than the mean of past weeks: none, last week alone, and the forecaster's.

All are out of sample: what is read at a tick was known then. `inputs.past_curve` is the default's own.
"""

from __future__ import annotations

import math

import numpy as np

from headrace.series import Series, tick_means
from headrace.simulate.backtest import issued_along
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import (
    DAY_S,
    SMOOTH_S,
    WEEK_S,
    Setting,
    Traffic,
    delayed,
    mean_of_known,
    past_curve,
    past_mean,
)
from headrace.simulate.paths import paths_at

WINDOW_S = 300.0
"""A forecast is made for windows of five minutes: short beside a start-up, long beside what single requests scatter."""
LEARNED_DAYS = 2
"""Days before the first forecast: until then the curve of past days stands."""


def persistence(demand: Floats, setting: Setting) -> Traffic:
    """Traffic of which nothing is expected: what is seen now is taken to go on, and headroom is held on mean demand.

    Args:
        demand: The whole history, shape [ticks]; NaN: a hole.
        setting: For the tick and the lag.
    """
    return Traffic(demand, np.full(len(demand), np.nan), past_mean(demand, setting))


def last_week(demand: Floats, setting: Setting, period_s: float = WEEK_S) -> Traffic:
    """Traffic whose curve is the same time last week, averaged over five minutes each way; yesterday in the first week.

    Args:
        demand: As for `persistence`.
        setting: As for `persistence`.
        period_s: A week; shorter for tests.
    """
    day = round(DAY_S / setting.tick_s)
    shift, width = round(period_s / setting.tick_s), 2 * round(SMOOTH_S / setting.tick_s) + 1
    length = len(demand) + min(day, shift)
    week, yesterday = delayed(demand, shift, length), delayed(demand, min(day, shift), length)
    raw = np.where(np.arange(length) < shift, yesterday, week)
    return Traffic(demand, mean_of_known(raw, width, centred=True), past_mean(demand, setting))


def forecast(
    demand: Floats, setting: Setting, window_s: float = WINDOW_S, learned_days: int = LEARNED_DAYS
) -> Traffic:
    """Traffic with the forecaster's paths, refitted daily and issued anew at the end of each window.

    Where the sample was seen, and until a replica ordered now is ready, the same path is read, so that their ratio is
    the rise that is expected. Before the first fit, and in the floor's window, the curve of past weeks stands.

    Args:
        demand: As for `persistence`; it begins with a day.
        setting: As for `persistence`, and for how far ahead a forecast must reach.
        window_s: A whole number of ticks; a day is a whole number of windows.
        learned_days: Days that are only learned from.
    """
    traffic, timing = past_curve(demand, setting), setting.timing
    window = round(window_s / setting.tick_s)
    means = tick_means(Series(0.0, setting.tick_s, demand), window).values
    if len(means) <= learned_days * round(DAY_S / window_s):
        return traffic
    reach = timing.lag_ticks + timing.start_ticks + 1 + timing.lag_ticks + 1.5 * window
    horizons = tuple(range(1, math.ceil(reach / window) + 1))
    along = issued_along(means[None], round(DAY_S / window_s), horizons, learned_days)
    expected = along.expected[0]
    # where nothing was seen of the newest window, what had been expected of it
    newest = np.where(np.isnan(means), np.append([np.nan], expected[:-1, 0]), means)
    points = np.concatenate([newest[:, None], expected], axis=1)
    return traffic._replace(paths=paths_at(points, window, len(demand), timing.lag_ticks))
