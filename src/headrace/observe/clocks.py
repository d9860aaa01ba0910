"""Whether offsets from UTC that change within a file are those of one zone, whose clocks are put on and back.

A time with an offset is unambiguous whatever the offset is; but where offsets come and go, two sources were mixed, of
which each should be a history of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.observe.timestamps import MOST_AHEAD_MIN, zone_ahead

_CLOSEST_S = 14 * 86_400.0
"""Changes are further apart: Egypt's of 2010 around Ramadan lay three weeks apart, the closest of late."""
_MOST = 4
_MOST_WITHIN_S = 330 * 86_400.0
"""No more than four in about a year: from the first of 2013 to that of 2014 were 336 days in Morocco."""
CHANGES = "by at most 1 h, 2 weeks apart, 4 times a year"
"""The same in words."""


class Clocks:
    """The offsets of one column's times, told in the order of time."""

    def __init__(self) -> None:
        self._last_s = -np.inf
        self._ahead = 0
        self._changes_s: list[float] = []
        self._seen: set[int] = set()

    def add(self, times_s: NDArray[np.float64], ahead_min: NDArray[np.integer]) -> int | None:
        """Go on; the index of the first time whose offset no zone's clocks explain, or None.

        Args:
            times_s: shape [n], seconds; a change to an earlier time is none that clocks explain.
            ahead_min: shape [n], minutes ahead of the column's first time.
        """
        if not len(times_s):
            return None
        if not self._seen:
            self._ahead = int(ahead_min[0])
            self._seen.add(self._ahead)
        for at in np.flatnonzero(np.diff(ahead_min, prepend=self._ahead)):
            before_s = times_s[at - 1] if at else self._last_s
            if not (times_s[at] > before_s and self._explained(float(times_s[at]), int(ahead_min[at]))):
                return int(at)
            self._seen.add(int(ahead_min[at]))
            self._changes_s.append(float(times_s[at]))
        self._last_s, self._ahead = float(times_s[-1]), int(ahead_min[-1])
        return None

    def _explained(self, at_s: float, ahead: int) -> bool:
        changes = self._changes_s
        if changes and at_s - changes[-1] < _CLOSEST_S:
            return False
        if len(changes) >= _MOST and at_s - changes[-_MOST] < _MOST_WITHIN_S:
            return False
        offsets = {*self._seen, ahead}
        return max(offsets) - min(offsets) <= MOST_AHEAD_MIN

    def zone(self, first: str) -> str:
        """The zone of the last time, where that of the first is `first`."""
        return zone_ahead(first, self._ahead)

    def note(self, first: str) -> str:
        """A sentence for the user; "" where they did not change."""
        if not self._changes_s:
            return ""
        zones = [zone_ahead(first, ahead) for ahead in sorted(self._seen)]
        return (
            f"Its clocks change: {', '.join(zones[:-1])} and {zones[-1]}; times are read as written, and local days "
            f"are those of {self.zone(first)}, its last."
        )
