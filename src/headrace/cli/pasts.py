"""The past of models, read from where the options say: files, access logs, Prometheus, or the built-in history."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from headrace.cli import past_prometheus
from headrace.cli.past_wanted import EXAMPLE, Named, PastWanted
from headrace.cli.progress import bar
from headrace.errors import InputError
from headrace.past import Past
from headrace.units import shown

if TYPE_CHECKING:
    from headrace.plan.windows import Calendar

EXAMPLE_DAYS = 21
EXAMPLE_REQUESTS = 200_000
_SUFFIX = re.compile(r"(\.(csv|tsv|json|jsonl|ndjson|parquet|pq|txt|log|gz|zst))+$", re.IGNORECASE)


def pasts(
    asked: PastWanted, step_s: float, *, seed: int, slots: int | None, hidden: bool
) -> tuple[Past, ...]:
    """Each model's past, by name.

    Args:
        asked: Where it is.
        step_s: Finest step that is of use, seconds.
        seed: Of the built-in history.
        slots: What one replica runs at once, where it is known: tells when a fleet was full.
        hidden: True: no progress is shown.

    Raises:
        HeadraceError: A source can't be used, or does not answer.
    """
    if asked.example is not None:
        return (_example(seed),)
    if asked.url is not None:
        return past_prometheus.pasts(asked, slots, hidden)
    return _from_files(asked, step_s, hidden)


def _example(seed: int) -> Past:
    from headrace.durations import durations
    from headrace.simulate import llm_requests, llm_week

    note = (
        f"Generated: {EXAMPLE_DAYS} days of LLM traffic and {EXAMPLE_REQUESTS:,} durations, seed {seed} "
        "(--seed draws others)."
    )
    return Past(
        EXAMPLE,
        llm_week.demand(seed, EXAMPLE_DAYS),
        durations=durations(llm_requests.durations_s(EXAMPLE_REQUESTS, seed)),
        notes=(note,),
    )


def _from_files(asked: PastWanted, step_s: float, hidden: bool) -> tuple[Past, ...]:
    found, logs = _by_name("FILE", asked.files), _by_name("--access-log", asked.access_logs)
    for name in logs:
        if name in found:
            raise InputError("--access-log", f"{name} has a demand history already; give one of the two")
    names = [*found, *logs]
    durations = _matched("--durations", asked.durations, names)
    occupancies = _matched("--occupancy", asked.occupancies, names)
    return tuple(
        _one(
            asked,
            name,
            found.get(name),
            logs.get(name),
            durations.get(name),
            occupancies.get(name),
            step_s,
            hidden,
        )
        for name in names
    )


def _one(
    asked: PastWanted,
    name: str,
    demand: Named | None,
    log: Named | None,
    durations: Named | None,
    occupancy: Named | None,
    step_s: float,
    hidden: bool,
) -> Past:
    with bar(f"Reading {name}", hidden=hidden) as tell:
        if demand is not None:
            from headrace.observe.past_files import read_past

            return read_past(
                demand.path,
                durations=durations.path if durations else None,
                occupancy=occupancy.path if occupancy else None,
                time=asked.time_column,
                value=asked.value_column,
                duration=asked.duration_column,
                unit=asked.duration_unit,
                running=asked.running_column,
                waiting=asked.waiting_column,
                replicas=asked.replicas_column,
                kv_usage=asked.kv_column,
                step_s=step_s,
                name=name,
                progress=tell,
            )
        assert log is not None
        return _with_occupancy(_from_log(asked, name, log, step_s, tell), occupancy, asked, tell)


def _from_log(asked: PastWanted, name: str, log: Named, step_s: float, tell: Callable[[float], None]) -> Past:
    from headrace.observe.access_log import read_access_log

    return read_access_log(
        log.path,
        time=asked.time_column,
        duration=asked.duration_column,
        start=asked.start_column,
        end=asked.end_column,
        unit=asked.duration_unit,
        step_s=step_s,
        name=name,
        progress=tell,
    )


def _with_occupancy(past: Past, file: Named | None, asked: PastWanted, tell: Callable[[float], None]) -> Past:
    from dataclasses import replace

    if file is None:
        return past
    from headrace.observe.occupancy_files import read_occupancy
    from headrace.observe.past_files import ready_replicas

    occupancy, notes = read_occupancy(
        file.path,
        running=asked.running_column,
        waiting=asked.waiting_column,
        replicas=asked.replicas_column,
        kv_usage=asked.kv_column,
        progress=tell,
    )
    replicas = ready_replicas(past.demand, occupancy)
    return replace(past, occupancy=occupancy, replicas=replicas, notes=(*past.notes, *notes))


def _by_name(option: str, files: Sequence[Named]) -> dict[str, Named]:
    found = {name_of(each): each for each in files}
    if len(found) < len(files):
        raise InputError(option, "two histories would have one name; give each a name of its own: NAME=FILE")
    return found


def name_of(file: Named) -> str:
    """The model's name: as given, or the file's without its ending."""
    if file.name:
        return file.name
    stem = _SUFFIX.sub("", PurePosixPath(file.path.replace("\\", "/")).name)
    return stem.strip("*?[]-._") or "model"


def _matched(option: str, files: Sequence[Named], names: Sequence[str]) -> dict[str, Named]:
    """Each file with the model that it belongs to; without a name it belongs to the only one."""
    matched: dict[str, Named] = {}
    for file in files:
        name = file.name or (names[0] if len(names) == 1 else "")
        if name not in names:
            what = f"no model is named {shown(name)}" if name else "which model it belongs to is not said"
            raise InputError(option, f"{what}; write NAME={file.path}, with NAME one of {', '.join(names)}")
        if name in matched:
            raise InputError(option, f"{name} has two files; a pattern reads several as one")
        matched[name] = file
    return matched


def calendar(past: Past, zone: str | None) -> Calendar:
    """Whose days and weeks a past follows.

    Args:
        past: Its zone holds unless another is said.
        zone: ``--time-zone``.

    Raises:
        InputError: There is no such zone.
    """
    from headrace.observe.calendar import slots_of_week
    from headrace.plan.windows import utc

    named, source = (zone, "--time-zone") if zone else (past.zone, past.name)
    if not named:
        return utc
    slots_of_week(np.zeros(1), named, 1, source)
    return lambda at_s, windows_per_day: slots_of_week(at_s, named, windows_per_day, source)
