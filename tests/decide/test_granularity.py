"""What whole replicas cost, what smaller ones would save, and from which efficiency on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.decide.granularity import rounding_replicas, size_advice
from headrace.simulate import seed_day

EVEN = np.linspace(4.0, 12.0, 8_001)[:-1]


def test_half_a_replica_is_idle_for_being_whole() -> None:
    assert rounding_replicas(EVEN) == pytest.approx(0.5, abs=1e-3)
    assert rounding_replicas(EVEN, 2) == pytest.approx(0.25, abs=1e-3)
    assert rounding_replicas(EVEN, 4) == pytest.approx(0.125, abs=1e-3)


def test_demand_that_stands_still_is_another_matter() -> None:
    assert rounding_replicas(np.full(10, 2.9)) == pytest.approx(0.1)
    assert rounding_replicas(np.full(10, 2.9), 2) == pytest.approx(0.1)
    assert rounding_replicas(np.full(10, 3.0)) == 0.0


def test_one_replica_is_held_whatever_is_asked() -> None:
    assert rounding_replicas(np.array([0.0, 0.2])) == pytest.approx(0.9)


def test_holes_say_nothing() -> None:
    assert rounding_replicas(np.array([2.5, math.nan])) == 0.5
    assert math.isnan(rounding_replicas(np.array([math.nan])))
    assert math.isnan(size_advice(np.array([]), 8).gpu_hours_per_day)
    assert size_advice(np.array([]), 8).why == "no demand is known"


def test_half_the_size_saves_a_quarter_of_a_replica() -> None:
    found = size_advice(EVEN, 8)
    assert found.gpu_hours_per_day == pytest.approx(0.25 * 8 * 24, abs=0.5)
    assert (found.rounding, found.rounding_after) == pytest.approx((0.5, 0.25), abs=1e-3)
    assert found.step_ratio == pytest.approx(1 / 8.5, abs=1e-3)
    assert found.step_ratio_after == pytest.approx(1 / 16.5, abs=1e-3)
    assert found.why.startswith(
        "replicas of half the size (4 accelerators) would save 48 GPU-hours a day: 0.25"
    )


def test_the_seed_day_in_quarters() -> None:
    need = seed_day.seed_day() / 7.5
    found = size_advice(need, 8, 4)
    # 82 in the simulated day, where a removal takes four small ones at a time
    assert found.gpu_hours_per_day == pytest.approx(72.0, abs=3.0)
    assert "1/4 the size (2 accelerators)" in found.why


def test_below_the_break_even_smaller_ones_cost_more() -> None:
    found = size_advice(EVEN, 8)
    assert 0.9 < found.break_even_ratio < 1.0
    assert size_advice(EVEN, 8, efficiency=found.break_even_ratio + 0.002).gpu_hours_per_day > 0.0
    worse = size_advice(EVEN, 8, efficiency=found.break_even_ratio - 0.002)
    assert worse.gpu_hours_per_day < 0.0
    assert "would cost" in worse.why
    assert worse.rounding_after == pytest.approx(0.25, abs=0.01)


def test_a_small_fleet_gains_more() -> None:
    small, large = size_advice(EVEN / 4.0, 8), size_advice(EVEN * 4.0, 8)
    assert small.break_even_ratio < large.break_even_ratio
