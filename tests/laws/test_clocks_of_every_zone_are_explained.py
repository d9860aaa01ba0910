"""Offsets of one zone over years are taken for clock changes; those of two zones side by side are not."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from headrace.observe.clocks import Clocks

DAY_S = 86_400
ZONES = (
    *(
        "Europe/Berlin",
        "Europe/London",
        "Europe/Istanbul",
        "Europe/Moscow",
        "America/New_York",
        "America/St_Johns",
    ),
    *("America/Sao_Paulo", "Australia/Lord_Howe", "Australia/Sydney", "Africa/Casablanca", "Africa/Cairo"),
    *("Asia/Gaza", "Asia/Pyongyang", "Asia/Tehran", "Pacific/Fiji", "America/Caracas"),
)
BEGIN = int(datetime(2005, 1, 1, tzinfo=UTC).timestamp())


def offsets_min(zone: str, times_s: NDArray[np.float64]) -> NDArray[np.int16]:
    there = ZoneInfo(zone)
    offsets = [datetime.fromtimestamp(at, there).utcoffset() for at in times_s]
    return np.array([offset.total_seconds() / 60 for offset in offsets if offset is not None], np.int16)


@given(
    zone=st.sampled_from(ZONES),
    first=st.integers(0, 20 * 365),
    days=st.integers(1, 1_000),
    parts=st.integers(1, 5),
)
def test_one_zone_is_explained_however_it_is_told(zone: str, first: int, days: int, parts: int) -> None:
    times_s = BEGIN + DAY_S * np.arange(first, first + days, dtype=np.float64)
    offsets = offsets_min(zone, times_s)
    clocks = Clocks()
    for part in np.array_split(np.arange(days), parts):
        assert clocks.add(times_s[part], (offsets - offsets[0])[part]) is None
    assert bool(clocks.note("UTC")) == (len(set(offsets.tolist())) > 1)


@given(
    ahead=st.sampled_from([-60, -30, 15, 30, 60]),
    count=st.integers(3, 60),
    step_s=st.integers(1, DAY_S // 5),
    data=st.data(),
)
def test_rows_of_two_zones_are_refused_at_the_second_change(
    ahead: int, count: int, step_s: int, data: st.DataObject
) -> None:
    other = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    offsets = np.where(other, ahead, 0).astype(np.int16)
    changes = np.flatnonzero(np.diff(offsets)) + 1
    found = Clocks().add(BEGIN + step_s * np.arange(count, dtype=np.float64), offsets)
    assert found == (changes[1] if len(changes) > 1 else None)
