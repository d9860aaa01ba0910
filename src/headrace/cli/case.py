"""One comparison: a demand history in a world, with what was assumed said in notes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from headrace.cli import fleet
from headrace.cli.demand import Demand, demand
from headrace.cli.figures import listed
from headrace.cli.texts import DAY_S
from headrace.cli.wanted import AddedSurge, Removal, Wanted
from headrace.errors import InputError
from headrace.observe.calendar import offsets_s
from headrace.series import Series, between, known_mean
from headrace.simulate import texture, ticks
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import WEEK_S, Setting, Traffic, after, past_curve
from headrace.simulate.policies import POLICIES, Policy
from headrace.simulate.seed_day import DaySurge, with_surge
from headrace.simulate.sweep import DRAIN_S, SERVICE_S, SLOTS_PER_REPLICA
from headrace.spec import ModelFleet
from headrace.units import duration_text, span_text

REPLICAS = 20.0
"""Mean demand in replicas where nothing says what a replica serves: large enough for shares to mean something."""
STARTUP_S = 180.0
OVER_RATIO = 0.001
LEAST_MEAN = 1e-9
"""Of demand: far below a request a year, and far from where floats end."""
MOST_REPLICAS = 10_000
"""As a ModelFleet file allows; the bound takes time for each."""
CURVE_POLICIES = ("predictive", "known-curve")
"""Those that are nothing without a curve."""


class Case(NamedTuple):
    """A comparison, ready to run."""

    name: str
    unit: str
    """Of the demand; "" where the file does not say."""
    zone: str
    judged: Series
    """Demand as it comes, from the first tick that is judged on."""
    traffic: Traffic
    setting: Setting
    policies: tuple[Policy, ...]
    over_ratios: tuple[float, ...]
    notes: tuple[str, ...]


class Lesson(NamedTuple):
    """What is learned from before judging begins."""

    learned_s: float
    """0: nothing; policies begin without a curve."""
    note: str


def case(asked: Wanted) -> Case:
    """Read everything that the comparison needs.

    Raises:
        HeadraceError: A file can't be used, or an option does not fit what is in it.
    """
    chosen = fleet.named_fleet(asked.fleet) if asked.fleet else None
    history = demand(asked)
    lesson = learned(history.series, asked)
    judged = judged_series(history, lesson)
    setting, notes = _setting(asked, chosen, history, known_mean(judged))
    traffic, surge_notes = _traffic(asked, chosen, history, lesson, setting)
    _require_size(traffic, setting, _size_source(asked, history))
    policies, left_out = compared(asked, lesson)
    if chosen:
        policies = (*policies, fleet.configured(chosen))
    slo = chosen.slo.over_ratio if chosen else OVER_RATIO
    return Case(
        history.name,
        history.series.unit,
        history.zone,
        Series(judged.start_s, judged.step_s, traffic.demand, judged.unit),
        traffic,
        setting,
        policies,
        asked.over_ratios or (slo,),
        (*history.notes, lesson.note, *notes, *surge_notes, *left_out),
    )


def learned(series: Series, asked: Wanted) -> Lesson:
    """How much of the beginning is learned from, and what the curve is.

    Raises:
        InputError: ``--learn`` leaves nothing to judge.
    """
    span_s = series.span_s
    tick_s = series.step_s
    learned_s = ticks.learned_s(span_s) if asked.learn_s is None else asked.learn_s
    if round(learned_s / tick_s) >= len(series):
        raise InputError(
            "--learn", f"{span_text(learned_s)} of a history of {span_text(span_s)} leaves nothing to judge"
        )
    gap_s = ticks.gap_s(series, learned_s)
    learned_s += gap_s
    judged = f"Judged: {span_text(span_s - learned_s)}"
    if gap_s > 0.0:
        judged = f"Judging begins {span_text(gap_s)} late, where a gap ends. {judged}"
    if learned_s >= DAY_S:
        whole_week = learned_s >= WEEK_S
        curve = (
            "half last week's and half the mean day of that week"
            if whole_week
            else "the mean of the days before"
        )
        note = f"{judged}, after {span_text(learned_s)} that are only learned from; the curve is {curve}."
    elif span_s > DAY_S:
        note = f"{judged}; the curve is the mean of the days before, from the second day on."
    else:
        note = f"{judged}. A curve needs two days of history: policies see none."
    return Lesson(learned_s, note)


def compared(asked: Wanted, lesson: Lesson) -> tuple[tuple[Policy, ...], tuple[str, ...]]:
    """The policies that are asked for and make sense here, and a note on those that don't."""
    policies = [policy for policy in POLICIES if policy.name in asked.policies]
    notes = []
    if lesson.learned_s < DAY_S:
        absent = [policy.name for policy in policies if policy.name in CURVE_POLICIES]
        policies = [policy for policy in policies if policy.name not in absent]
        if not policies:
            raise InputError(
                "--policy", f"{listed(absent)} need a curve, and none is known when judging begins"
            )
        if absent:
            notes.append(f"Left out: {listed(absent)}, for want of a curve when judging begins.")
    if asked.removal is not None:
        policies = [_removing(policy, asked.removal) for policy in policies]
        notes.append("All policies remove replicas alike (--removal); each has its own way otherwise.")
    return tuple(policies), tuple(notes)


