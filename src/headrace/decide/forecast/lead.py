"""Any horizon, from a tick to an hour, out of forecasts of whole windows."""

from __future__ import annotations

import math

import numpy as np

from headrace.decide.forecast.decay import Floats

NEWEST = -0.5
"""Middle of the newest window, in windows after its end."""


def at_lead(newest: Floats, ahead: Floats, offset: Floats, lead_windows: float) -> Floats:
    """Demand at a moment `lead_windows` after the end of the newest window, shape [models].

    A window's forecast is its mean, so it stands at the window's middle: the next one at half a window from now, the
    newest known value half a window ago. Between two of them the logarithms are joined by a straight line; past the
    last one it stays. A tick ahead is thus about halfway between what was and what is to come.

    Args:
        newest: Demand of the newest window, holes filled, shape [models].
        ahead: Forecasts (expected, or upper) of the next windows 1, 2, …, H, shape [models, H].
        offset: `Fit.offset`, shape [models].
        lead_windows: >= 0.
    """
    known = np.concatenate([newest[:, None], ahead], axis=1)
    place = min(max(lead_windows - NEWEST, 0.0), float(ahead.shape[1]))
    left = min(math.floor(place), ahead.shape[1] - 1)
    share = place - left
    logs = np.log(known[:, left : left + 2] + offset[:, None])
    joined: Floats = np.exp(logs[:, 0] * (1.0 - share) + logs[:, 1] * share) - offset
    return joined


def peak_until(newest: Floats, ahead: Floats, offset: Floats, lead_windows: float) -> Floats:
    """Greatest demand between now and `lead_windows` after the end of the newest window, shape [models].

    Args:
        newest: As for `at_lead`.
        ahead: As for `at_lead`.
        offset: As for `at_lead`.
        lead_windows: For example (decision delay + start-up) / the windows' step.
    """
    ends = np.maximum(
        at_lead(newest, ahead, offset, 0.0), at_lead(newest, ahead, offset, max(lead_windows, 0.0))
    )
    passed = min(math.floor(max(lead_windows, 0.0) + 0.5), ahead.shape[1])
    if not passed:
        return ends
    peak: Floats = np.maximum(ends, ahead[:, :passed].max(axis=1))
    return peak
