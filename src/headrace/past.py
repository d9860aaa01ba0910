"""The past of one model fleet, as `plan` and the forecaster read it, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headrace.durations import Buckets, Durations
from headrace.occupancy import Occupancy
from headrace.series import Series


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """Weeks of one model fleet.

    Attributes:
        name: The model or fleet, for people.
        demand: Offered demand (slots, or requests/s); NaN: a hole.
        lower_bound: shape as demand.values; True: seen while every slot was taken, so that at least that much was
            offered. None: nothing says when the fleet was full.
        durations: Of finished requests; None: not known.
        occupancy: Running and waiting, for the target and the floor; None: not known.
        replicas: Ready replicas over time; None: not known.
        zone: Time zone in which the source writes its times (an IANA name, "+02:00"); "": UTC or relative.
        notes: Sentences for the user: what was guessed, found, left out.
    """

    name: str
    demand: Series
    lower_bound: NDArray[np.bool_] | None = None
    durations: Durations | Buckets | None = None
    occupancy: Occupancy | None = None
    replicas: Series | None = None
    zone: str = ""
    notes: tuple[str, ...] = ()
