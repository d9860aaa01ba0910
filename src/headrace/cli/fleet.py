"""What a comparison takes from a ModelFleet file."""

from __future__ import annotations

from pathlib import Path

from headrace.decide import capacity, rules, startup
from headrace.decide.headroom import start_delay_s
from headrace.errors import InputError
from headrace.simulate.inputs import Setting
from headrace.simulate.policies import Policy
from headrace.spec import ModelFleet, Rule


def named_fleet(place: str) -> ModelFleet:
    """The fleet of a file, or of several the one that is named behind a ``#``.

    Raises:
        InputError: The file is wrong, or it can't be said which fleet is meant.
    """
    from headrace.config import load_fleets  # pydantic: only where there is a fleet to read

    path, mark, name = place, "", ""
    if not Path(place).exists():
        path, mark, name = place.rpartition("#")
        path = path if mark else place
    fleets = load_fleets(path)
    names = ", ".join(fleet.name for fleet in fleets)
    if not mark:
        if len(fleets) > 1:
            raise InputError(
                f"--fleet {place}",
                f"holds {len(fleets)} fleets ({names}); name one, as {place}#{fleets[0].name}",
            )
        return fleets[0]
    for fleet in fleets:
        if fleet.name == name:
            return fleet
    raise InputError(f"--fleet {path}", f'holds no fleet "{name}"; it holds {names}')


def all_fleets(place: str) -> tuple[ModelFleet, ...]:
    """Every fleet of a file, or behind a ``#`` the one of that name.

    Raises:
        InputError: The file is wrong, or does not hold that fleet.
    """
    from headrace.config import load_fleets

    return load_fleets(place) if Path(place).exists() or "#" not in place else (named_fleet(place),)


def demand_per_replica(fleet: ModelFleet, unit: str) -> float:
    """Demand that one replica serves, in the unit of the history.

    Raises:
        InputError: The file does not say it in this unit.
    """
    if unit == "slots":
        return capacity.replica_capacity(fleet.capacity, fleet.scale.target_ratio)
    if unit != "requests/s":
        raise InputError(
            "--fleet",
            "the history does not say what it counts (a column named rps or slots would), so that the capacity of "
            f'"{fleet.name}" can\'t be set against it; give --per-replica or --replicas',
        )
    if fleet.capacity.requests_per_s is None:
        raise InputError(
            "--fleet",
            f'the history counts requests/s, and "{fleet.name}" has no spec.capacity.requestsPerSecond; '
            "add it, or give --per-replica or --replicas",
        )
    return fleet.capacity.requests_per_s * fleet.scale.target_ratio


def requests(fleet: ModelFleet, service_s: float) -> tuple[float, float]:
    """Slots of a replica, and seconds of a request in service (`service_s` where the file does not say)."""
    known = capacity.service_s(fleet.capacity)
    return capacity.replica_capacity(fleet.capacity, 1.0), service_s if known is None else known


def startup_s(fleet: ModelFleet) -> float:
    """Median of the whole start-up."""
    return startup.total(fleet.start.phases).median_s


def configured(fleet: ModelFleet) -> Policy:
    """The fleet as its file has it: headroom, named surge and removal as they stand, nothing searched for."""

    def rule(_headroom: float, setting: Setting) -> Rule:
        scale = fleet.scale
        if scale.surge is None:
            return scale.rule
        delay_s = start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s)
        return rules.surviving(scale.rule, scale.surge, delay_s)

    headroom = fleet.scale.rule.headroom
    return Policy(f"{fleet.name}, as it is", rule, headroom, headroom, "x")
