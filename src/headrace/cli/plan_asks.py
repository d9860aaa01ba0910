"""From what was typed to what is planned for: one `Ask` a model, with what was assumed said in notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from headrace.cli import fleet as files
from headrace.cli.pasts import calendar, pasts
from headrace.cli.plan_wanted import PlanWanted
from headrace.decide import rules, startup
from headrace.decide.capacity import replica_slots
from headrace.decide.grace import LIMITS, Limits
from headrace.errors import InputError
from headrace.past import Past
from headrace.plan.ask import NO_LIMIT, Ask, Prompts, Today
from headrace.series import Series, between
from headrace.simulate import policies, ticks
from headrace.spec import P90_OF_MEDIAN, Capacity, ModelFleet, Phase, Scale, Slo, Start
from headrace.units import duration_text

PREFILL_TOKENS_PER_S, FIRST_TOKEN_S = 8_000.0, 10.0
MOST_TICKS = 20_000_000
_POLICIES = {policy.name: policy for policy in policies.POLICIES}


def asks(asked: PlanWanted) -> tuple[Ask, ...]:
    """Everything that is planned for.

    Raises:
        HeadraceError: A file can't be used, Prometheus does not answer, or options don't fit what is there.
    """
    fleets = files.all_fleets(asked.fleet) if asked.fleet else ()
    tick_s = asked.tick_s or Scale().tick_s
    found = pasts(asked.past, tick_s, seed=asked.seed, slots=_slots(asked, fleets), hidden=asked.quiet)
    lengths, notes = (None, ()) if asked.prompts is None else _prompts(asked)
    made = [_ask(asked, past, _fleet_of(past, fleets, asked, len(found)), lengths) for past in found]
    names = _apart([ask.fleet.name for ask in made])
    return tuple(
        ask._replace(fleet=replace(ask.fleet, name=name), notes=(*ask.notes, *notes))
        for ask, name in zip(made, names, strict=True)
    )


def _slots(asked: PlanWanted, fleets: tuple[ModelFleet, ...]) -> int | None:
    """What a replica runs at once, all its engines together; None: several fleets say it, each for itself."""
    if len(fleets) != 1:
        return asked.slots
    known = fleets[0].capacity
    return replica_slots(asked.slots or known.slots, known.data_parallel)


def _apart(names: Sequence[str]) -> list[str]:
    """Names of fleets, each once, as a file wants them: what comes again is numbered."""
    apart: list[str] = []
    for name in names:
        number, tried = 1, name
        while tried in apart:
            number += 1
            tried = f"{name[: 62 - len(str(number))]}-{number}"
        apart.append(tried)
    return apart


def _ask(asked: PlanWanted, past: Past, filed: ModelFleet | None, lengths: Prompts | None) -> Ask:
    known, assumed = _known(asked, past, filed)
    past, dips = _without_dips(asked, past)
    demand, drawn = _at_ticks(asked, past, known.scale.tick_s)
    return Ask(
        past=past,
        demand=demand,
        fleet=known,
        most=asked.most or (filed.scale.max_replicas if filed else None),
        per_replica=asked.per_replica,
        target_ratio=asked.target,
        today=_today(asked, past, filed, demand),
        prompts=lengths,
        tokens_per_request=asked.tokens_per_request,
        limits=_limits(asked),
        calendar=calendar(past, asked.past.time_zone),
        notes=(*past.notes, *dips, *drawn, *assumed),
        early=_early(asked, past.demand, known.scale.tick_s),
    )


def _fleet_of(
    past: Past, fleets: tuple[ModelFleet, ...], asked: PlanWanted, models: int
) -> ModelFleet | None:
    """The fleet of a model: of several the one of its name, or the only one."""
    if not fleets:
        return None
    for fleet in fleets:
        if fleet.name in (past.name, past.name.rpartition("/")[2]):
            return fleet
    if len(fleets) == 1 and models == 1:
        return fleets[0]
    names = ", ".join(fleet.name for fleet in fleets)
    raise InputError(f"--fleet {asked.fleet}", f'holds no fleet "{past.name}"; it holds {names}')


def _known(asked: PlanWanted, past: Past, filed: ModelFleet | None) -> tuple[ModelFleet, tuple[str, ...]]:
    """What is known of the model's replicas, options before the file, and what had to be assumed."""
    notes = []
    if filed is None:
        accelerators = asked.accelerators or 1
        startup_s = asked.startup_s or 180.0
        if asked.startup_s is None:
            notes.append(
                "Start-up is taken to be 3 minutes (--startup, or --fleet with its phases, says it)."
            )
        filed = ModelFleet(
            name=_label(past.name),
            capacity=Capacity(slots=asked.slots or 1, accelerators=accelerators),
            scale=Scale(rule=rules.real_demand(startup_s)),
            start=_start(startup_s),
        )
    elif asked.startup_s is not None:
        filed = replace(filed, start=_start(asked.startup_s))
    capacity, scale = filed.capacity, filed.scale
    if asked.slots is not None:
        capacity = replace(capacity, slots=asked.slots)
    if asked.accelerators is not None:
        capacity = replace(capacity, accelerators=asked.accelerators)
    usual = rules.real_demand(startup.total(filed.start.phases).median_s)
    scale = replace(
        scale,
        min_replicas=asked.least or scale.min_replicas,
        surge=asked.surge or scale.surge,
        lag_s=scale.lag_s if asked.lag_s is None else asked.lag_s,
        tick_s=asked.tick_s or scale.tick_s,
        rule=scale.rule._replace(exponent=usual.exponent),
    )
    if asked.kv_tokens is not None:
        capacity = replace(capacity, kv_tokens=asked.kv_tokens)
    if asked.tokens_per_request is not None and capacity.kv_tokens is None:
        raise InputError(
            "--tokens-per-request", "says nothing without --kv-tokens, or spec.capacity.kvTokens in --fleet"
        )
    known = replace(filed, capacity=capacity, scale=scale, engine=asked.engine or filed.engine)
    if asked.over is not None:
        known = replace(known, slo=Slo(over_ratio=asked.over))
    return known, tuple(notes)


