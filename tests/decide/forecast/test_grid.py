"""What people do at one time of day stands in one column, whatever the clocks did."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from headrace.decide.forecast import day_grid
from headrace.observe.calendar import slots_of_week

SLOTS = 48


def local_wave(slots: np.ndarray) -> np.ndarray:
    return 100.0 + 50.0 * np.sin(2.0 * np.pi * (slots % SLOTS) / SLOTS)


@pytest.mark.parametrize(
    ("zone", "start"),
    [
        ("Europe/Berlin", datetime(2024, 3, 1, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2024, 10, 1, tzinfo=UTC)),
        ("America/New_York", datetime(2024, 10, 10, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2024, 3, 10, tzinfo=UTC)),
        ("Asia/Kathmandu", datetime(2024, 3, 10, tzinfo=UTC)),
        ("UTC", datetime(2024, 3, 10, tzinfo=UTC)),
    ],
)
def test_a_change_of_clocks_does_not_move_the_profile(zone: str, start: datetime) -> None:
    at_s = start.timestamp() + 1_800.0 * np.arange(45 * SLOTS)
    slots = slots_of_week(at_s, zone, SLOTS)
    grid = day_grid(at_s, slots, local_wave(slots), SLOTS)
    profile = local_wave(np.arange(SLOTS))
    known = ~np.isnan(grid.values)
    assert np.abs(grid.values - profile)[known].max() < 1e-9
    whole = grid.values[1:-1]
    assert np.isnan(whole).sum() in (0, 1, 2), "at most the hour that clocks leave out"
    assert grid.first_slot == (slots[0] // SLOTS) * SLOTS
    assert len(grid.values) in (45, 46)


def test_the_missing_hour_is_a_hole_and_the_doubled_one_a_mean() -> None:
    spring = datetime(2024, 3, 30, 23, tzinfo=UTC).timestamp() + 1_800.0 * np.arange(46)
    grid = day_grid(spring, slots_of_week(spring, "Europe/Berlin", SLOTS), np.arange(46.0), SLOTS)
    assert np.flatnonzero(np.isnan(grid.values[0])).tolist() == [4, 5]
    autumn = datetime(2024, 10, 26, 22, tzinfo=UTC).timestamp() + 1_800.0 * np.arange(50)
    grid = day_grid(autumn, slots_of_week(autumn, "Europe/Berlin", SLOTS), np.arange(50.0), SLOTS)
    assert grid.values.shape == (1, SLOTS)
    assert grid.values[0, 3:7].tolist() == [3.0, (4 + 6) / 2, (5 + 7) / 2, 8.0]


def test_irregular_samples_in_any_order_and_a_month_without() -> None:
    draw = np.random.default_rng(0)
    first = datetime(2024, 2, 5, tzinfo=UTC).timestamp()
    at_s = np.concatenate([first + draw.uniform(0, 3 * 86_400, 500), first + 45 * 86_400.0 + np.arange(3.0)])
    at_s = draw.permutation(at_s)
    slots = slots_of_week(at_s, "Europe/Berlin", SLOTS)
    grid = day_grid(at_s, slots, at_s - first, SLOTS)
    assert len(grid.values) == 46
    assert np.isnan(grid.values[4:45]).all()
    inside = (at_s >= first + 20 * 3_600.0) & (at_s < first + 20.5 * 3_600.0)
    assert grid.values[0, 42] == pytest.approx((at_s[inside] - first).mean())
    assert (grid.row * SLOTS + grid.column)[inside].tolist() == [42] * int(inside.sum())


def test_holes_stay_holes() -> None:
    grid = day_grid(1_800.0 * np.arange(3), np.array([144, 145, 146]), np.array([1.0, np.nan, 3.0]), SLOTS)
    assert grid.values[0, :3].tolist()[::2] == [1.0, 3.0]
    assert np.isnan(grid.values[0, 1])
    assert grid.first_slot == 3 * SLOTS
    nothing = day_grid(np.zeros(0), np.zeros(0, np.int64), np.zeros(0), SLOTS)
    assert nothing.values.shape == (0, SLOTS)
