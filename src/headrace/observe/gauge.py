"""Whether numbers over time are a gauge (what is at the moment) or a counter (what has been since a start)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FEWEST = 20
_RISING_RATIO = 0.25
"""Of the steps of a counter under traffic at least so many rise."""
_RESETS_RATIO = 0.01
_RESET_TO_RATIO = 0.1
"""A fall to at most this part of what was is a restart."""
_LARGE_GROWTH = 1000.0
"""More than runs or waits on one server, so that a load that only rises is not taken for a counter."""
_MANY = 500
"""Over so many steps no gauge rises and never falls."""


def is_counter(values: NDArray[np.float64]) -> bool:
    """True where the values never fall but to begin again, and grow far.

    Args:
        values: shape [n], in the order of time; NaN are left out.
    """
    known = values[~np.isnan(values)]
    if len(known) < _FEWEST:
        return False
    change = np.diff(known)
    falls = change < 0
    if np.count_nonzero(falls) > _RESETS_RATIO * len(change):
        return False
    if (known[1:][falls] > _RESET_TO_RATIO * known[:-1][falls]).any():
        return False
    rises = change[change > 0]
    return bool(
        len(rises) >= _RISING_RATIO * len(change) and (rises.sum() >= _LARGE_GROWTH or len(known) >= _MANY)
    )


def counter_sentence(noun: str, column: str, values: NDArray[np.float64], wanted: str) -> str:
    """What to say of a counter that was given for a gauge.

    Args:
        noun: What it was given as ("running").
        column: Its column.
        values: Its values.
        wanted: What is allowed ("what runs at that moment").
    """
    known = values[~np.isnan(values)]
    return (
        f"the {noun} column {column!r} looks like a counter: over {len(known):,} moments it only rises, from "
        f"{known.min():,.6g} to {known.max():,.6g}; allowed is {wanted}"
    )
