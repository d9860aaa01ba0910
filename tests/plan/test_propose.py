"""A proposal: its numbers follow from the data, keep what was asked for when run again, and say what they rest on."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import DAY_S, MONDAY_S, OF_DAY, ask, demand, fleet, occupancy, runner

from headrace.durations import durations
from headrace.errors import InputError
from headrace.plan import outcome, propose
from headrace.plan.ask import Ask, Today
from headrace.plan.basis import streams
from headrace.plan.held import rule_with
from headrace.plan.proposal import Proposal
from headrace.series import Series
from headrace.simulate.policies import POLICIES
from headrace.spec import Surge

POLICY = {policy.name: policy for policy in POLICIES}


def made(one: Ask) -> Proposal:
    return propose.proposal(one, runner())


@pytest.fixture(scope="module")
def plain() -> Proposal:
    return made(ask(demand(4), durations=durations(np.tile([10.0, 20.0, 90.0], 100))))


def test_the_headroom_is_the_smallest_that_keeps_the_budget(plain: Proposal) -> None:
    base, scale = plain.base, plain.fleet.scale

    def over_ratio(headroom: float) -> float:
        rule = rule_with(plain.ask.fleet, headroom, base.setting)
        done = outcome.run("again", runner(), rule, base.setting, plain.traffic, streams(plain.ask, base))
        return done.outcome.over_ratio

    budget = 0.01 / 6  # a third of the target, and half of that since less than two weeks are known
    assert over_ratio(scale.rule.headroom) <= budget < over_ratio(scale.rule.headroom - 0.03)
    assert plain.proposed.outcome.over_ratio == over_ratio(scale.rule.headroom)


def test_the_days_that_are_judged_are_not_those_that_were_learned_from(plain: Proposal) -> None:
    assert plain.judged.start_s == MONDAY_S + DAY_S
    assert plain.proposed.outcome.days == 3.0
    assert plain.proposed.replicas.shape == (3, 3 * OF_DAY)


def test_the_ceiling_leaves_half_where_no_two_weeks_can_be_compared(plain: Proposal) -> None:
    most = plain.proposed.outcome.most_replicas
    assert plain.fleet.scale.max_replicas == math.ceil(most * 1.5)
    assert plain.fleet.scale.min_replicas == 1


def test_drain_and_grace_follow_from_the_durations(plain: Proposal) -> None:
    assert plain.fleet.scale.drain_s == 90.0  # of 60 s a quarter is cut, of 90 s nothing
    numbers = {number.name: number for number in plain.numbers}
    assert numbers["grace"].value == 140.0
    # what it costs: a scale-down, a rollout's step, a Recreate, a node drain
    for occasion in ("removals a day", "a rollout step with maxSurge 0", "a Recreate", "a node drain"):
        assert occasion in numbers["grace"].why
    assert plain.proposed.outcome.cut_streams == pytest.approx(0.0, abs=1e-9)


def test_the_bound_is_cheaper_and_nothing_runs_today(plain: Proposal) -> None:
    assert plain.bound.outcome.gpu_hours < plain.proposed.outcome.gpu_hours
    assert plain.today is None
    assert [run.outcome.name for run in plain.runs] == ["proposed", "bound: knows the future"]
    assert plain.quality is not None


def test_progress_ends_at_the_whole() -> None:
    told: list[float] = []
    propose.proposal(ask(demand(2)), runner(), told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_target_of_nothing_over_is_kept_to_the_last_request() -> None:
    found = made(ask(demand(4), fleet(over_ratio=0.0)))
    assert found.proposed.outcome.over_ratio == 0.0
    assert found.proposed.outcome.gpu_hours > made(ask(demand(4))).proposed.outcome.gpu_hours


def test_less_than_two_days_give_a_first_guess_that_is_said() -> None:
    found = made(ask(demand(1)))
    assert found.tuned.days == 0
    assert found.tuned.fallback in found.notes
    assert found.quality is None
    headroom = next(number for number in found.numbers if number.name == "headroom")
    assert "less than two days" in headroom.why


def test_a_surge_that_is_named_is_paid_for() -> None:
    calm, surged = (made(ask(demand(3), fleet(surge=surge))) for surge in (None, Surge(1.0, 300.0)))
    assert surged.proposed.outcome.gpu_hours > calm.proposed.outcome.gpu_hours
    assert surged.fleet.scale.surge == Surge(1.0, 300.0)
    headroom = next(number for number in surged.numbers if number.name == "headroom")
    assert "a surge of 100 % in 5m" in headroom.why


def test_a_surge_that_is_named_fits_below_the_ceiling() -> None:
    surged = made(ask(demand(3), fleet(surge=Surge(3.0, 300.0))))
    most = surged.proposed.outcome.most_replicas
    assert surged.fleet.scale.max_replicas == math.ceil(4.0 * most)
    ceiling = next(number for number in surged.numbers if number.name == "max")
    assert ceiling.why.endswith("300 % more, since a surge of 300 % in 5m must fit")


def test_demand_seen_while_full_is_said_to_be_a_lower_bound() -> None:
    series = demand(4)
    full = np.zeros(len(series), dtype=np.bool_)
    assert not any("lower bound" in note for note in made(ask(series, lower_bound=full)).notes)
    full[: len(series) // 20] = True
    (note,) = (note for note in made(ask(series, lower_bound=full)).notes if "lower bound" in note)
    assert note.startswith("In 4.9 % of the steps every slot was taken or requests waited")
    assert "max and headroom may be too small" in note


def test_a_ceiling_that_was_given_is_kept_and_what_it_costs_is_said() -> None:
    found = made(ask(demand(4), most=12))
    assert found.fleet.scale.max_replicas == 12
    assert found.proposed.outcome.most_replicas == 12
    assert found.proposed.outcome.over_ratio > 0.01
    ceiling = next(number for number in found.numbers if number.name == "max")
    assert (
        ceiling.why
        == "as given; 12 were the most in use at once: it was reached, and what came above it was over"
    )


def test_a_floor_that_was_given_is_kept() -> None:
    found = made(ask(demand(4), fleet(least=30)))
    assert found.fleet.scale.min_replicas == 30
    assert found.proposed.replicas[0].min() >= 30
    assert next(number for number in found.numbers if number.name == "min").why == "as given"


def test_requests_per_second_are_written_for_whoever_reads_the_file() -> None:
    rates = replace(demand(4), unit="requests/s")
    found = made(ask(rates, per_replica=40.0, target_ratio=0.5))
    assert found.fleet.capacity.requests_per_s == 40.0
    tiny = replace(rates, values=rates.values * 1e-6)
    assert made(ask(tiny, per_replica=4e-5)).fleet.capacity.requests_per_s is None  # no file says so little


@pytest.mark.parametrize("value", [0.0, 1e-12, np.nan])
def test_nothing_to_judge_is_refused(value: float) -> None:
    series = demand(4)
    series.values[OF_DAY:] = value
    with pytest.raises(InputError, match="not known in the 3 days to judge"):
        made(ask(series))


def test_judging_begins_where_a_gap_ends() -> None:
    series = demand(4)
    series.values[OF_DAY - 10 : OF_DAY + 24] = np.nan
    assert made(ask(series)).judged.start_s == MONDAY_S + DAY_S + 24 * 300.0


def test_a_gap_of_days_fails_nothing_and_is_told() -> None:
    series = demand(6)
    series.values[3 * OF_DAY : 5 * OF_DAY] = np.nan
    found = made(ask(series))
    assert found.proposed.outcome.over_ratio < 0.01
    assert "33.3 % of it missing" in next(number for number in found.numbers if number.name == "max").data


def test_a_fixed_fleet_of_today_is_as_large_as_it_is() -> None:
    today = Today("fixed at 12", 0.0, POLICY["fixed"], 12.0, least=12, most=12)
    found = made(ask(demand(4), today=today))
    assert found.today is not None
    assert found.today.outcome.gpu_hours == pytest.approx(12 * 72.0)
    assert found.today.replicas[0].min() == found.today.replicas[0].max() == 12


def test_an_hpa_of_today_holds_its_target() -> None:
    low, high = (
        made(ask(demand(4), today=Today("hpa", 0.0, POLICY["hpa"], 1.0 / target - 1.0))).today
        for target in (0.5, 0.9)
    )
    assert low is not None
    assert high is not None
    assert low.outcome.gpu_hours > 1.5 * high.outcome.gpu_hours
    assert low.outcome.over_ratio < high.outcome.over_ratio


def test_today_is_full_at_its_slots_unless_something_says_less() -> None:
    today = Today("fixed at 12", 0.0, POLICY["fixed"], 12.0, least=12, most=12)
    guessed = made(ask(demand(4), today=today)).today
    given = made(ask(demand(4), today=today, target_ratio=0.6)).today
    assert guessed is not None
    assert given is not None
    assert guessed.outcome.over_ratio < given.outcome.over_ratio


def test_replicas_that_were_seen_are_set_against_demand_as_they_were() -> None:
    ready = Series(MONDAY_S, 300.0, np.full(4 * OF_DAY, 20.0))
    ready.values[-OF_DAY:] = np.nan
    found = made(ask(demand(4), today=Today("as it was seen", 0.0, ready=ready)))
    assert found.today is not None
    assert found.today.outcome.gpu_hours == pytest.approx(20 * 48.0)
    told = {number.name: number.today for number in found.numbers if number.today}
    assert told == {"min": "20 seen", "max": "20 seen", "drain N": "0s"}
    short = Series(MONDAY_S, 300.0, np.full(2 * OF_DAY, 20.0))
    fewer = made(ask(demand(4), today=Today("as it was seen", 0.0, ready=short)))
    assert fewer.today is not None
    assert fewer.today.outcome.gpu_hours == pytest.approx(20 * 24.0)


def test_every_number_has_a_reason_and_data() -> None:
    busy = occupancy(np.full(7 * 1_440, 30.0), np.zeros(7 * 1_440))
    found = made(ask(demand(7), fleet(surge=Surge(0.35, 300.0)), occupancy=busy, most=40))
    assert [number.name for number in found.numbers] == [
        "min",
        "max",
        "target",
        "headroom",
        "floor",
        "drain N",
        "grace",
        "startup probe",
        "forecast quality",
        "replica size",
    ]
    for number in found.numbers:
        assert number.why
        assert number.data
        assert number.text
        assert not number.why.endswith(".")
        assert "nan" not in number.why + number.text + number.data
