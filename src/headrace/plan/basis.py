"""What the replays of a plan need, found from everything but demand over time: target, drain, floors, the world."""

from __future__ import annotations

import math

import numpy as np

from headrace.decide import startup
from headrace.decide.cut import Share, cut_share
from headrace.decide.drain import drain
from headrace.decide.floor import Fleet, Floor, floor
from headrace.decide.hold import held_s
from headrace.decide.prefill import Prefill, PrefillFloor, prefill_floor
from headrace.decide.queues import Week
from headrace.decide.target import Target, target
from headrace.errors import InputError
from headrace.plan.ask import Ask
from headrace.plan.kv import KvCache, kv_cache
from headrace.plan.outcome import Streams
from headrace.plan.proposal import Basis
from headrace.plan.replica import Serves, mean_s, serves
from headrace.plan.windows import MINUTES_A_DAY
from headrace.simulate.inputs import Setting

TOLERATED_S = 60.0
"""A queue shorter than this is no reason for a floor: a caller waits as long for a long answer's first words."""
MOST_REPLICAS = 10_000
"""As a fleet's file allows."""
BUSY = 0.999
"""The busiest moments, by demand, are those that a floor for long prompts must hold in."""
SERVICE_S = 20.0
"""Mean time of a request in service, where nothing says it."""


def basis(ask: Ask) -> Basis:
    """What is known before anything is replayed.

    Raises:
        InputError: Nothing says what a replica serves, or demand is far too much for it.
    """
    known, durations = ask.fleet, ask.past.durations
    startup_s = startup.total(known.start.phases).median_s
    kv = kv_cache(ask)
    goal = _target(ask, kv)
    each = serves(ask, goal.ratio, kv)
    _require_size(ask, each)
    ending = drain(durations, ask.limits)
    low, prefills = _floor(ask, each, goal, startup_s), _prefills(ask)
    least = max(known.scale.min_replicas, low.replicas if low else 1, prefills.replicas if prefills else 1)
    most = ask.most or MOST_REPLICAS
    setting = Setting(
        startup_s=startup_s,
        lag_s=known.scale.lag_s,
        drain_s=paid_s(ask, ending.drain_s, each),
        tick_s=ask.demand.step_s,
        per_replica=each.demand,
        accelerators=known.capacity.accelerators,
        least=min(least, most),
        most=most,
    )
    return Basis(goal, each, ending, low, prefills, setting, kv)


def _require_size(ask: Ask, each: Serves) -> None:
    peak = float(np.nanmax(ask.demand.values)) / each.demand
    if peak > MOST_REPLICAS:
        raise InputError(
            ask.past.name,
            f"the peak of demand is {peak:,.0f} replicas, of which each serves {each.why}; allowed are "
            f"{MOST_REPLICAS:,} (--per-replica, --slots and --target say what a replica serves)",
        )


def paid_s(ask: Ask, drain_s: float, each: Serves) -> float:
    """How long a removed replica is paid for; the whole drain where nothing says how long requests take."""
    if ask.past.durations is None:
        return drain_s
    held = held_s(ask.past.durations, drain_s, each.slots).high
    return held if math.isfinite(held) else drain_s


def streams(ask: Ask, base: Basis) -> Streams:
    """What turns the removals of a plan into cut streams."""
    return Streams(base.each.slots, cut(ask, base.ending.drain_s))


def cut(ask: Ask, drain_s: float) -> Share:
    """What the durations leave room for; NaN: not known."""
    if ask.past.durations is None:
        return Share(math.nan, math.nan)
    return cut_share(ask.past.durations, drain_s)


def _target(ask: Ask, kv: KvCache) -> Target:
    """As given, as measured, as the file has it, or as is usual: in this order."""
    known, filed = ask.fleet.capacity, ask.fleet.scale.target_ratio
    found = target(ask.past.occupancy, kv.capacity, kv.per_request)
    if ask.target_ratio is not None:
        return found._replace(ratio=ask.target_ratio, why="as given")
    if found.is_measured:
        return found
    if filed < 1.0:
        return found._replace(ratio=filed, why="as the file has it: no samples to measure it by")
    if known.requests_per_s is not None or ask.per_replica is not None:
        why = "what a replica serves was given as measured within the service level: all of it may be used"
        return found._replace(ratio=1.0, why=why)
    return found


def _floor(ask: Ask, each: Serves, goal: Target, startup_s: float) -> Floor | None:
    """From queues that lasted; None: nothing says what waited."""
    seen = ask.past.occupancy
    if seen is None or not len(seen):
        return None
    week = Week(ask.calendar(seen.at_s, MINUTES_A_DAY), 7 * MINUTES_A_DAY)
    sought = Fleet(
        slots=each.slots / goal.ratio,
        tolerated_s=TOLERATED_S,
        startup_s=startup_s,
        accelerators=ask.fleet.capacity.accelerators,
        least=ask.fleet.scale.min_replicas,
        most=ask.most or math.inf,
    )
    return floor(seen, sought, week)


def _prefills(ask: Ask) -> PrefillFloor | None:
    """From prompts long enough to make others wait; None: nothing says how long they are."""
    told = ask.prompts
    if told is None:
        return None
    rate = float(np.nanquantile(ask.demand.values, BUSY))
    if ask.past.demand.unit == "slots":
        rate /= mean_s(ask.past.durations) or SERVICE_S
    prefill = Prefill(told.prefill_tokens_per_s, told.chunk_tokens)
    return prefill_floor(told.tokens, rate, prefill, told.first_token_s, ask.fleet.slo.over_ratio)
