"""Samples of what runs and what waits on the replicas of one model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """Moments at which a fleet was looked at; a moment without an answer is not in it.

    Attributes:
        at_s: shape [n], epoch seconds, ascending.
        running: shape [n], requests that run, per replica that answered, >= 0.
        waiting: shape [n], requests that wait, per replica that answered, >= 0.
        replicas: shape [n], how many answered, >= 1; NaN: not known (the figures are then of one replica).
        step_s: Typical seconds between two moments, > 0.
        kv_usage_ratio: shape [n], share of the KV cache in use, mean over the replicas, 0 to 1; NaN: not known at that
            moment. None: never known.
    """

    at_s: NDArray[np.float64]
    running: NDArray[np.float64]
    waiting: NDArray[np.float64]
    replicas: NDArray[np.float64]
    step_s: float
    kv_usage_ratio: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """Number of moments."""
        return len(self.at_s)
