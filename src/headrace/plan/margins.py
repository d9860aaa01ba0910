"""What a plan leaves for what its past can't tell."""

from __future__ import annotations

import numpy as np

from headrace.past import Past
from headrace.series import Series
from headrace.simulate.inputs import WEEK_S
from headrace.spec import Surge

LEAST_MARGIN, UNKNOWN_MARGIN, MOST_MARGIN = 0.2, 0.5, 1.0
"""What the ceiling leaves above the most that was ever wanted: a fifth, half where no two weeks can be compared, and at
most as much again, since a model that has just begun grows by any factor."""


def margin(judged: Series, surge: Surge | None = None) -> float:
    """How much more than the most so far the ceiling allows, as a share.

    The greatest rise of a week's peak over that of the week before, at least a fifth and at most as much again: a
    ceiling costs nothing until it is needed, and then it is missed. A surge that is to be survived must fit below it.

    Args:
        judged: Demand.
        surge: The class of surge that was asked for; None: none.
    """
    return max(usual_margin(judged), surge.rise_ratio if surge is not None else 0.0)


def usual_margin(judged: Series) -> float:
    """The same without any surge."""
    width = round(WEEK_S / judged.step_s)
    weeks = len(judged) // width
    if weeks < 2:
        return UNKNOWN_MARGIN
    peaks = np.fmax.reduce(judged.values[len(judged) - weeks * width :].reshape(weeks, width), axis=1)
    before, after = peaks[:-1], peaks[1:]
    rises = np.divide(after, before, out=np.full(len(after), np.nan), where=before > 0.0) - 1.0
    return min(MOST_MARGIN, float(np.fmax.reduce(rises, initial=LEAST_MARGIN)))


def caution(demand: Series) -> float:
    """Share of the usual budget that the replayed days may use up.

    A plan is kept for a week or more, not found anew every six hours, and from less than two weeks it knows one week
    at most. On 24 generated fortnights (seeds 500 to 511 of both models of `llm_week`, start-up 3 min) a third of the
    target kept it in the second week 21 times and a sixth 23 times, for 5 % more GPU-hours; from three weeks on a
    third did 24 times.
    """
    return 1.0 if demand.span_s >= 2 * WEEK_S else 0.5


def seen_while_full(past: Past) -> tuple[str, ...]:
    """What it means that demand was seen while no slot was free; () where it never was."""
    if past.lower_bound is None or not past.lower_bound.any():
        return ()
    share = f"{100.0 * float(past.lower_bound.mean()):.2g} %"
    note = (
        f"In {share} of the steps every slot was taken or requests waited: demand seen then is a lower bound, since "
        "clients may have been held back or turned away. What is proposed answers what was seen, so max and headroom "
        "may be too small."
    )
    return (note,)
