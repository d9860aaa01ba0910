"""What one replica serves, in the unit of a demand history."""

from __future__ import annotations

from typing import NamedTuple

from headrace.decide import capacity
from headrace.durations import Buckets, Durations
from headrace.errors import InputError
from headrace.plan.ask import Ask
from headrace.plan.kv import KvCache
from headrace.units import number_text


class Serves(NamedTuple):
    """One replica, against a history."""

    demand: float
    """In the unit of the history, at the target."""
    slots: float
    """The same in slots."""
    why: str


def mean_s(durations: Durations | Buckets | None) -> float | None:
    """Mean time of a request in service; None: not known."""
    if durations is None or not durations.count > 0 or durations.total_s is None:
        return None
    return durations.total_s / durations.count


def serves(ask: Ask, target_ratio: float, kv: KvCache) -> Serves:
    """What one replica serves at a target.

    Requests per second become slots by Little's law where nobody has measured what a replica serves: slots are rate
    times time in service.

    Args:
        ask: The model.
        target_ratio: Share of the slots that may be used.
        kv: What the KV cache leaves of the slots.

    Raises:
        InputError: Nothing says it in this unit.
    """
    known = ask.fleet.capacity
    slots = capacity.replica_capacity(kv.capacity, target_ratio, kv.per_request)
    unit = ask.past.demand.unit
    if ask.per_replica is not None:
        demand = ask.per_replica * target_ratio
        return Serves(demand, slots, f"{_short(demand)} {unit or 'units of demand'}, as given")
    if unit == "slots":
        return Serves(slots, slots, f"{_short(slots)} slots")
    if unit != "requests/s":
        raise InputError(
            ask.past.name,
            "nothing says what the history counts (a column named rps or slots would); give --per-replica",
        )
    if known.requests_per_s is not None:
        rate = known.requests_per_s * target_ratio
        return Serves(rate, slots, f"{_short(rate)} requests/s, as measured")
    return _by_time_in_service(ask, slots)


def _by_time_in_service(ask: Ask, slots: float) -> Serves:
    """Slots over the mean time in service: Little's law."""
    service_s = mean_s(ask.past.durations)
    if service_s == 0.0:
        raise InputError(
            ask.past.name,
            "counts requests/s, and all durations are 0 s, which says nothing of how many a replica serves; give "
            "--per-replica",
        )
    if service_s is None:
        raise InputError(
            ask.past.name,
            "counts requests/s, and nothing says how many of them a replica serves; give --per-replica, "
            "spec.capacity.requestsPerSecond in --fleet, or --durations",
        )
    rate = slots / service_s
    return Serves(
        rate,
        slots,
        f"{_short(slots)} slots over {_short(service_s)} s in service: {_short(rate)} requests/s",
    )


def _short(value: float) -> str:
    """Four digits, and all of those before the point."""
    return number_text(round(value) if value >= 1_000 else float(f"{value:.4g}"))
