"""Whether smaller replicas would be cheaper: the same past, in steps of half a replica."""

from __future__ import annotations

from typing import NamedTuple

from headrace.decide.cut import Share
from headrace.decide.granularity import size_advice
from headrace.plan import outcome
from headrace.plan.ask import Ask
from headrace.plan.outcome import Run, Streams
from headrace.simulate.inputs import Setting, Traffic
from headrace.simulate.runner import Runner
from headrace.spec import Rule


class Half(NamedTuple):
    """Replicas of half the size, under the same rule."""

    saved_ratio: float
    """GPU-hours saved, as a share of those proposed; negative: they cost more."""
    over_ratio: float
    """Share of requests over, with replicas of half the size."""
    accelerators: float
    """Of one such replica."""
    why: str


def half(ask: Ask, rule: Rule, proposed: Run, setting: Setting, traffic: Traffic, runner: Runner) -> Half:
    """What replicas of half the size would save, were they to start as fast and to serve exactly half.

    Headroom and limits are the same in slots (but one replica is enough where one was); only the steps are smaller. So
    this is what rounding up to whole replicas costs, and what one replica more at a time does.

    Args:
        ask: The model.
        rule: What is proposed.
        proposed: What it comes to.
        setting: The world.
        traffic: The judged days.
        runner: Runs it.
    """
    cards = setting.accelerators / 2
    smaller = setting._replace(
        per_replica=setting.per_replica / 2.0,
        accelerators=1,
        least=2 * setting.least if setting.least > 1 else 1,
        most=min(1_000_000, 2 * setting.most),
    )
    tried = outcome.run("half", runner, rule, smaller, traffic, Streams(0.0, Share(0.0, 0.0))).outcome
    hours = tried.gpu_hours * cards
    saved = 1.0 - hours / proposed.outcome.gpu_hours if proposed.outcome.gpu_hours > 0 else 0.0
    need = traffic.demand / setting.per_replica
    least_share = size_advice(need, setting.accelerators).break_even_ratio
    return Half(saved, tried.over_ratio, cards, _why(ask, saved, cards, least_share))


def _why(ask: Ask, saved: float, cards: float, least_share: float) -> str:
    size = ask.fleet.capacity.accelerators
    if size == 1:
        condition = "were it possible to serve the model on half an accelerator (a smaller one, or a slice)"
    elif size % 2:
        condition = f"were it possible to serve the model on {cards:g} accelerators"
    elif size == 2:
        condition = "if 1 accelerator holds the model and serves half as much"
    else:
        condition = f"if {cards:g} accelerators hold the model and serve half as much"
    if saved < -0.005:
        return f"half the size would cost {-100 * saved:.1f} % more GPU-hours"
    if saved < 0.005:
        return (
            "half the size would save nothing worth it: rounding to whole replicas costs "
            f"{100 * max(0.0, saved):.1f} %"
        )
    return (
        f"half the size would save {100 * saved:.1f} % of GPU-hours, {condition}; worth it as long as such a replica "
        f"serves at least {100 * least_share:.0f} % of its half"
    )