def _removing(policy: Policy, removal: Removal) -> Policy:
    return policy._replace(
        rule=lambda headroom, setting: policy.rule(headroom, setting)._replace(**removal._asdict())
    )


def judged_series(history: Demand, lesson: Lesson) -> Series:
    """What is judged.

    Raises:
        InputError: Nothing comes in it.
    """
    series = history.series
    judged = between(series, series.start_s + lesson.learned_s, series.start_s + series.span_s)
    mean = known_mean(judged)
    if not mean >= LEAST_MEAN:
        problem = (
            "no value is known"
            if math.isnan(mean)
            else f"demand has a mean of {mean:.3g}, below the smallest that is reckoned with, {LEAST_MEAN:g},"
            if mean > 0.0
            else "demand is zero throughout"
        )
        raise InputError(history.name, f"{problem} in the {span_text(judged.span_s)} that are judged")
    return judged


def _setting(
    asked: Wanted, chosen: ModelFleet | None, history: Demand, mean: float
) -> tuple[Setting, tuple[str, ...]]:
    """The world, and what had to be assumed of it."""
    unit = history.series.unit or "units of demand"
    if asked.per_replica is not None:
        per_replica, why = asked.per_replica, "--per-replica"
    elif asked.replicas is not None:
        per_replica, why = mean / asked.replicas, "--replicas"
    elif chosen is not None:
        per_replica, why = fleet.demand_per_replica(chosen, history.series.unit), f'fleet "{chosen.name}"'
    else:
        per_replica, why = mean / REPLICAS, "assumed; --per-replica, --replicas or --fleet says it"
    startup_s = fleet.startup_s(chosen) if chosen else STARTUP_S
    accelerators = asked.accelerators or (chosen.capacity.accelerators if chosen else 1)
    setting = Setting(
        startup_s=startup_s if asked.startup_s is None else asked.startup_s,
        lag_s=asked.lag_s,
        drain_s=(chosen.scale.drain_s if chosen else DRAIN_S) if asked.drain_s is None else asked.drain_s,
        tick_s=history.series.step_s,
        per_replica=per_replica,
        accelerators=accelerators,
    )
    limits = ""
    if chosen is not None:
        setting = setting._replace(least=chosen.scale.min_replicas, most=chosen.scale.max_replicas)
        limits = f", {setting.least} to {setting.most} replicas"
    cards = "1 accelerator" if accelerators == 1 else f"{accelerators} accelerators"
    return setting, (
        f"One replica serves {per_replica:,.4g} {unit}; mean demand is {mean / per_replica:,.4g} replicas ({why}).",
        (
            f"Start-up {duration_text(setting.startup_s)}, metric lag {duration_text(setting.lag_s)}, "
            f"drain {duration_text(setting.drain_s)}, tick {duration_text(setting.tick_s)}, {cards} a replica{limits}."
        ),
    )


