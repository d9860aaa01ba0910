"""Demand in the windows that a forecast is made in."""

from __future__ import annotations

import math

from headrace.series import Series, between, tick_means
from headrace.simulate.inputs import DAY_S

LEAST_STEP_S = 300.0
"""Finer windows are joined: a forecast over five minutes is of use, one over ten seconds is noise."""


def day_windows(series: Series, utc_offset_s: float) -> Series:
    """Means over windows of five minutes or more that divide a day, from the first local midnight on.

    A history without a whole day begins where it begins.

    Args:
        series: Demand.
        utc_offset_s: How far local clocks are ahead of UTC.
    """
    joined = max(1, math.ceil(LEAST_STEP_S / series.step_s - 1e-9))
    while joined * series.step_s < DAY_S and not _divides(joined * series.step_s):
        joined += 1
    local_s = (series.start_s + utc_offset_s) % DAY_S
    first_s = series.start_s + (DAY_S - local_s) % DAY_S
    end_s = series.start_s + series.span_s
    whole = between(series, first_s, end_s)
    return tick_means(whole if whole.span_s >= DAY_S else series, joined)


def _divides(step_s: float) -> bool:
    over = DAY_S % step_s
    return min(over, step_s - over) < 1e-6
