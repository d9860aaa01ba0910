"""Half the size: what the same rule pays in steps half as large, and in which words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import OF_DAY, ask, demand, fleet, runner

from headrace.decide.cut import Share
from headrace.plan import outcome
from headrace.plan.ask import Ask
from headrace.plan.basis import basis
from headrace.plan.held import rule_with
from headrace.plan.outcome import Streams
from headrace.plan.propose import judged_days
from headrace.plan.size import Half, half
from headrace.simulate.inputs import past_curve
from headrace.spec import Capacity


def tried(one: Ask, headroom: float = 0.0) -> Half:
    setting = basis(one).setting
    _, traffic = judged_days(one, past_curve(one.demand.values, setting), setting)
    rule = rule_with(one.fleet, headroom, setting)
    streams = Streams(64.0, Share(0.0, 0.0))
    proposed = outcome.run("proposed", runner(), rule, setting, traffic, streams)
    return half(one, rule, proposed, setting, traffic, runner())


def test_half_of_a_replica_that_is_half_used_saves_half() -> None:
    calm = replace(demand(3), values=np.full(3 * OF_DAY, 0.4 * 64.0))
    found = tried(ask(calm, target_ratio=1.0))
    assert found.saved_ratio == pytest.approx(0.5)
    assert found.accelerators == 0.5
    assert "would save 50.0 % of GPU-hours" in found.why


def test_a_replica_that_is_full_can_save_nothing() -> None:
    calm = replace(demand(3), values=np.full(3 * OF_DAY, 3 * 64.0))
    found = tried(ask(calm, target_ratio=1.0))
    assert found.saved_ratio == pytest.approx(0.0)
    assert found.why.startswith("half the size would save nothing worth it")


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        (1, "half an accelerator (a smaller one, or a slice)"),
        (2, "if 1 accelerator holds the model and serves half as much"),
        (3, "were it possible to serve the model on 1.5 accelerators"),
        (8, "if 4 accelerators hold the model and serve half as much"),
    ],
)
def test_the_condition_is_said(cards: int, words: str) -> None:
    calm = replace(demand(3), values=np.full(3 * OF_DAY, 0.4 * 64.0))
    known = replace(fleet(), capacity=Capacity(slots=64, accelerators=cards))
    found = tried(ask(calm, known, target_ratio=1.0))
    assert words in found.why
    assert found.accelerators == cards / 2
