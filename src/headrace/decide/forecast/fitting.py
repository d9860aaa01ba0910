"""From a history to everything that one day's forecasts need, for many models at once."""

from __future__ import annotations

import numpy as np

from headrace.decide.forecast import batches
from headrace.decide.forecast.decay import Floats
from headrace.decide.forecast.fitted import Fit
from headrace.decide.forecast.learning import Judged, Learned
from headrace.decide.forecast.state import State


def fit(
    history: Floats,
    windows_per_day: int,
    horizons: tuple[int, ...] = (1,),
    level: float = 0.95,
    unseen: int = 0,
) -> Fit:
    """The fit for the day after the history.

    Args:
        history: Demand, shape [models, windows], any unit, >= 0; NaN: a hole. It ends with a day (in local time if
            the days are to be people's days); whole days come first, what is left over at its beginning counts too.
        windows_per_day: S, more than twice the greatest horizon.
        horizons: Windows ahead, each >= 1.
        level: Of the upper quantile.
        unseen: How many windows at the end have not happened yet (NaN). With `max(horizons) - 1` of them every
            forecast of the next day is issued from its own fit.
    """
    if len(history) > batches.TOGETHER:
        parts = range(0, len(history), batches.TOGETHER)
        return batches.joined(
            [
                fit(history[first : first + batches.TOGETHER], windows_per_day, horizons, level, unseen)
                for first in parts
            ]
        )
    batches.keep_room()
    learned = Learned.read(history, windows_per_day)
    judged = [learned.step(ahead, level) for ahead in horizons]
    return Fit(
        windows_per_day=windows_per_day,
        level=level,
        offset=learned.offset,
        centre=learned.centres[:, -1],
        most=learned.limits[1],
        seasonals=learned.seasonals[:, :, learned.windows - windows_per_day :].copy(),
        steps=tuple(each.step for each in judged),
        start=_start(learned, judged, unseen),
    )


def _start(learned: Learned, judged: list[Judged], unseen: int) -> State:
    """The state after the newest window that has been seen, with nothing issued yet."""
    newest = learned.windows - 1 - unseen
    after = judged[0].said.shape[1] - unseen
    horizons = [each.step.ahead for each in judged]
    shape = (len(learned.offset), len(horizons), max(horizons))
    ridge_ahead = np.full(shape, np.nan)
    for index, (ahead, each) in enumerate(zip(horizons, judged, strict=True)):
        known = min(ahead - 1, unseen)
        ridge_ahead[:, index, :known] = each.said[:, after : after + known]
    return State(
        at=-1 - unseen,
        logs=learned.filled[:, newest - 1 : newest + 1].copy(),
        means=learned.means[:, :, newest - learned.windows].copy(),
        error_total=np.stack([each.error_total[:, after - 1] for each in judged], axis=1),
        error_count=np.stack([each.error_count[:, after - 1] for each in judged], axis=1),
        tracker=np.zeros(shape[:2]),
        ridge_ahead=ridge_ahead,
        upper_ahead=np.full(shape, np.nan),
    )
