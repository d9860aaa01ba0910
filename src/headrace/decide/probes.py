"""Readiness and liveness of a model server: out of the routers soon, restarted only when it is surely lost.

A restart costs a whole start-up and every running stream, so liveness is much more patient than readiness; where both
give up together, a server that is slow for a moment is killed instead of left alone. How long a start may take is the
startup probe's (`startup.probe_budget`): until it has passed, the two others don't run.
"""

from __future__ import annotations

from typing import NamedTuple


class Probe(NamedTuple):
    """A probe that runs all the time."""

    period_s: int
    failures: int
    timeout_s: int

    @property
    def patience_s(self) -> int:
        """Seconds of failures until it acts."""
        return self.period_s * self.failures


READINESS = Probe(5, 2, 4)
"""Ten seconds without an answer: the router sends elsewhere, and nothing is lost if it was wrong."""
LIVENESS = Probe(10, 12, 8)
"""Two minutes: an API process that is busy with a huge request answers late, and comes back."""
