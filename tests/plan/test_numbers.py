"""Numbers as people read them: short figures, one and many, what runs today."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import ask, demand, fleet, occupancy, runner

from headrace.decide.grace import Limits
from headrace.durations import durations
from headrace.plan.ask import Ask, Today
from headrace.plan.numbers import percent_text
from headrace.plan.proposal import Number
from headrace.plan.propose import proposal
from headrace.simulate.policies import POLICIES
from headrace.spec import Surge

HPA = next(policy for policy in POLICIES if policy.name == "hpa")


def numbers(one: Ask) -> dict[str, Number]:
    return {number.name: number for number in proposal(one, runner()).numbers}


def test_shares_have_three_digits() -> None:
    assert percent_text(0.001 / 3.0) == "0.0333 %"
    assert percent_text(1.0) == "100 %"
    assert percent_text(26.04) == "2,604 %"
    assert percent_text(1e-7 / 3.0) == "0.00000333 %"
    assert percent_text(0.0) == "0 %"


def test_one_is_not_many() -> None:
    # a history of two days: one that is judged; a demand of one replica; one request that has ended
    one = ask(demand(2, mean=5.0), durations=durations(np.array([4.0])))
    found = numbers(one)
    assert "the last 1 day was run again" in found["headroom"].why
    assert found["max"].why.startswith("1 was the most in use at once")
    assert found["drain N"].data == "1 finished request"
    assert found["replica size"].text == "1 accelerator"


def test_no_figure_has_more_digits_than_can_be_read() -> None:
    rng = np.random.default_rng(1)
    one = ask(
        demand(8),
        fleet(startup_s=421.37, over_ratio=1 / 300),
        durations=durations(rng.exponential(37.77, 5_000)),
        occupancy=occupancy(rng.uniform(0, 64, 10_000), np.zeros(10_000)),
    )
    for number in numbers(one).values():
        for text in (number.text, number.why, number.data):
            assert not re.search(r"\d{5}|\.\d{5}", text), text


def test_what_runs_today_stands_beside_what_it_is_compared_with() -> None:
    found = numbers(ask(demand(3), today=Today("hpa at 60%", 45.0, HPA, 2.0 / 3.0, least=2, most=30)))
    told = {name: number.today for name, number in found.items() if number.today}
    assert told == {"min": "2", "max": "30", "target": "hpa at 60%", "drain N": "45s"}
    assert numbers(ask(demand(3), today=Today("hpa", 0.0, HPA, 0.5)))["max"].today == "none"


def test_a_fleet_s_file_says_x_and_target_of_today() -> None:
    filed = Today("chat", 300.0, HPA, 0.6, 1, 30, 0.75, headroom_is_x=True)
    found = numbers(ask(demand(3), today=filed))
    assert (found["target"].today, found["headroom"].today) == ("75 %", "x 0.6")


def test_replicas_that_were_seen_stand_beside_the_limits_and_nothing_where_none_were() -> None:
    history = demand(3)
    ready = replace(history, values=np.full(len(history), np.nan))
    assert numbers(ask(history, today=Today("seen", 0.0, ready=ready)))["max"].today == ""
    ready.values[-300:-100], ready.values[-100:] = 4.0, 7.0
    found = numbers(ask(history, today=Today("seen", 0.0, ready=ready)))
    assert (found["min"].today, found["max"].today) == ("4 seen", "7 seen")


@pytest.mark.parametrize(
    ("surge", "words"),
    [
        (Surge(0.01, 3_600.0), "; with it a surge of 1 % in 1h is survived at every hour as well"),
        (
            Surge(2.0, 60.0),
            "the smallest x with which a surge of 200 % in 1m is survived at every hour of the last 3",
        ),
    ],
)
def test_headroom_says_what_asked_for_it(surge: Surge, words: str) -> None:
    assert words in numbers(ask(demand(4), fleet(surge=surge, over_ratio=0.0)))["headroom"].why


def test_a_headroom_that_fails_is_not_said_to_keep() -> None:
    series = demand(3)
    series.values[500] = series.values[505] = 60_000.0  # no headroom outruns this
    why = numbers(ask(series, fleet(over_ratio=0.0001)))["headroom"].why
    assert why.startswith("No headroom up to")
    assert "smallest" not in why


def test_the_range_of_n_is_the_user_s_everywhere() -> None:
    one = ask(
        demand(3),
        limits=Limits(cut_ratio=0.5, shortest_s=10.0, longest_s=45.0),
        today=Today("hpa", 300.0, HPA, 0.5),
    )
    found = numbers(one)["drain N"]
    assert (found.value, found.why) == (
        45.0,
        "N 45 s, the longest allowed: nothing says how long requests take",
    )
    assert found.data == "no durations (--durations, or Prometheus)"
    one = one._replace(past=replace(one.past, durations=durations(np.full(1_000, 200.0))))
    made = numbers(one)
    assert made["drain N"].value == 45.0
    assert "N 45 s, the longest allowed: to cut at most 50 % takes 120 s" in made["drain N"].why
    assert made["drain N"].why.endswith(", though outside the 10s to 45s allowed")
    assert made["grace"].value == 95.0
    wide = numbers(one._replace(limits=Limits(cut_ratio=0.5, shortest_s=10.0)))
    assert wide["drain N"].value == 120.0
    assert "though outside" not in wide["drain N"].why


def test_today_s_drain_is_checked_against_today_s_requests() -> None:
    taken = durations(np.full(1_000, 200.0))
    why = numbers(ask(demand(3), durations=taken, today=Today("hpa", 30.0, HPA, 0.5)))["drain N"].why
    assert "today's N: " in why
