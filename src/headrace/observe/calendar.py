"""Local time of samples: the window of the week that people there would name, summer and winter.

Only the edge knows zones and changes of clocks; what lies behind it reads the `slot_of_week` that a sample carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from headrace.errors import InputError

DAY_S = 86_400
MONDAY = 3
"""Days from the Monday before it to 1 January 1970, a Thursday."""
LOOK_S = 6 * 3_600
"""No zone has changed its clocks twice within six hours."""
EARLIEST_S, LATEST_S = 0.0, 253_402_300_799.0
_FIXED = re.compile(r"([+-])(\d{2})(?::?([0-5]\d))?", re.ASCII)


def slots_of_week(
    at_s: NDArray[np.floating[Any]], zone: str, windows_per_day: int, source: str = "time zone"
) -> NDArray[np.int64]:
    """Which window of the local week each moment falls into, 0 = Monday 0:00; shape as `at_s`.

    Where clocks go back an hour's windows come twice, where they go forward an hour's windows are missing. Days begin
    at local midnight, so that windows of 30 or 10 minutes fit zones with an odd quarter of an hour too: a window
    that straddles a local boundary belongs to the window it begins in.

    Args:
        at_s: Epoch seconds, any order, 1970 to 9999; not NaN.
        zone: An IANA name (``Asia/Kathmandu``), a fixed offset (``+02:00``), or "" for UTC.
        windows_per_day: S; it divides a day into whole seconds.
        source: Option or file that the zone came from, for the message.

    Raises:
        InputError: The zone is not known, or a moment is outside the calendar.
    """
    if windows_per_day < 1 or DAY_S % windows_per_day:
        raise ValueError(f"windows_per_day = {windows_per_day}, must divide 86,400")
    moments = np.asarray(at_s, np.float64)
    if not moments.size:
        return np.zeros(moments.shape, np.int64)
    if not (moments.min() >= EARLIEST_S and moments.max() <= LATEST_S):
        raise InputError(source, "local time needs moments within the years 1970 to 9999")
    local = np.floor(moments).astype(np.int64) + offsets_s(moments, zone, source)
    day, second = np.divmod(local, DAY_S)
    slots: NDArray[np.int64] = (day + MONDAY) % 7 * windows_per_day + second // (DAY_S // windows_per_day)
    return slots


def offsets_s(moments: NDArray[np.floating[Any]], zone: str, source: str = "time zone") -> NDArray[np.int64]:
    """Seconds that local time is ahead of UTC at each moment."""
    offset_s = _offset_of(_zone_of(zone, source))
    first, last = int(np.floor(moments.min())), int(np.floor(moments.max()))
    changes, offsets = [first], [offset_s(first)]
    looked = first
    while looked < last:
        ahead = min(looked + LOOK_S, last)
        if offset_s(ahead) != offsets[-1]:
            changes.append(_change(looked, ahead, offset_s))
            offsets.append(offset_s(ahead))
        looked = ahead
    place = np.searchsorted(changes, np.floor(moments), side="right") - 1
    return np.asarray(np.array(offsets, np.int64)[place])


def _change(before: int, after: int, offset_s: Callable[[int], int]) -> int:
    """First second with the new offset, between two moments with different ones."""
    old = offset_s(before)
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (middle, after) if offset_s(middle) == old else (before, middle)
    return after


def _offset_of(zone: tzinfo) -> Callable[[int], int]:
    """Offset from UTC by epoch second."""

    def offset_s(at_s: int) -> int:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at_s)
        try:
            offset = moment.astimezone(zone).utcoffset()
        except OverflowError:  # local time is past the year 9999
            offset = None
        return round(offset.total_seconds()) if offset is not None else 0

    return offset_s


def _zone_of(zone: str, source: str) -> tzinfo:
    if zone in ("", "UTC", "Z"):
        return UTC
    fixed = _FIXED.fullmatch(zone)
    if fixed:
        sign, hours, minutes = fixed.groups()
        ahead = timedelta(hours=int(hours), minutes=int(minutes or 0))
        if ahead < timedelta(days=1):
            return timezone(-ahead if sign == "-" else ahead)
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(
            source,
            f"{zone!r} is no time zone this machine knows; allowed are IANA names as Europe/Berlin (from the package "
            "tzdata, where the system has none), offsets as +02:00, and UTC",
        ) from None
