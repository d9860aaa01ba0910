"""Between which N to choose, and the grace period of an N: numbers alone, without the arithmetic that finds one.

Apart from `drain`, since a linter needs no arrays, and importing numpy takes longer than linting a file.
"""

from __future__ import annotations

from typing import NamedTuple

GRACE_BEFORE_S = 20.0
"""Before SIGTERM, until every router has dropped the replica."""
GRACE_AFTER_S = 30.0
"""After N, for the engine to end by itself."""


class Limits(NamedTuple):
    """What may be cut, and between which N to choose."""

    cut_ratio: float = 0.01
    """Share of the streams running at the beginning of a drain that may be cut (0 to 1)."""
    step_s: float = 30.0
    """N is a multiple of this (> 0), so that it does not move with every sample."""
    shortest_s: float = 60.0
    longest_s: float = 900.0


LIMITS = Limits()


def grace_s(drain_s: float) -> float:
    """The terminationGracePeriodSeconds of N: 20 s for the routers, N, 30 s to end; 300 s need 350."""
    return GRACE_BEFORE_S + drain_s + GRACE_AFTER_S
