"""What replays need: each number from where it was given, measured, filed or is usual; floors; what is too much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import MONDAY_S, ask, demand, fleet, occupancy

from headrace.durations import durations
from headrace.errors import InputError
from headrace.plan.ask import Prompts
from headrace.plan.basis import MOST_REPLICAS, basis, cut, paid_s
from headrace.plan.kv import kv_cache
from headrace.plan.replica import serves
from headrace.series import Series

LONG_S = np.tile([10.0, 20.0, 90.0], 100)


def busy(days: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Running and waiting by minute on four replicas: slots of 64 full, and 200 waiting, an hour of each day."""
    minutes = days * 1_440
    at_noon = np.arange(minutes) % 1_440 // 60 == 12
    return np.where(at_noon, 64.0, 20.0), np.where(at_noon, 200.0, 0.0)


def test_a_target_is_taken_as_given_before_all() -> None:
    given = basis(ask(demand(4), fleet(target_ratio=0.7), target_ratio=0.5, occupancy=occupancy(*busy())))
    assert (given.goal.ratio, given.goal.why, given.setting.per_replica) == (0.5, "as given", 32.0)


def test_a_target_is_measured_before_it_is_read_from_a_file() -> None:
    rng = np.random.default_rng(1)
    running = rng.uniform(0.0, 64.0, 20_160)
    waiting = np.where(running > 45.0, rng.poisson(20.0, 20_160), 0).astype(np.float64)
    measured = basis(ask(demand(4), fleet(target_ratio=0.9), occupancy=occupancy(running, waiting)))
    assert measured.goal.is_measured
    assert measured.goal.ratio == pytest.approx(45.0 / 64.0, abs=0.05)


def test_a_target_comes_from_the_file_where_nothing_measured_it_else_it_is_the_usual() -> None:
    assert basis(ask(demand(4), fleet(target_ratio=0.7))).goal.ratio == 0.7
    usual = basis(ask(demand(4)))
    assert (usual.goal.ratio, usual.goal.is_measured) == (0.6, False)


def test_what_was_measured_within_the_service_level_may_be_used_whole() -> None:
    rates = replace(demand(4), unit="requests/s")
    assert basis(ask(rates, fleet(requests_per_s=5.0))).goal.ratio == 1.0
    assert basis(ask(rates, per_replica=5.0)).setting.per_replica == 5.0


def test_the_floor_follows_from_queues_that_lasted_daily() -> None:
    found = basis(ask(demand(7), occupancy=occupancy(*busy())))
    assert found.low is not None
    # 4 replicas * (64 + 200) at noon want 16.5 replicas of 64 slots
    assert found.low.replicas == found.setting.least == 17
    assert basis(ask(demand(7), fleet(least=20), occupancy=occupancy(*busy()))).setting.least == 20


def test_without_samples_there_is_no_floor() -> None:
    found = basis(ask(demand(4)))
    assert (found.low, found.prefills, found.setting.least) == (None, None, 1)


def test_long_prompts_raise_the_floor() -> None:
    # each prompt blocks for 100 s and nobody may wait for more than 10 s
    long = Prompts(np.full(100, 800_000.0), 8_000.0, 10.0)
    short = Prompts(np.full(100, 80.0), 8_000.0, 10.0)
    known = fleet(over_ratio=0.001)
    high = basis(ask(demand(4, mean=60.0), known, prompts=long))
    assert high.prefills is not None
    assert high.setting.least == high.prefills.replicas > 10
    assert basis(ask(demand(4, mean=60.0), known, prompts=short)).setting.least == 1


def test_a_ceiling_that_was_given_holds_the_floor_down() -> None:
    found = basis(ask(demand(7), most=5, occupancy=occupancy(*busy())))
    assert (found.setting.least, found.setting.most) == (5, 5)


def test_removed_replicas_are_paid_until_their_last_stream_has_ended() -> None:
    one = ask(demand(4), durations=durations(LONG_S))
    each = serves(one, 0.6, kv_cache(one))
    drained_s = paid_s(one, 900.0, each)
    assert 20.0 < drained_s < 120.0
    assert paid_s(one, 30.0, each) < drained_s
    assert paid_s(ask(demand(4)), 900.0, each) == 900.0


def test_cut_streams_are_those_that_have_more_left_than_the_drain() -> None:
    share = cut(ask(demand(4), durations=durations(LONG_S)), 60.0)
    assert share == pytest.approx((30.0 / 120.0, 30.0 / 120.0))
    assert np.isnan(cut(ask(demand(4)), 60.0)).all()


def test_a_peak_beyond_every_fleet_is_refused_in_one_sentence() -> None:
    peak = MOST_REPLICAS * 64.0 * 0.6
    series = Series(MONDAY_S, 300.0, np.full(1_152, peak), "slots")
    basis(ask(series))
    series.values[500] = 2.0 * peak
    with pytest.raises(
        InputError, match=r"chat: the peak of demand is 20,000 replicas, of which each serves 38.4"
    ):
        basis(ask(series))
