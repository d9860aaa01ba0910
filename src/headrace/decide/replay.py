"""Runs a journal through today's code, and says what would be decided differently.

The world goes the way that was recorded, whatever is decided: the first difference of a run is certain, and later
ones may follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from headrace.decide.step import step
from headrace.journal import Cut, Opening, Tick, memory_digest
from headrace.memory import Memory
from headrace.spec import ModelFleet
from headrace.verdict import Verdict

DECISIONS = ("replicas", "drain", "remove", "hold", "want")
"""Fields of a verdict by which something is done."""
TEXTS = ("reasons", "alarms")
"""Fields that only speak to people."""


class Difference(NamedTuple):
    """One field of one verdict."""

    fleet: str
    at_s: float
    field: str
    """Of `Verdict`; or "memory": from here on something else is remembered, though nothing else is decided yet."""
    was: object
    would_be: object


def replay(entries: Iterable[Opening | Tick | Cut], *, texts: bool = False) -> Iterator[Difference]:
    """What today's code would decide differently, tick by tick, from each opening's memory forward.

    Args:
        entries: As from `journal.read`: each fleet's ticks after its opening.
        texts: Whether another wording of reasons and alarms is a difference too.
    """
    fields = DECISIONS + TEXTS if texts else DECISIONS
    at: dict[str, tuple[ModelFleet, Memory]] = {}
    strayed: set[str] = set()
    for entry in entries:
        if isinstance(entry, Cut):
            continue
        if isinstance(entry, Opening):
            at[entry.fleet.name] = entry.fleet, entry.memory
            strayed.discard(entry.fleet.name)
            continue
        fleet, memory = at[entry.fleet]
        memory, verdict = step(fleet, memory, entry.snapshot)
        at[entry.fleet] = fleet, memory
        found = list(_differences(entry, verdict, fields))
        yield from found
        remembered = memory_digest(memory)
        if remembered != entry.memory and not found and entry.fleet not in strayed:
            yield Difference(entry.fleet, entry.snapshot.at_s, "memory", entry.memory, remembered)
        # said once: what is remembered wrongly stays wrong for a while
        (strayed.add if remembered != entry.memory else strayed.discard)(entry.fleet)


def _differences(tick: Tick, verdict: Verdict, fields: tuple[str, ...]) -> Iterator[Difference]:
    for field in fields:
        was, would_be = getattr(tick.verdict, field), getattr(verdict, field)
        if was != would_be:
            yield Difference(tick.fleet, tick.snapshot.at_s, field, was, would_be)
