"""A plan tried on days that it has not seen: what it promised, and what was kept."""

from __future__ import annotations

from typing import NamedTuple

from headrace.errors import InputError
from headrace.plan import expected, held, outcome, propose
from headrace.plan.ask import Ask, until
from headrace.plan.basis import streams
from headrace.plan.outcome import Run
from headrace.plan.proposal import Proposal
from headrace.series import Series, between, known_mean
from headrace.simulate.compare import smallest_headroom
from headrace.simulate.inputs import DAY_S, WEEK_S, after, inputs
from headrace.simulate.policies import Policy
from headrace.simulate.runner import Runner
from headrace.units import span_text

LEAST_PLANNED_S = 2 * DAY_S
"""A plan needs a day to learn a curve from and a day to find headroom on."""
LEAST_MINUTES = 1.0
"""A promise of no minute over is kept by one minute in all: demand is counted in ticks, and one request may do it."""


class Promise(NamedTuple):
    """One figure, promised and kept."""

    what: str
    promised: float
    kept: float
    limit: float
    """The most that still counts as kept."""
    tolerance: str
    """The rule that makes the limit, for people."""
    why: str
    """Where the promise comes from."""

    @property
    def held(self) -> bool:
        """Whether it was kept."""
        return self.kept <= self.limit


class Proof(NamedTuple):
    """A plan, and what it did on the days after it."""

    planned: Proposal
    """Made from what came before."""
    judged: Series
    """Demand of the days after."""
    kept: Run
    today: Run | None
    bound: Run
    promises: tuple[Promise, ...]

    @property
    def held(self) -> bool:
        """Whether every promise was kept."""
        return all(promise.held for promise in self.promises)


def proof(ask: Ask, held_out_s: float, tolerance: float, runner: Runner, tell: propose.Tell) -> Proof:
    """Plan on the first part, prove on the rest.

    Args:
        ask: The model with its whole past.
        held_out_s: Length of the rest, seconds.
        tolerance: By how much a promise may be exceeded, a share.
        runner: Runs it.
        tell: Called with the finished share, 0 to 1.

    Raises:
        InputError: Nothing is left to plan on, or nothing comes in what is held out.
    """
    demand = ask.demand
    rest = _rest(ask, held_out_s)
    planned = propose.proposal(until(ask, rest.start_s), runner, lambda share: tell(0.8 * share))
    scale = planned.fleet.scale
    setting = planned.base.setting._replace(least=scale.min_replicas, most=scale.max_replicas)
    whole = expected.traffic(demand.values, setting, start_s=demand.start_s, calendar=ask.calendar)
    traffic = after(whole, len(demand) - len(rest))
    rule = held.rule_with(planned.fleet, scale.rule.headroom, setting)
    ended = streams(ask, planned.base)
    kept = outcome.run("proposed", runner, rule, setting, traffic, ended)
    today = None
    if ask.today is not None:
        today = propose.todays(ask, ask.today, planned.base, traffic, rest, runner)
    tell(0.95)
    best = outcome.bound(setting, traffic)
    made = promises(planned, kept, tolerance, runner)
    tell(1.0)
    return Proof(planned, rest, kept, today, best, made)


def _rest(ask: Ask, held_out_s: float) -> Series:
    """Demand that is held out, where that leaves enough to plan on."""
    demand = ask.demand
    end_s = demand.start_s + demand.span_s
    planned_s = demand.span_s - held_out_s
    if planned_s < LEAST_PLANNED_S:
        raise InputError(
            "--holdout",
            f"{span_text(held_out_s)} of a history of {span_text(demand.span_s)} leave "
            f"{span_text(max(0.0, planned_s))} to plan on; 2 days are the least",
        )
    rest = between(demand, end_s - held_out_s, end_s)
    if not known_mean(rest) > 0.0:
        raise InputError(
            "--holdout", f"demand is zero or not known in the last {span_text(held_out_s)} of {ask.past.name}"
        )
    return rest


def promises(planned: Proposal, kept: Run, tolerance: float, runner: Runner) -> tuple[Promise, ...]:
    """What the plan promised for the days after it, and what came of it.

    The share over is the user's own target. Minutes are those of the replayed days at a headroom that just keeps that
    target: fewer were planned for (a third of the target), and as many are what was asked for. GPU-hours are those of
    the replayed days for each unit of demand, times the demand that came.
    """
    over = planned.ask.fleet.slo.over_ratio
    days = kept.outcome.days
    allowed = f"+{100 * tolerance:g} %"
    per_day = planned_minutes(planned, runner)
    minutes = per_day * days
    hours = planned.proposed.outcome.cost_ratio * kept.outcome.gpu_hours / kept.outcome.cost_ratio
    return (
        Promise(
            "requests over (share)",
            over,
            kept.outcome.over_ratio,
            over * (1.0 + tolerance),
            allowed,
            "the target asked for",
        ),
        Promise(
            "minutes over",
            minutes,
            kept.outcome.minutes_over,
            max(minutes * (1.0 + tolerance), LEAST_MINUTES),
            f"{allowed}, or {LEAST_MINUTES:g} minute",
            f"{per_day:.2f} a day, when the planned days just keep the target",
        ),
        Promise(
            "GPU-hours",
            hours,
            kept.outcome.gpu_hours,
            hours * (1.0 + tolerance),
            allowed,
            f"{planned.proposed.outcome.cost_ratio:.3f} times those of the demand that came",
        ),
    )


def planned_minutes(planned: Proposal, runner: Runner) -> float:
    """Minutes over a day on the replayed days, at the headroom that just keeps the target."""
    setting = planned.base.setting
    policy = Policy(
        "planned",
        lambda headroom, here: held.rule_with(planned.fleet, headroom, here),
        -0.2,
        8.0,
        "x",
    )
    week = min(len(planned.judged), round(WEEK_S / setting.tick_s))
    traffic = after(planned.traffic, len(planned.judged) - week)
    target = planned.ask.fleet.slo.over_ratio
    found = smallest_headroom(runner, policy, target, setting, traffic)
    rule = policy.rule(planned.fleet.scale.rule.headroom if found is None else found, setting)
    tally = runner.tally(rule, setting, inputs(rule, setting, traffic))
    return tally.over_ticks * setting.tick_s / 60.0 / (week * setting.tick_s / DAY_S)
