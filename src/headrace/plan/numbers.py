"""The numbers of a plan as people read them: what, why, and from which data."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from headrace.decide.drain import drift
from headrace.decide.grace import Limits, grace_s
from headrace.decide.hold import GraceCost
from headrace.decide.startup import ProbeBudget, total
from headrace.plan.ask import NO_LIMIT, Ask
from headrace.plan.margins import caution, margin, usual_margin
from headrace.plan.outcome import Run
from headrace.plan.proposal import Basis, Number
from headrace.plan.quality import Quality
from headrace.plan.size import Half
from headrace.series import Series, known_ratio
from headrace.simulate.inputs import DAY_S, WEEK_S
from headrace.simulate.tune import BUDGET_RATIO, Tuned
from headrace.spec import ModelFleet, Surge
from headrace.units import duration_text, number_text, span_text


class Told(NamedTuple):
    """All that the numbers are worded from."""

    ask: Ask
    fleet: ModelFleet
    base: Basis
    found: Tuned
    for_surge: bool
    """True: the surge asked for more headroom than the target."""
    cost: GraceCost | None
    probe: ProbeBudget
    tried: Quality | None
    smaller: Half
    proposed: Run
    judged: Series


def numbers(told: Told) -> tuple[Number, ...]:
    """Every number, in the order in which a manifest asks for them."""
    return (
        _min(told),
        _max(told),
        _target(told),
        _headroom(told),
        _floor(told),
        _drain(told),
        _grace(told),
        _probe(told),
        _forecast(told),
        _size(told),
    )


def _span(told: Told) -> str:
    demand = told.ask.past.demand
    holes = 1.0 - known_ratio(demand)
    missing = f", {percent_text(holes)} of it missing" if holes >= 0.001 else ""
    return f"{span_text(demand.span_s)} of demand every {duration_text(demand.step_s)}{missing}"


def _min(told: Told) -> Number:
    scale = told.fleet.scale
    value, asked = scale.min_replicas, told.ask.fleet.scale.min_replicas
    if told.base.prefills is not None and told.base.prefills.replicas >= value > asked:
        why = told.base.prefills.why
    elif told.base.low is not None and told.base.low.replicas >= value > asked:
        why = told.base.low.why
    elif asked > 1 and value == asked:
        why = "as given"
    else:
        why = (
            "nothing asks for more: headroom is held above it at all hours, and a fleet at zero makes its first "
            "caller wait a whole start-up"
        )
    return Number("min", value, _replicas(value), why, _queue_data(told), _today(told, "min"))


def _max(told: Told) -> Number:
    value, most = told.fleet.scale.max_replicas, told.proposed.outcome.most_replicas
    if told.ask.most is not None:
        why = f"as given; {most:,.0f} {_were(most)} the most in use at once"
        if most >= value:
            why += ": it was reached, and what came above it was over"
    else:
        surge = told.ask.fleet.scale.surge
        share = margin(told.judged, surge)
        weeks = told.judged.span_s >= 2 * WEEK_S
        what = (
            "a week's peak rose by no more over the week before"
            if weeks
            else "there are no two weeks to compare"
        )
        if surge is not None and share > usual_margin(told.judged):
            what = f"{_surge_text(surge)} must fit"
        why = (
            f"{most:,.0f} {_were(most)} the most in use at once, and {percent_text(share)} more, since {what}"
        )
    return Number("max", value, _replicas(value), why, _span(told), _today(told, "max"))


def _target(told: Told) -> Number:
    seen = told.ask.past.occupancy
    seen_all = f"{_counted(len(seen), 'sample')} of occupancy" if seen is not None else ""
    why = f"{told.base.goal.why}; one replica serves {told.base.each.why}"
    if told.base.kv.why:
        why += f"; {told.base.kv.why}"
    value = told.fleet.scale.target_ratio
    data = seen_all or "no samples of occupancy"
    return Number("target", value, percent_text(value), why, data, _today(told, "target"))


def _headroom(told: Told) -> Number:
    found, slo = told.found, told.fleet.slo.over_ratio
    value, share = told.fleet.scale.rule.headroom, caution(told.ask.demand)
    surge, slo_text = told.ask.fleet.scale.surge, percent_text(slo)
    if found.fallback:
        why = found.fallback.removesuffix(".")
    elif told.for_surge and surge is not None:
        why = (
            f"the smallest x with which {_surge_text(surge)} is survived at every hour of the last "
            f"{span_text(found.days * DAY_S)}; it keeps the {slo_text} asked for as well"
        )
    else:
        why = (
            f"the smallest x that kept {percent_text(slo * BUDGET_RATIO * share)} of requests over, a "
            f"{'third' if share == 1.0 else 'sixth, since less than two weeks are known,'} of the "
            f"{slo_text} asked for, when the last {span_text(found.days * DAY_S)} {_were(found.days)} run again"
        )
        if surge is not None:
            why += f"; with it {_surge_text(surge)} is survived at every hour as well"
    if surge is not None and told.fleet.scale.surge is None:
        why += (
            "; headroom alone is cheaper here than a rule that is told of the surge, so the plan names none"
        )
    if math.isfinite(found.growth_ratio):
        scale = told.fleet.scale
        delay_s = scale.lag_s + total(told.fleet.start.phases).median_s + scale.tick_s
        why += (
            f"; within {duration_text(round(delay_s))} (metric, start-up and tick) demand rose by more than "
            f"{percent_text(found.growth_ratio)} once in 200 moments"
        )
    return Number("headroom", value, f"x {value:.2f}", why, _span(told), _today(told, "headroom"))


def _surge_text(surge: Surge) -> str:
    return f"a surge of {percent_text(surge.rise_ratio)} in {duration_text(surge.ramp_s)}"


def _floor(told: Told) -> Number:
    parts = [part for part in (told.base.low, told.base.prefills) if part is not None]
    value = max((part.replicas for part in parts), default=1)
    why = "; ".join(part.why for part in parts)
    if not parts:
        why = "not known: nothing says what waited (--occupancy, or Prometheus)"
    return Number("floor", value, _replicas(value) if parts else "–", why, _queue_data(told))


def _drain(told: Told) -> Number:
    value, ending = told.fleet.scale.drain_s, told.base.ending
    why = ending.why
    today, durations, limits = told.ask.today, told.ask.past.durations, told.ask.limits
    if today is not None and today.drain_s > 0.0 and durations is not None:
        why += f"; today's N: {drift(today.drain_s, durations, limits).why}{_outside(today.drain_s, limits)}"
    return Number("drain N", value, duration_text(value), why, _durations(told), _today(told, "drain"))


def _grace(told: Told) -> Number:
    value = grace_s(told.fleet.scale.drain_s)
    why = f"20 s for the routers, N, 30 s to end (terminationGracePeriodSeconds: {value:g})"
    if told.cost is not None:
        cost = told.cost
        occasions = (cost.rollout_step, cost.recreate, cost.node_drain)
        why += "; ".join(["", cost.why, *(occasion.why for occasion in occasions)])
    return Number("grace", value, duration_text(value), why, _durations(told))


def _outside(drain_s: float, limits: Limits) -> str:
    if limits.shortest_s <= drain_s <= limits.longest_s:
        return ""
    least, most = duration_text(limits.shortest_s), duration_text(limits.longest_s)
    return f", though outside the {least} to {most} allowed"


def _durations(told: Told) -> str:
    if told.ask.past.durations is None:
        return "no durations (--durations, or Prometheus)"
    finished = round(told.base.ending.requests)
    return _counted(finished, "finished request") if finished else "no finished request"


def _probe(told: Told) -> Number:
    probe, whole = told.probe, total(told.fleet.start.phases)
    why = (
        f"two to three times the start-up inside the container (periodSeconds {probe.period_s}, failureThreshold "
        f"{probe.failure_threshold}): shorter kills a replica that is well, longer finds one that hangs late"
    )
    usual, slow = (duration_text(round(length_s, 1)) for length_s in (whole.median_s, whole.p90_s))
    data = f"start-up {usual}, {slow} or more in one start of ten"
    return Number("startup probe", probe.budget_s, duration_text(probe.budget_s), why, data)


def _forecast(told: Told) -> Number:
    tried = told.tried
    if tried is None:
        return Number(
            "forecast quality",
            math.nan,
            "–",
            "the history is too short, or its step too long, to try a forecast on",
            _span(told),
        )
    best = tried.rivals[0]
    why = (
        f"loss of the {100 * tried.level:.0f} % quantile {duration_text(tried.ahead_s)} ahead, in shares of mean "
        f"demand; {best.name} would lose {percent_text(best.loss_ratio)}; {'; '.join(tried.notes)}"
    )
    data = f"{span_text(tried.days * DAY_S)} forecast, each from the days before"
    return Number("forecast quality", tried.loss_ratio, percent_text(tried.loss_ratio), why, data)


def _size(told: Told) -> Number:
    cards = told.fleet.capacity.accelerators
    text = "1 accelerator" if cards == 1 else f"{cards} accelerators"
    return Number("replica size", cards, text, told.smaller.why, _span(told))


def _queue_data(told: Told) -> str:
    seen = told.ask.past.occupancy
    if seen is None or not len(seen):
        return "no samples of what waits"
    length = span_text(float(seen.at_s[-1] - seen.at_s[0]) + seen.step_s)
    return f"{length} of what waits, {_counted(len(seen), 'sample')}"


def _today(told: Told, what: str) -> str:
    today = told.ask.today
    if today is None:
        return ""
    if today.ready is not None and what in ("min", "max", "target"):
        known = today.ready.values[~np.isnan(today.ready.values)]
        ends = {"min": np.min, "max": np.max}
        return f"{_replicas(float(ends[what](known)))} seen" if what in ends and known.size else ""
    if what == "min":
        return _replicas(today.least)
    if what == "max":
        return _replicas(today.most) if today.most < NO_LIMIT else "none"
    if what == "target":
        return percent_text(today.target_ratio) if today.policy is None or today.headroom_is_x else today.name
    if what == "headroom":
        return f"x {number_text(round(today.headroom, 2))}" if today.headroom_is_x else ""
    return duration_text(today.drain_s)


def percent_text(ratio: float) -> str:
    """A share with three digits, and all of those before the point: ``0.0333 %``, ``2,604 %``."""
    percent = 100.0 * ratio
    if abs(percent) >= 1_000.0:
        return f"{percent:,.0f} %"
    return f"{np.format_float_positional(float(f'{percent:.3g}'), trim='-')} %"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _were(count: float) -> str:
    return "was" if count == 1.0 else "were"


def _replicas(value: float) -> str:
    return f"{value:,.0f}"
