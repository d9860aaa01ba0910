"""What was forecast, to be drawn over the demand that came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """The expected curve and its upper quantile.

    Attributes:
        times_s: shape [m], m >= 1, start of the window that each value is for, strictly ascending, on the clock of
            the timeline over which it is drawn; it may begin before that and go on after it.
        step_s: Length of a window, > 0.
        expected: shape [m], in the unit of the demand; NaN = nothing was said.
        upper: shape [m], what demand was expected to stay below with probability `quantile`.
        quantile: Of `upper`, in (0, 1).
        ahead_s: How long before its window each value was said; 0 = not one time for all.
        follows: One sentence on what follows from it; "" = the page says it from the numbers.

    Raises:
        ValueError: Shapes that don't agree, times that don't ascend.
    """

    times_s: NDArray[np.float64]
    step_s: float
    expected: NDArray[np.float64]
    upper: NDArray[np.float64]
    quantile: float = 0.95
    ahead_s: float = 0.0
    follows: str = ""

    def __post_init__(self) -> None:
        """Refuses what could only be drawn wrongly."""
        m = len(self.times_s)
        if m == 0 or not self.step_s > 0:
            raise ValueError(f"a forecast needs a window of positive length, got {m} of {self.step_s} s")
        if not np.isfinite(self.times_s).all() or not (np.diff(self.times_s) > 0).all():
            raise ValueError("times_s of a forecast must be finite and strictly ascending")
        for line in ("expected", "upper"):
            shape = getattr(self, line).shape
            if shape != (m,):
                raise ValueError(f"{line} has shape {shape}, must be ({m},)")
        if not 0 < self.quantile < 1:
            raise ValueError(f"quantile = {self.quantile}, must be between 0 and 1")

    @property
    def end_s(self) -> float:
        """End of the last window."""
        return float(self.times_s[-1]) + self.step_s
