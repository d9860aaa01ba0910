"""What the four still charts of a plan show: frozen values, finished numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Line = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class OccupancyChart:
    """How many requests wait on a replica, by how many run on it.

    Attributes:
        running: shape [n], per replica, >= 0; NaN = not known.
        waiting: shape [n], per replica, at the same moments, >= 0; NaN = not known.
        slots: Requests that a replica can run at once, > 0.
        target_slots: Proposed, > 0.
        today_target_slots: What runs now; None = not known.
        follows: One sentence on what follows from it; "" = the page says it from the numbers.

    Raises:
        ValueError: No moment at which both are known, or shapes that don't agree.
    """

    running: Line
    waiting: Line
    slots: float
    target_slots: float
    today_target_slots: float | None = None
    follows: str = ""

    def __post_init__(self) -> None:
        """Refuses what can't be drawn."""
        if self.running.shape != self.waiting.shape or self.running.ndim != 1:
            raise ValueError(f"running has shape {self.running.shape}, waiting {self.waiting.shape}")
        if not (np.isfinite(self.running) & np.isfinite(self.waiting)).any():
            raise ValueError("occupancy against queue needs a moment at which both are known")
        if not (self.slots > 0 and self.target_slots > 0):
            raise ValueError(f"slots = {self.slots}, target_slots = {self.target_slots}, must be above 0")


@dataclass(frozen=True, slots=True, eq=False)
class CutChart:
    """Share of the streams open when a drain begins that are cut, by the seconds N that it may take.

    Attributes:
        n_s: shape [k], k >= 2, ascending.
        least: shape [k], 0 to 1, falling; from buckets the best case.
        most: shape [k], 0 to 1, falling; from buckets the worst case, elsewhere the same as `least`.
        chosen_s: N proposed.
        today_s: N that runs now; None = not known.
        allowed_ratio: Share that may be cut, in (0, 1).
        follows: One sentence on what follows from it; "" = the page says it from the numbers.

    Raises:
        ValueError: Shapes that don't agree, fewer than two points, or N that does not ascend.
    """

    n_s: Line
    least: Line
    most: Line
    chosen_s: float
    today_s: float | None = None
    allowed_ratio: float = 0.01
    follows: str = ""

    def __post_init__(self) -> None:
        """Refuses what could only be drawn wrongly."""
        k = len(self.n_s)
        if k < 2 or self.least.shape != (k,) or self.most.shape != (k,):
            raise ValueError(
                f"cut(N) needs two points and more of one shape, got {self.n_s.shape}, {self.least.shape}, "
                f"{self.most.shape}"
            )
        if not (np.diff(self.n_s) > 0).all():
            raise ValueError("n_s must be strictly ascending")
        if not 0 < self.allowed_ratio < 1:
            raise ValueError(f"allowed_ratio = {self.allowed_ratio}, must be between 0 and 1")

    @property
    def exact(self) -> bool:
        """True if it is a curve, False if a band."""
        return bool(np.array_equal(self.least, self.most))

    def at(self, seconds: float) -> tuple[float, float]:
        """Least and most at one N, on the straight line between two points."""
        least, most = (float(np.interp(seconds, self.n_s, line)) for line in (self.least, self.most))
        return least, most


@dataclass(frozen=True, slots=True)
class PhaseTimes:
    """One phase of a start.

    Attributes:
        name: As measured.
        median_s: >= 0.
        p90_s: >= `median_s`: nine of ten starts are through it by then.
        in_container: Whether the container runs by then, and with it the clock of the startup probe.
    """

    name: str
    median_s: float
    p90_s: float
    in_container: bool


@dataclass(frozen=True, slots=True)
class StartupChart:
    """Where the time of a start goes.

    Attributes:
        phases: In the order in which they happen, at least one.
        probe_s: How long the proposed startup probe waits for a container; None = not known.
        today_probe_s: The same of what runs now; None = not known.
        follows: One sentence on what follows from it; "" = the page says it from the numbers.

    Raises:
        ValueError: No phase, or one of less than no time.
    """

    phases: Sequence[PhaseTimes]
    probe_s: float | None
    today_probe_s: float | None = None
    follows: str = ""

    def __post_init__(self) -> None:
        """Refuses what could only be drawn wrongly."""
        if not self.phases:
            raise ValueError("a start needs a phase")
        for phase in self.phases:
            if not 0 <= phase.median_s <= phase.p90_s < float("inf"):
                raise ValueError(
                    f"{phase.name}: median_s = {phase.median_s}, p90_s = {phase.p90_s}, must ascend from 0"
                )

    @property
    def median_s(self) -> float:
        """The phases' medians, added up."""
        return sum(phase.median_s for phase in self.phases)

    @property
    def p90_s(self) -> float:
        """A start that is slow in every phase."""
        return sum(phase.p90_s for phase in self.phases)


@dataclass(frozen=True, slots=True, eq=False)
class GrowthChart:
    """How far demand rises between the moment at which a replica is ordered and its first request.

    Attributes:
        quantiles: shape [q], q >= 2, strictly ascending, in (0, 1).
        rises: shape [q], not falling: the rise that is not exceeded in this share of all moments.
        unit: Of rises and headroom alike, such as ``"requests/s"`` or ``"% of the mean"``.
        within_s: Decision delay and start-up together.
        headroom: Proposed.
        today_headroom: What runs now; None = not known.
        follows: One sentence on what follows from it; "" = the page says it from the numbers.

    Raises:
        ValueError: Shapes that don't agree, or quantiles that can't be drawn.
    """

    quantiles: Line
    rises: Line
    unit: str
    within_s: float
    headroom: float
    today_headroom: float | None = None
    follows: str = ""

    def __post_init__(self) -> None:
        """Refuses what could only be drawn wrongly."""
        q = len(self.quantiles)
        if q < 2 or self.rises.shape != (q,):
            raise ValueError(
                f"{q} quantiles and rises of shape {self.rises.shape}: need two and more of both"
            )
        inside = (self.quantiles > 0).all() and (self.quantiles < 1).all()
        if not inside or not (np.diff(self.quantiles) > 0).all() or not np.isfinite(self.rises).all():
            raise ValueError("quantiles must ascend between 0 and 1, and rises be finite")
