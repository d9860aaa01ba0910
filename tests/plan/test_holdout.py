"""Planned on the first part, proven on the rest: what is promised, when it is missed, what can't be tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import DAY_S, OF_DAY, ask, demand, fleet, runner

from headrace.errors import InputError
from headrace.plan.ask import Ask, Today
from headrace.plan.holdout import Promise, Proof, proof
from headrace.simulate.policies import POLICIES

FIXED = next(policy for policy in POLICIES if policy.name == "fixed")


def proven(one: Ask, days: float = 1.0, tolerance: float = 0.1) -> Proof:
    return proof(one, days * DAY_S, tolerance, runner(), lambda share: None)


@pytest.fixture(scope="module")
def steady() -> Proof:
    return proven(ask(demand(6), today=Today("fixed at 30", 0.0, FIXED, 30.0, least=30, most=30)))


def test_a_steady_fleet_keeps_its_promises(steady: Proof) -> None:
    assert steady.held
    assert [promise.what for promise in steady.promises] == [
        "requests over (share)",
        "minutes over",
        "GPU-hours",
    ]
    assert steady.kept.outcome.days == 1.0
    assert steady.promises[0].promised == 0.01
    assert steady.promises[0].limit == pytest.approx(0.011)
    assert steady.promises[0].kept == steady.kept.outcome.over_ratio
    assert steady.promises[2].kept == steady.kept.outcome.gpu_hours


def test_gpu_hours_are_promised_for_the_demand_that_came(steady: Proof) -> None:
    hours = steady.promises[2]
    came = float(np.nansum(steady.judged.values)) / steady.planned.base.setting.per_replica * 300.0 / 3_600.0
    assert hours.promised == pytest.approx(steady.planned.proposed.outcome.cost_ratio * came)


def test_today_and_the_bound_are_shown_on_the_same_days(steady: Proof) -> None:
    assert steady.today is not None
    assert steady.today.outcome.gpu_hours == pytest.approx(30 * 24.0)
    assert steady.bound.outcome.gpu_hours < steady.kept.outcome.gpu_hours


def test_the_plan_has_seen_nothing_of_the_rest(steady: Proof) -> None:
    assert len(steady.planned.ask.demand) == 5 * OF_DAY
    assert len(steady.judged) == OF_DAY


def test_a_day_unlike_any_before_it_breaks_promises() -> None:
    series = demand(5)
    rng = np.random.default_rng(5)
    series.values[-OF_DAY:] *= np.repeat(rng.choice([0.2, 5.0], OF_DAY // 4), 4)
    missed = proven(ask(series))
    assert not missed.held
    assert not missed.promises[0].held
    assert missed.promises[0].kept > missed.promises[0].limit


def test_a_promise_is_held_up_to_its_limit() -> None:
    at = Promise("what", 1.0, 1.1, 1.1, "+10 %", "why")
    assert at.held
    assert not at._replace(kept=1.1001).held


def test_no_minute_over_is_kept_by_one_minute() -> None:
    calm = replace(demand(5), values=np.full(5 * OF_DAY, 100.0))
    minutes = proven(ask(calm)).promises[1]
    assert (minutes.promised, minutes.kept, minutes.limit, minutes.held) == (0.0, 0.0, 1.0, True)


@pytest.mark.parametrize("days", [2.1, 4.0, 9.0])
def test_less_than_two_days_are_too_few_to_plan_on(days: float) -> None:
    with pytest.raises(
        InputError, match=r"--holdout: .* days of a history of 4 days leave .* 2 days are the least"
    ):
        proven(ask(demand(4)), days)


def test_two_days_are_enough() -> None:
    assert len(proven(ask(demand(4), fleet(over_ratio=0.05)), 2.0).promises) == 3


def test_nothing_that_comes_proves_nothing() -> None:
    series = demand(4)
    series.values[-OF_DAY:] = np.nan
    with pytest.raises(InputError, match="demand is zero or not known in the last 1 day of chat"):
        proven(ask(series))