def _limits(asked: PlanWanted) -> Limits:
    limits = LIMITS
    if asked.drain_range is not None:
        limits = limits._replace(shortest_s=asked.drain_range[0], longest_s=asked.drain_range[1])
    return limits if asked.drain_cut is None else limits._replace(cut_ratio=asked.drain_cut)


def _start(startup_s: float) -> Start:
    return Start(phases=(Phase("start-up", startup_s, startup_s * P90_OF_MEDIAN),))


def _label(name: str) -> str:
    """A name as a fleet's file takes it: lower-case letters, digits and dashes."""
    plain = (
        "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower()).strip("-")[:63].strip("-")
    )
    return plain or "model"


def _without_dips(asked: PlanWanted, past: Past) -> tuple[Past, tuple[str, ...]]:
    """The past without values that say that nothing was collected: neither replayed nor forecast."""
    if asked.keep_dips:
        return past, ()
    demand, note = ticks.without_dips(past.demand)
    return (replace(past, demand=demand), (note,)) if note else (past, ())


def _at_ticks(asked: PlanWanted, past: Past, tick_s: float) -> tuple[Series, tuple[str, ...]]:
    series = past.demand
    if not len(series) or np.isnan(series.values).all():
        raise InputError(past.name, "no value of the demand is known")
    if len(series) < 2:
        raise InputError(
            past.name, "one value is no history; two are the least, and two weeks tell a week's shape"
        )
    count = series.span_s / tick_s
    if count > MOST_TICKS:
        raise InputError(
            "--tick",
            f"{duration_text(tick_s)} makes {count:,.0f} ticks of {past.name}; allowed are {MOST_TICKS:,}",
        )
    ticked, note = ticks.at_ticks(series, tick_s, asked.between, asked.seed)
    known, start_note = ticks.from_first_value(ticked)
    return known, tuple(said for said in (note, start_note) if said)


def _early(asked: PlanWanted, series: Series, tick_s: float) -> Series | None:
    """The demand at ticks, without a look at the days held out; None: it would be the same."""
    if asked.holdout_s is None or series.step_s <= tick_s:
        return None
    first = between(series, series.start_s, series.start_s + series.span_s - asked.holdout_s)
    if np.count_nonzero(~np.isnan(first.values)) < 2:
        return None
    ticked, _ = ticks.at_ticks(first, tick_s, asked.between, asked.seed)
    return ticks.from_first_value(ticked)[0]


def _today(asked: PlanWanted, past: Past, filed: ModelFleet | None, demand: Series) -> Today | None:
    """What runs today: as said, as a file has it, or as it was seen."""
    drain_s = asked.today_drain_s
    if asked.today is not None:
        policy = _POLICIES[asked.today.policy]
        number = asked.today.number
        fixed = policy.is_fixed
        return Today(
            asked.today.text,
            drain_s or 0.0,
            policy,
            number if fixed else 1.0 / number - 1.0,
            least=int(number) if fixed else asked.today_min or 1,
            most=int(number) if fixed else asked.today_max or NO_LIMIT,
        )
    if past.replicas is not None and not np.isnan(past.replicas.values).all():
        ready, _ = ticks.at_ticks(past.replicas, demand.step_s, "hold", 0)
        return Today("as it was seen", drain_s or 0.0, ready=ready)
    if filed is not None:
        scale = filed.scale
        return Today(
            f"{filed.name}, as it is",
            scale.drain_s if drain_s is None else drain_s,
            files.configured(filed),
            scale.rule.headroom,
            least=scale.min_replicas,
            most=scale.max_replicas,
            target_ratio=scale.target_ratio,
            headroom_is_x=True,
        )
    return None


def _prompts(asked: PlanWanted) -> tuple[Prompts, tuple[str, ...]]:
    from headrace.observe.prompt_files import read_prompts

    assert asked.prompts is not None
    tokens, notes = read_prompts(asked.prompts, column=asked.prompt_column)
    prompts = Prompts(
        tokens,
        asked.prefill_rate or PREFILL_TOKENS_PER_S,
        asked.first_token_s or FIRST_TOKEN_S,
        None if asked.chunk is None else float(asked.chunk),
    )
    return prompts, notes
