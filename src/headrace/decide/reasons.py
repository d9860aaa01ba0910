"""Why, in whole sentences for a person, with the numbers that led there. Nothing is decided here."""

from __future__ import annotations

import math
from collections.abc import Iterator

from headrace.decide.grounds import Grounds
from headrace.decide.startup import overdue_s


def reasons(of: Grounds) -> Iterator[str]:
    """Why the verdict is what it is, most important first."""
    yield _headline(of)
    if of.is_deciding:
        yield from _moves(of)
    else:
        yield f"the rule decides every {of.fleet.scale.rule.sync_s:g} s, so the last verdict stands"
    if of.memory.at_s is None and of.there.have:
        yield "nothing is remembered of before, so nothing goes down yet"
    if not of.demand.is_missing:
        if of.need.floor > of.need.ahead + of.need.headroom:
            yield f"the forecast's floor of {_slots(of.need.floor, of)} slots asks for more than what is seen"
        yield from of.demand.reasons


def _headline(of: Grounds) -> str:
    count = counted(of.replicas, "replica")
    if of.demand.is_missing:
        floor = (
            ""
            if math.isnan(of.need.floor)
            else f"; the forecast's floor is {_slots(of.need.floor, of)} slots"
        )
        return f"{count}, held: {of.demand.reasons[0]}{floor}"
    seen, expected = f"{of.demand.slots:.4g} slots offered now", f"{_slots(of.need.ahead, of)} expected"
    growth = f"{_slots(of.need.headroom, of)} for growth during {of.need.startup_s:.0f} s of start-up"
    return f"{count}: {seen}, {expected}, {growth}"


def _moves(of: Grounds) -> Iterator[str]:
    """What moves now, or why nothing goes down although less is wanted."""
    moved, have, want = of.move, of.there.have, of.want.replicas
    balance = f"{want:.0f} wanted, {have} starting or ready"
    if moved.undone:
        yield f"{counted(moved.undone, 'drain')} taken back before anything starts: {balance}"
    if moved.ordered:
        yield f"{counted(moved.ordered, 'replica')} to start: {balance}"
    if moved.cancelled:
        yield f"{counted(moved.cancelled, 'start')} given up: {balance}"
    if moved.drained:
        yield f"{counted(moved.drained, 'replica')} to drain: {balance}"
    if want < have and not (moved.cancelled or moved.drained):
        yield f"nothing goes down yet ({balance}): {_why_kept(of)}"


def _why_kept(of: Grounds) -> str:
    rule, at_s, free_s = of.fleet.scale.rule, of.snapshot.at_s, of.move.free_s
    if at_s < free_s < math.inf:
        return f"the next removal is allowed in {free_s - at_s:.0f} s"
    if rule.low_timer:
        return f"{len(of.there.ready)} are ready, and those alone are counted before one goes"
    return f"{of.greatest:.0f} were wanted within the last {rule.down_window_s:g} s"


def alarms(of: Grounds) -> Iterator[str]:
    """What a person should look at."""
    for replica in of.there.late:
        age_s = of.snapshot.at_s - replica.since_s
        why = f"can't be placed, {age_s:.0f} s after it was ordered"
        if replica.schedulable:
            patience_s = overdue_s(of.fleet.start.phases)
            why = f"was ordered {age_s:.0f} s ago, and a start may take {patience_s:.0f} s"
        yield f"{replica.name} {why}: it is not counted on, and nothing is started in its place"
    if of.want.asked > of.want.most:
        limit = f"max is {of.fleet.scale.max_replicas}"
        if of.want.most < of.fleet.scale.max_replicas:
            limit = f"{of.want.most} can be scheduled"
        yield f"{of.want.asked:.0f} replicas would be needed, and {limit}"
    if of.demand.is_lower_bound:
        yield "all slots are taken somewhere: demand may be higher than what is seen"
    if of.fleet.scale.surge is not None and of.snapshot.outlook is None:
        yield "there is no forecast yet, so the surge to survive is met by the rule's own headroom alone"


def counted(count: int, what: str) -> str:
    """The count with its noun: "1 replica", "2 replicas"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _slots(replicas: float, of: Grounds) -> str:
    return f"{replicas * of.need.slots_each:.4g}"
