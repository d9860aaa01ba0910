"""Scores: replica-ticks become minutes, requests and accelerator-hours at any tick; gaps count as nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.simulate.fluid import Tally
from headrace.simulate.inputs import Setting
from headrace.simulate.score import bound_score, cost_ratio, score

SETTING = Setting(tick_s=15.0, per_replica=2.0, accelerators=4)
TALLY = Tally(over_ticks=8.0, over=3.0, paid=480.0, events=6.0)
DEMAND = np.array([2.0, math.nan, 4.0, 6.0])


def test_every_figure_is_in_the_unit_of_its_name() -> None:
    found = score("p", TALLY, DEMAND, SETTING, 0.5)
    assert found.minutes_over == 2.0  # 8 ticks of 15 s
    assert found.requests_over == 3.0 * 2.0 * 15.0
    assert found.gpu_hours == 480.0 * 15.0 * 4 / 3600.0
    assert found.events_per_hour == 6.0 / (4 * 15.0 / 3600.0)
    assert found.over_ratio == 90.0 / (12.0 * 15.0)
    assert found.headroom == 0.5
    assert not found.is_bound


def test_cost_is_over_mean_demand_in_replicas_and_a_gap_counts_at_the_mean() -> None:
    # 4 requests/s on average are two replicas, for four ticks
    assert cost_ratio(16.0, DEMAND, SETTING) == 2.0


@pytest.mark.parametrize("demand", [np.zeros(3), np.full(3, math.nan)])
def test_where_nothing_came_nobody_is_over_and_there_is_no_ratio(demand: np.ndarray) -> None:
    found = score("p", TALLY._replace(over_ticks=0.0, over=0.0), demand, SETTING)
    assert found.over_ratio == 0.0
    assert math.isnan(found.cost_ratio)


def test_a_bound_is_never_over_and_has_no_events() -> None:
    found = bound_score("b", 480.0, DEMAND, SETTING)
    assert (found.minutes_over, found.requests_over, found.over_ratio) == (0.0, 0.0, 0.0)
    assert math.isnan(found.events_per_hour)
    assert found.is_bound
