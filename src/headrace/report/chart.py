"""What charts over time show: frozen values, finished numbers only.

Every capacity is in the unit of the demand (``requests/s``, ``slots`` or ``replicas``), so that one axis
carries all of them. A value belongs to its tick: it holds from its time until one step later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Clock = Literal["utc", "day"]
"""What times count from: ``utc`` = epoch seconds; ``day`` = seconds since a midnight of no known date."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """The figures of one policy, side by side with the others'.

    Attributes:
        policy: Name as the user wrote it.
        minutes_over: Minutes in which demand was above ready capacity; NaN = does not apply.
        requests_over: Requests that arrived beyond ready capacity; NaN = does not apply.
        gpu_hours: Accelerator hours paid, starting and draining replicas included; NaN = does not apply.
        events_per_hour: Scaling events per hour; NaN = does not apply.
        bound: True for a figure that nobody can run (a clairvoyant optimum): shown, never recommended.
    """

    policy: str
    minutes_over: float
    requests_over: float
    gpu_hours: float
    events_per_hour: float
    bound: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What one policy had at every tick.

    Attributes:
        policy: Name as in its `TableRow`, if it has one.
        ready: shape [n], capacity that serves, in the unit of the demand; NaN = not known.
        starting: shape [n], capacity on its way, paid and not serving yet.
        draining: shape [n], capacity that finishes its streams and takes no new ones, paid.
        over_s: shape [k, 2], from and until (exclusive) of each moment over capacity, ascending, disjoint,
            on the chart's clock; `moments_over` computes it.
    """

    policy: str
    ready: NDArray[np.float64]
    starting: NDArray[np.float64]
    draining: NDArray[np.float64]
    over_s: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Demand, and what policies had to meet it, over one stretch of time.

    Attributes:
        times_s: shape [n], start of each tick, strictly ascending; a jump of more than one step is a hole.
        step_s: Length of a tick, > 0.
        clock: What `times_s` counts from; the page never converts to the viewer's time zone.
        demand: shape [n]; NaN = not known, drawn as a gap.
        unit: Unit of the demand and of every capacity, e.g. ``"requests/s"``.
        traces: One chart each, in the order to show.

    Raises:
        ValueError: Shapes that don't agree, times that don't ascend, moments that overlap.
    """

    times_s: NDArray[np.float64]
    step_s: float
    clock: Clock
    demand: NDArray[np.float64]
    unit: str
    traces: Sequence[Trace]

    def __post_init__(self) -> None:
        """Refuses what could only be drawn wrongly."""
        n = len(self.times_s)
        if n == 0 or not self.step_s > 0:
            raise ValueError(f"a chart needs a tick of positive length, got {n} of {self.step_s} s")
        if not np.isfinite(self.times_s).all() or not (np.diff(self.times_s) > 0).all():
            raise ValueError("times_s must be finite and strictly ascending")
        if self.demand.shape != (n,):
            raise ValueError(f"demand has shape {self.demand.shape}, must be ({n},)")
        for trace in self.traces:
            for name in ("ready", "starting", "draining"):
                shape = getattr(trace, name).shape
                if shape != (n,):
                    raise ValueError(f"{trace.policy}: {name} has shape {shape}, must be ({n},)")
            _check_moments(trace)

    @property
    def start_s(self) -> float:
        """Start of the first tick."""
        return float(self.times_s[0])

    @property
    def end_s(self) -> float:
        """End of the last tick."""
        return float(self.times_s[-1]) + self.step_s

    @property
    def has_gaps(self) -> bool:
        """True if the demand of some time within the span is not known."""
        return bool(np.isnan(self.demand).any() or len(holes(self.times_s, self.step_s)))


@dataclass(frozen=True, slots=True, eq=False)
class Chart(Timeline):
    """The page that compares policies.

    Attributes:
        title: Heading of the page.
        subtitle: Lines below it: where the demand came from, what was assumed.
        rows: The table, in the order to show; a row without a trace (a bound) is only in the table.
    """

    title: str
    subtitle: Sequence[str]
    rows: Sequence[TableRow]


def holes(times_s: NDArray[np.float64], step_s: float) -> NDArray[np.intp]:
    """Positions of the ticks after which ticks are missing."""
    return np.flatnonzero(np.diff(times_s) > step_s * 1.5)


def moments_over(
    times_s: NDArray[np.float64],
    step_s: float,
    demand: NDArray[np.float64],
    ready: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Stretches of ticks in which demand was above ready capacity.

    Unknown demand or capacity (NaN) is not over: the table does not count it either.

    Args:
        times_s: shape [n], start of each tick, strictly ascending.
        step_s: Length of a tick, > 0.
        demand: shape [n].
        ready: shape [n], same unit.

    Returns:
        shape [k, 2]: from, until (exclusive), on the clock of `times_s`; ticks that touch are one stretch.
    """
    over = np.flatnonzero(demand > ready)
    if len(over) == 0:
        return np.empty((0, 2))
    # A hair of slack: 0.1 + 0.1 + 0.1 s must still touch 0.3 s.
    touches = (np.diff(over) == 1) & (np.diff(times_s[over]) <= step_s * (1 + 1e-6))
    breaks = np.flatnonzero(~touches)
    first = over[np.concatenate(([0], breaks + 1))]
    last = over[np.concatenate((breaks, [len(over) - 1]))]
    until = times_s[last] + step_s
    return np.stack((times_s[first], until), axis=1)


def _check_moments(trace: Trace) -> None:
    over = trace.over_s
    if over.ndim != 2 or over.shape[1] != 2:
        raise ValueError(f"{trace.policy}: over_s has shape {over.shape}, must be (k, 2)")
    flat = over.ravel()
    disjoint = (over[:, 1] > over[:, 0]).all() and (over[1:, 0] >= over[:-1, 1]).all()
    if not np.isfinite(flat).all() or not disjoint:
        raise ValueError(f"{trace.policy}: moments over capacity must ascend and not overlap")
