"""What a plan is made from: the past of one model, what is known of its replicas, and what runs today."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.grace import LIMITS, Limits
from headrace.past import Past
from headrace.plan.windows import Calendar, utc
from headrace.series import Series, between
from headrace.simulate.fluid import Floats
from headrace.simulate.policies import Policy
from headrace.spec import ModelFleet

NO_LIMIT = 1_000_000
"""Most replicas, where nothing says it."""


class Today(NamedTuple):
    """What runs today."""

    name: str
    """For people: ``hpa at 70%``."""
    drain_s: float
    """How long a removed replica's streams have to end; 0: SIGTERM cuts them."""
    policy: Policy | None = None
    """None: `ready` tells how many there were."""
    headroom: float = 0.0
    """The policy's one number."""
    least: int = 1
    most: int = NO_LIMIT
    target_ratio: float = 1.0
    """Share of its slots by which demand is counted."""
    headroom_is_x: bool = False
    """True: the one number is x of the rule, as a fleet's file has it."""
    ready: Series | None = None
    """Replicas that were ready, at the ticks of the demand; NaN: not known."""


class Prompts(NamedTuple):
    """What a single long prompt could do to others."""

    tokens: Floats
    """Lengths of prompts, samples or request-weighted quantiles, shape [n]."""
    prefill_tokens_per_s: float
    first_token_s: float
    """Time to first token within the SLO."""
    chunk_tokens: float | None = None
    """Chunked prefill; None: not chunked."""


class Ask(NamedTuple):
    """One model to plan for."""

    past: Past
    demand: Series
    """At ticks, from the first known value on."""
    fleet: ModelFleet
    """What is known and what was asked for: capacity, slo, start, class of surge, limits."""
    most: int | None = None
    """Ceiling that was given; None: it is proposed."""
    per_replica: float | None = None
    """Demand that one replica serves, where it was given; None: from capacity and target."""
    target_ratio: float | None = None
    """Target that was given; None: it is proposed."""
    today: Today | None = None
    prompts: Prompts | None = None
    tokens_per_request: float | None = None
    """Tokens of the KV cache that a running request holds in the mean, where they were given."""
    limits: Limits = LIMITS
    """What a drain may cut, and between which N to choose."""
    calendar: Calendar = utc
    """Whose days and weeks the demand follows."""
    notes: tuple[str, ...] = ()
    """What was assumed on the way here."""
    early: Series | None = None
    """Demand at ticks as made from what came before the days held out: what is drawn between two rows is as rough as
    the history was until then. None: `demand` is as good, since nothing is drawn or held out."""


def until(ask: Ask, end_s: float) -> Ask:
    """The same, knowing only what came before a moment (durations have no times, and stay whole)."""
    past = ask.past
    demand = between(past.demand, past.demand.start_s, end_s)
    lower = None if past.lower_bound is None else past.lower_bound[: len(demand)]
    occupancy = past.occupancy
    if occupancy is not None:
        early: NDArray[np.bool_] = occupancy.at_s < end_s
        occupancy = type(occupancy)(
            occupancy.at_s[early],
            occupancy.running[early],
            occupancy.waiting[early],
            occupancy.replicas[early],
            occupancy.step_s,
            None if occupancy.kv_usage_ratio is None else occupancy.kv_usage_ratio[early],
        )
    replicas = past.replicas and between(past.replicas, past.replicas.start_s, end_s)
    known = Past(past.name, demand, lower, past.durations, occupancy, replicas, past.zone, past.notes)
    ticked = between(ask.early or ask.demand, ask.demand.start_s, end_s)
    today = ask.today
    if today is not None and today.ready is not None:
        today = today._replace(ready=between(today.ready, today.ready.start_s, end_s))
    return ask._replace(past=known, demand=ticked, today=today, early=None)
