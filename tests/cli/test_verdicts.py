"""The sentences below a table say what the rows say."""

from __future__ import annotations

from headrace.cli import figures, verdicts
from headrace.simulate.score import Score
from headrace.simulate.sweep import Cell


def score(policy: str, hours: float, minutes: float = 0.0, *, bound: bool = False) -> Score:
    return Score(policy, minutes, minutes * 10, hours, 1.0, 0.0, hours / 100, is_bound=bound)


def test_the_cheapest_against_the_next_and_the_fixed_one() -> None:
    scores = [
        score("fixed", 250.0),
        score("hpa", 140.0),
        score("default", 126.0),
        score("bound: all", 110.0, bound=True),
    ]
    assert verdicts.at_equal_service(scores, 0.0001)[0] == (
        "At most 0.01% of requests over: default is cheapest, 126 GPU-hours, 10.0 % less than hpa and 49.6 % less "
        "than fixed; knowing the future would cost 110 (never over)."
    )


def test_who_can_not_keep_the_target_is_named_and_not_ranked() -> None:
    scores = [score("fixed", 250.0), figures.unreached("hpa"), figures.unreached("reactive")]
    assert verdicts.at_equal_service(scores, 0.0) == [
        "No request over: fixed is cheapest, 250 GPU-hours.",
        "No request over: no headroom is enough for hpa and reactive.",
    ]


def test_the_known_curve_is_held_against_those_that_do_as_well() -> None:
    rows = [
        score("reactive, warm 3 min", 90.0, 11.0),
        score("predictive + warm, 75% target", 110.0),
        score("known curve, warm 3 min", 99.0),
    ]
    assert verdicts.of_seed_day(rows)[0] == (
        "With 3 minutes of start-up, the known-curve rule has nobody over capacity for 99.0 GPU-hours, 10.0 % less "
        "than the cheapest of the seed's rules that does as well (predictive + warm, 75% target)."
    )
    assert verdicts.of_seed_day(rows[::2])[0] == (
        "With 3 minutes of start-up, the known-curve rule has nobody over capacity for 99.0 GPU-hours; none of the "
        "seed's rules with that start-up does as well."
    )


def test_a_sweep_holds_the_default_against_an_hpa() -> None:
    def cell(
        policy: str, startup_s: float, hours: float | None, over: float = 0.0001, replicas: float = 60.0
    ) -> Cell:
        return Cell(policy, replicas, startup_s, over, None if hours is None else score(policy, hours))

    cells = [
        cell("hpa", 180.0, 1.0, replicas=8.0),
        cell("hpa", 180.0, 1.0, over=0.001),
        cell("hpa", 180.0, 1.0, over=0.0),
        *(
            cell("hpa", startup_s, hours)
            for startup_s, hours in ((20.0, 100.0), (180.0, 200.0), (720.0, None))
        ),
        *(
            cell("default", startup_s, hours)
            for startup_s, hours in ((20.0, 103.0), (180.0, 150.0), (720.0, 300.0))
        ),
    ]
    assert verdicts.of_sweep(cells)[0] == (
        "With 60 replicas and at most 0.01% of requests over, default costs, against hpa, 3.0 % more at 20s of "
        "start-up and 25.0 % less at 3m of start-up; hpa fails at any headroom where start-up takes 12m, and default "
        "does not."
    )
    assert verdicts.of_sweep(cells[:4]) == []


def test_a_figure_is_never_zero_for_what_is_not() -> None:
    assert [figures.count_text(value, 1) for value in (0.0, 0.04, 0.06, 12.34, 12_345.6, float("nan"))] == [
        "0.0",
        "<0.1",
        "0.1",
        "12.3",
        "12,346",
        "–",
    ]
    assert [figures.share_text(value) for value in (0.0, 1e-9, 0.00012, 0.05, float("nan"))] == [
        "0%",
        "<0.0001%",
        "0.0120%",
        "5.00%",
        "–",
    ]


def test_a_headroom_number_is_said_in_its_policy_s_words() -> None:
    def words(policy: str, number: float) -> str:
        return figures.headroom_text(score(policy, 1.0)._replace(headroom=number))

    assert words("fixed", 47.0) == "47 replicas"
    assert words("hpa", 0.25) == "target 80%"
    assert words("known-curve", 0.35) == "surge +35%"
    assert words("default", 0.5) == "x 0.50"
    assert words("bound: knows the future", float("nan")) == "–"


def test_dearer_is_not_a_negative_saving() -> None:
    assert verdicts.less(score("a", 110.0), score("b", 100.0)) == "10.0 % more"
    assert verdicts.less(score("a", 90.0), score("b", 100.0)) == "10.0 % less"
