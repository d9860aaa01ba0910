"""What a forecast cannot know, and what its figures mean, in sentences for the user."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.decide.forecast.decay import Floats

WEEK_DAYS = 7


def what_is_unknown(
    history: Floats, windows_per_day: int, ahead: int = 1, level: float = 0.95
) -> tuple[str, ...]:
    """Sentences on what one model's history is too short or too full of holes for, and what stands in instead.

    Args:
        history: Demand, shape [windows]; NaN: a hole.
        windows_per_day: S.
        ahead: The horizon.
        level: Of the upper quantile.
    """
    known = ~np.isnan(history)
    if not known.any():
        return ("no demand is known: nothing can be forecast",)
    days = float(len(history) - int(np.argmax(known))) / windows_per_day
    if not np.any(history[known] > 0.0):
        return (f"{_days(days)} of history, all of it zero: zero is forecast, and no demand can be foreseen",)
    said = (_on_length(days), _on_evidence(known, ahead, level), _on_holes(known))
    return tuple(sentence for sentence in said if sentence)


def _on_length(days: float) -> str:
    length = f"{_days(days)} of history"
    if days < 2:
        return (
            f"{length}: no hour of the day can be told from another; the newest values stand in, and the band is "
            "that of their own errors"
        )
    if days < WEEK_DAYS + 1:
        return (
            f"{length}: no weekday can be told from another; yesterday and the mean of the days before stand in "
            "for last week"
        )
    if days < 2 * WEEK_DAYS:
        return (
            f"{length}: each weekday has been seen at most twice, so a weekday cannot be told from one odd day; "
            "the band is measured on few days and may cover less than it says"
        )
    return ""


def _on_evidence(known: NDArray[np.bool_], ahead: int, level: float) -> str:
    judged = max(int(known.sum()) - ahead, 0)
    if judged >= level / (1.0 - level):
        return ""
    return (
        f"only {judged} forecasts can be compared with what came: the band is their greatest error, not a measured "
        f"{100 * level:g} % quantile"
    )


def _on_holes(known: NDArray[np.bool_]) -> str:
    missing = 1.0 - float(known[int(np.argmax(known)) :].mean())
    if missing < 0.1:
        return ""
    return (
        f"{100 * missing:.0f} % of the windows are holes: they count as unknown, not as zero, and what is said of "
        "their times of day rests on fewer days"
    )


def _days(days: float) -> str:
    if days < 2:
        hours = 24.0 * days
        return "1 hour" if round(hours) == 1 else f"{hours:.0f} hours"
    return f"{int(days + 1e-9)} days"


def coverage_words(came: Floats, upper: Floats, windows_per_day: int, level: float = 0.95) -> str:
    """How often demand stayed within the band, on average and on its worst day, in one sentence.

    Args:
        came: Demand, shape [windows], beginning with a day; NaN: a hole.
        upper: Upper quantiles as issued, shape [windows].
        windows_per_day: S.
        level: That the band was asked for.
    """
    overall, worst = coverage(came, upper, windows_per_day)
    if np.isnan(overall):
        return "no forecast can be compared with what came: nothing is known of the band's coverage"
    if np.isnan(worst):
        return f"coverage {100 * overall:.1f} % of the windows, {100 * level:g} % asked for, on less than a whole day"
    return (
        f"coverage {100 * overall:.1f} % is an average, {100 * level:g} % asked for; the worst day was "
        f"{100 * worst:.0f} %"
    )


def coverage(came: Floats, upper: Floats, windows_per_day: int) -> tuple[float, float]:
    """Share of the known windows within the band: of all, and of the worst day that is known for half or more."""
    judged = ~np.isnan(came) & ~np.isnan(upper)
    within = judged & (came <= upper)
    if not judged.any():
        return np.nan, np.nan
    whole = len(came) // windows_per_day * windows_per_day
    counts = judged[:whole].reshape(-1, windows_per_day).sum(axis=1)
    hits = within[:whole].reshape(-1, windows_per_day).sum(axis=1)
    enough = 2 * counts >= windows_per_day
    worst = float((hits[enough] / counts[enough]).min()) if enough.any() else np.nan
    return float(within.sum() / judged.sum()), worst
