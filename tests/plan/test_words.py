"""Sentences on what a plan comes to."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import DAY_S, ask, demand, run_of, runner

from headrace.durations import durations
from headrace.plan import words
from headrace.plan.ask import Today
from headrace.plan.holdout import Promise, proof
from headrace.plan.pooled import pooled
from headrace.plan.proposal import Proposal
from headrace.plan.propose import proposal


@pytest.fixture(scope="module")
def made() -> Proposal:
    return proposal(ask(demand(3)), runner())


def test_a_sentence_has_a_capital_and_an_end() -> None:
    assert words.sentence("two words") == "Two words."
    assert words.sentence("Done!") == "Done!"
    assert words.sentence("") == ""


def test_without_today_only_the_bound_is_compared(made: Proposal) -> None:
    (only,) = words.differences(made)
    assert only.startswith("Somebody who knew the future would pay ")
    less = 1.0 - made.bound.outcome.gpu_hours / made.proposed.outcome.gpu_hours
    assert f" {100 * less:.0f} % less" in only


def test_nobody_pays_less_than_the_bound(made: Proposal) -> None:
    alike = replace(made, bound=made.proposed)
    assert words.differences(alike) == (
        "Not even somebody who knew the future would pay less and never be over.",
    )


@pytest.mark.parametrize(
    ("today", "verdict"),
    [(125.0, "20 % fewer GPU-hours"), (80.0, "25 % more GPU-hours"), (100.1, "as many GPU-hours")],
)
def test_from_today_to_the_plan(made: Proposal, today: float, verdict: str) -> None:
    before = run_of(gpu_hours=today, minutes_over=1_500.0, over_ratio=0.02, cut_streams=1_234.0)
    after = run_of(minutes_over=3.25, over_ratio=0.0001)
    told = words.differences(replace(made, today=before, proposed=after, bound=after))
    assert told[0].startswith(f"From today to the plan: {verdict}; minutes over 1,500.0 to 3.2; ")
    assert "share of requests over 2.0000 % to 0.0100 %" in told[0]
    assert "cut streams 1,234 to 0" in told[0]
    assert told[1].startswith("No samples say where backlog begins")


def test_only_replicas_that_are_full_at_another_share_are_said_to_serve_less(made: Proposal) -> None:
    before = replace(made, today=run_of(), base=made.base)
    for share, told in ((1.0, True), (made.base.goal.ratio, False)):
        runs = Today("chat, as it is", 0.0, target_ratio=share)
        alike = replace(before, ask=made.ask._replace(today=runs))
        assert any(text.startswith("No samples say") for text in words.differences(alike)) is told


def test_a_proof_says_what_it_knew_of_the_days_held_out() -> None:
    taken = durations(np.full(1_000, 20.0))
    for known, told in ((None, False), (taken, True)):
        proven = proof(ask(demand(3), durations=known), DAY_S, 100.0, runner(), lambda share: None)
        assert any("Durations carry no time" in text for text in words.holdout_notes(proven)) is told


def test_a_model_s_name_is_not_written_with_a_capital(made: Proposal) -> None:
    told = words.pool_notes(pooled((made,), 1))
    assert any(text.startswith("chat lacks ") and text.endswith(".") for text in told)


def test_cut_streams_that_are_not_known_are_left_out(made: Proposal) -> None:
    before = run_of(cut_streams=math.nan)
    assert "cut" not in words.differences(replace(made, today=before))[0]


def test_the_verdict_is_one_sentence_or_two(made: Proposal) -> None:
    told = words.verdict(made, None)
    scale = made.fleet.scale
    assert told.startswith(f"Run 1 to {scale.max_replicas} replicas with headroom {scale.rule.headroom:.2f} ")
    assert "over the 2 days that were run again" in told
    assert told.count(". ") == 0
    proven = proof(ask(demand(3)), DAY_S, 100.0, runner(), lambda share: None)
    assert words.verdict(proven.planned, proven).endswith(" On the 1 day held out it kept every promise.")
    missed = proven._replace(promises=(Promise("x", 1.0, 2.0, 1.0, "", ""),))
    assert words.verdict(proven.planned, missed).endswith("it missed a promise.")


def test_promises_are_told_in_their_unit() -> None:
    promise = Promise("requests over (share)", 0.001, 0.0, 0.001, "", "")
    assert words.promise_text(promise, 0.001) == "0.1000 %"
    assert words.promise_text(promise._replace(what="GPU-hours"), 12_345.6) == "12,346"
    assert words.promise_text(promise._replace(what="GPU-hours"), 12.34) == "12.3"


def test_a_length_in_a_cell() -> None:
    assert words.length_text(0.0) == "–"
    assert words.length_text(719.6) == "12m"