def _traffic(
    asked: Wanted, chosen: ModelFleet | None, history: Demand, lesson: Lesson, setting: Setting
) -> tuple[Traffic, tuple[str, ...]]:
    """What comes and what was expected; a surge comes unannounced, so the curve does not know of it."""
    values = history.series.values
    notes = []
    if asked.noise:
        requests = _requests(chosen, history.series.unit, setting)
        noised = noisy(values / setting.per_replica, requests, setting.tick_s, asked.seed)
        values = noised * setting.per_replica
        notes.append(requests.note)
    learned_ticks = round(lesson.learned_s / setting.tick_s)
    traffic = after(past_curve(values, setting), learned_ticks)
    if asked.surges:
        surged = traffic.demand.copy()
        for surge in asked.surges:
            _add(surge, surged, history, lesson)
        traffic = traffic._replace(demand=surged)
        notes.append(f"Added, unannounced: {', '.join(surge.text for surge in asked.surges)}.")
    return traffic, tuple(notes)


class Requests(NamedTuple):
    """Single requests, as far as their chance matters."""

    slots: float = SLOTS_PER_REPLICA
    """Requests that a full replica serves at once."""
    service_s: float = SERVICE_S
    """Mean time of one in service."""

    @property
    def note(self) -> str:
        """What was assumed, for people."""
        return (
            f"Requests come and go by chance (--noise): {self.slots:,.4g} at once in a full replica, "
            f"{duration_text(round(self.service_s, 3))} each."
        )


def noisy(replicas: Floats, requests: Requests, tick_s: float, seed: int) -> Floats:
    """Demand in replicas with what single requests add to it."""
    return texture.with_occupancy_noise(replicas, requests.slots, requests.service_s, tick_s, seed)


def _requests(chosen: ModelFleet | None, unit: str, setting: Setting) -> Requests:
    """As the fleet's file says, or the unit; where neither does, a mid-sized chat model."""
    known = Requests() if chosen is None else Requests(*fleet.requests(chosen, Requests().service_s))
    return known._replace(slots=setting.per_replica) if unit == "slots" else known


def _add(surge: AddedSurge, demand: Floats, history: Demand, lesson: Lesson) -> None:
    """Write a surge into judged demand."""
    tick_s, start_s = history.series.step_s, history.series.start_s
    judged_s, end_s = start_s + lesson.learned_s, start_s + history.series.span_s
    if surge.daily:
        ahead_s = (
            float(offsets_s(np.array([judged_s]), history.zone, history.name)[0]) if history.zone else 0.0
        )
        midnight_s = (judged_s + ahead_s) // DAY_S * DAY_S - ahead_s
        first_s = midnight_s + surge.at_s
        moments = [at_s for at_s in np.arange(first_s, end_s, DAY_S).tolist() if at_s >= judged_s]
    else:
        moments = [start_s + surge.at_s]
    if not moments or not judged_s <= moments[0] < end_s:
        raise InputError(
            "--surge",
            f"{surge.text} does not begin in what is judged, which is {span_text(lesson.learned_s)} to "
            f"{span_text(history.series.span_s)} after the beginning of the history",
        )
    for at_s in moments:
        first = int((at_s - judged_s) / tick_s)
        after_last = first + int(surge.lasts_s / tick_s) + 2
        here = DaySurge(at_s - judged_s - first * tick_s, surge.rise_ratio, surge.ramp_s, surge.lasts_s)
        demand[first:after_last] = with_surge(demand[first:after_last], here, tick_s)


def _size_source(asked: Wanted, history: Demand) -> str:
    """What the size of a replica comes from, for a message."""
    if asked.per_replica is not None:
        return "--per-replica"
    if asked.replicas is not None:
        return "--replicas"
    return "--fleet" if asked.fleet else history.name


def _require_size(traffic: Traffic, setting: Setting, source: str) -> None:
    peak = float(np.nanmax(traffic.demand)) / setting.per_replica
    if peak > MOST_REPLICAS:
        raise InputError(
            source,
            f"the peak of demand, surges included, is {peak:,.0f} replicas of {setting.per_replica:.4g} each; "
            f"allowed are {MOST_REPLICAS:,}",
        )
