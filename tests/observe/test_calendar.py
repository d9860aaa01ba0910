"""A sample's slot of the week is what the clock on the wall says: across changes of clocks both ways, in odd zones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import InputError
from headrace.observe.calendar import slots_of_week

HALF_HOURS = 48
SPAN = datetime(1995, 1, 1), datetime(2037, 1, 1)  # noqa: DTZ001 (hypothesis wants them bare)


def epoch_s(*when: int, zone: str = "UTC") -> float:
    return datetime(*when, tzinfo=ZoneInfo(zone)).timestamp()  # type: ignore[arg-type, misc]


def named(at_s: float, zone: str, windows_per_day: int) -> int:
    """The slot by the standard library alone, one moment at a time."""
    local = datetime.fromtimestamp(at_s, tz=UTC).astimezone(ZoneInfo(zone))
    second = (local.hour * 60 + local.minute) * 60 + local.second
    return local.weekday() * windows_per_day + second * windows_per_day // 86_400


def test_monday_midnight_is_zero_and_sunday_evening_the_last() -> None:
    at_s = np.array([epoch_s(2024, 1, 1), epoch_s(2024, 1, 7, 23, 59, 59), epoch_s(2024, 1, 3, 12)])
    assert slots_of_week(at_s, "UTC", HALF_HOURS).tolist() == [0, 335, 2 * 48 + 24]
    assert slots_of_week(at_s, "", HALF_HOURS).tolist() == [0, 335, 2 * 48 + 24]


def test_an_hour_is_missing_when_clocks_go_forward() -> None:
    midnight = epoch_s(2024, 3, 31, zone="Europe/Berlin")
    at_s = midnight + 1_800.0 * np.arange(46)
    slots = slots_of_week(at_s, "Europe/Berlin", HALF_HOURS) - 6 * HALF_HOURS
    assert slots.tolist() == [0, 1, 2, 3, *range(6, 48)]


def test_an_hour_comes_twice_when_clocks_go_back() -> None:
    midnight = epoch_s(2024, 10, 27, zone="Europe/Berlin")
    at_s = midnight + 1_800.0 * np.arange(50)
    slots = slots_of_week(at_s, "Europe/Berlin", HALF_HOURS) - 6 * HALF_HOURS
    assert slots.tolist() == [*range(6), 4, 5, *range(6, 48)]


def test_lord_howe_moves_its_clocks_by_half_an_hour() -> None:
    midnight = epoch_s(2024, 4, 7, zone="Australia/Lord_Howe")
    slots = slots_of_week(midnight + 1_800.0 * np.arange(49), "Australia/Lord_Howe", HALF_HOURS)
    assert (slots - 6 * HALF_HOURS).tolist() == [0, 1, 2, 3, 3, *range(4, 48)]


def test_kathmandu_is_five_hours_and_three_quarters_ahead() -> None:
    at_s = np.array([epoch_s(2024, 1, 1)])
    assert slots_of_week(at_s, "Asia/Kathmandu", 96).tolist() == [5 * 4 + 3]
    # a half hour that begins a quarter past belongs to the half hour it begins in
    assert slots_of_week(at_s, "Asia/Kathmandu", HALF_HOURS).tolist() == [11]


def test_offsets_are_zones() -> None:
    at_s = np.array([epoch_s(2024, 1, 1)])
    assert slots_of_week(at_s, "+02:00", 24).tolist() == [2]
    assert slots_of_week(at_s, "-0330", HALF_HOURS).tolist() == [335 - 6]
    assert slots_of_week(at_s, "+05", 24).tolist() == [5]


@given(
    zone=st.sampled_from(
        [
            "Europe/Berlin",
            "America/New_York",
            "Asia/Kathmandu",
            "Australia/Lord_Howe",
            "Africa/Casablanca",
            "UTC",
        ]
    ),
    start=st.datetimes(*SPAN),
    days=st.integers(1, 400),
    windows=st.sampled_from([24, 48, 96, 144, 288]),
)
def test_it_is_what_the_standard_library_says(zone: str, start: datetime, days: int, windows: int) -> None:
    first_s = start.replace(tzinfo=UTC).timestamp()
    at_s = first_s + np.arange(0.0, days * 86_400.0, 86_400.0 * days / 97.0)
    expected = [named(moment, zone, windows) for moment in at_s.tolist()]
    assert slots_of_week(at_s, zone, windows).tolist() == expected


def test_order_and_shape_do_not_matter() -> None:
    at_s = epoch_s(2024, 3, 1) + 3_600.0 * np.arange(24 * 60)
    shuffled = np.random.default_rng(1).permutation(len(at_s))
    slots = slots_of_week(at_s, "Europe/Berlin", 24)
    assert (slots_of_week(at_s[shuffled], "Europe/Berlin", 24) == slots[shuffled]).all()
    assert slots_of_week(np.zeros(0), "Europe/Berlin", 24).tolist() == []


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "../etc/passwd", "+25:00", "+02:99", "+02:", "Mars"])
def test_an_unknown_zone_is_said_in_one_sentence(zone: str) -> None:
    with pytest.raises(InputError, match="is no time zone this machine knows; allowed are") as raised:
        slots_of_week(np.array([0.0]), zone, 24, source="--zone")
    assert str(raised.value).startswith(f"--zone: {zone!r}")


@pytest.mark.parametrize("at_s", [-1.0, 1e12, float("nan")])
def test_moments_outside_the_calendar_are_refused(at_s: float) -> None:
    with pytest.raises(InputError, match="1970 to 9999"):
        slots_of_week(np.array([at_s]), "Europe/Berlin", 24)


def test_a_day_is_cut_into_whole_seconds() -> None:
    with pytest.raises(ValueError, match=r"windows_per_day = 7, must divide"):
        slots_of_week(np.array([0.0]), "UTC", 7)


def test_the_last_moment_of_the_calendar_has_a_slot() -> None:
    last = (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - timedelta(seconds=1)).timestamp()
    assert slots_of_week(np.array([last]), "Asia/Tokyo", 24).shape == (1,)
