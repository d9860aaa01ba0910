"""Shares accelerators among models: one place decides who gets the last card.

The order in which replicas are granted, until nothing fits any more:

1. Floors, by priority; within a priority first what runs already, then what each still lacks.
2. Wishes above the floors, by priority; within a priority first what runs already and is still wanted (what
   one model has is not taken for another of its own priority), then what each still lacks.

Within each of these, one replica at a time goes to the model that lacks the greatest share of its goal, then
by name. So nobody loses its floor for another's wish, and a higher priority takes from a lower one only what
that one holds above its floor. Whoever gets what it was granted asks again and gets the same.

Replicas are indivisible. One that does not fit is passed over, and smaller ones behind it still get what is
left; no cards are kept idle for it. So a large replica may starve behind small ones of its own priority that
run and are still wanted. Two things prevent it: a floor, or a higher priority. Its reason says so.

More accelerators never give anyone fewer replicas where all replicas are of one size. Where they are not,
they may: with 7 a model of one-card replicas gets them, with 8 they go to the model that needs 8 and lacks
more.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

_HALVINGS = 50
"""Most bisections of a lack: enough to tell any two lacks of a million replicas apart."""


class Want(NamedTuple):
    """What one model asks for; counts of replicas, >= 0."""

    name: str
    floor: int
    """Replicas that it keeps whatever others wish."""
    want: int
    """Replicas that its own step wants (its floor, if that is higher)."""
    have: int
    """Replicas that run or start at present; draining ones are not among them."""
    accelerators: int = 1
    """Accelerators that one replica holds, >= 0."""
    priority: int = 0
    """Higher comes first."""


class Grant(NamedTuple):
    """What one model gets."""

    name: str
    replicas: int
    reason: str = ""
    """Why it gets less than it wants; empty if it does not."""


@dataclass(slots=True)
class _Claim:
    """One model's want while accelerators are handed out."""

    want: Want
    replicas: int = 0
    goal: int = 0
    """Replicas that the present stage may bring it to."""
    left: int = 0
    """Accelerators that were left when a replica first did not fit."""

    def lack(self, replicas: int) -> float:
        """Share of the goal that is missing at a count; an exact quotient rounds alike, so ties stay ties."""
        return (self.goal - replicas) / self.goal

    def count_above(self, lack: float) -> int:
        """The count at which the missing share is no longer above `lack`, not below the present one."""
        count = max(self.replicas, min(self.goal, int(self.goal * (1.0 - lack))))
        while count > self.replicas and self.lack(count - 1) <= lack:
            count -= 1
        while count < self.goal and self.lack(count) > lack:
            count += 1
        return count


def allot(wants: Sequence[Want], schedulable: int) -> tuple[Grant, ...]:
    """Replicas for each model, in the order of `wants`; their accelerators never exceed what is schedulable.

    Args:
        wants: One for each model; names are distinct.
        schedulable: Accelerators that can be used in all: in use by these models, free and obtainable.
    """
    claims = [_Claim(want) for want in wants]
    ranked = sorted(claims, key=lambda claim: (-claim.want.priority, claim.want.name))
    classes = [list(group) for _, group in groupby(ranked, key=lambda claim: claim.want.priority)]
    left = max(0, schedulable)
    for goals in ((_floor_had, _floor), (_wish_had, _wish)):
        for claims_of_class in classes:
            for goal in goals:
                left = _hand_out(claims_of_class, goal, left)
    return tuple(Grant(claim.want.name, claim.replicas, _reason(claim, schedulable)) for claim in claims)


def _floor_had(want: Want) -> int:
    return min(want.have, want.floor)


def _floor(want: Want) -> int:
    return want.floor


def _wish_had(want: Want) -> int:
    return max(want.floor, min(want.have, want.want))


def _wish(want: Want) -> int:
    return max(want.floor, want.want)


def _hand_out(claims: Iterable[_Claim], goal: Callable[[Want], int], left: int) -> int:
    """Bring the claims to their goals, the one that lacks most first; returns the accelerators left."""
    open_claims = []
    for claim in claims:
        claim.goal = goal(claim.want)
        if claim.replicas < claim.goal:
            claim.left = left
            if claim.want.accelerators <= left:
                open_claims.append(claim)
    if not open_claims:
        return left
    lack = _lowest_lack(open_claims, left)
    left -= _cost(open_claims, lack)
    for claim in open_claims:
        claim.replicas = claim.count_above(lack)
    return _hand_out_singly(open_claims, left)


def _cost(claims: Iterable[_Claim], lack: float) -> int:
    return sum((claim.count_above(lack) - claim.replicas) * claim.want.accelerators for claim in claims)


def _lowest_lack(claims: Sequence[_Claim], left: int) -> float:
    """A lack down to which everything fits at once: the lowest, but for about one replica of each claim.

    All replicas above it come before all others in the order of lack, so they can be granted together: a
    thousand replicas of each of 500 models cost ten looks at each model, not half a million steps.
    """
    if _cost(claims, 0.0) <= left:
        return 0.0
    fits, exceeds = 1.0, 0.0
    for _ in range(_HALVINGS):
        middle = (fits + exceeds) / 2.0
        if _cost(claims, middle) <= left:
            fits = middle
        else:
            exceeds = middle
        if all((fits - exceeds) * claim.goal < 1.0 for claim in claims):
            break
    return fits


def _hand_out_singly(claims: Iterable[_Claim], left: int) -> int:
    """One replica at a time, until nothing fits or all goals are reached."""
    queue = [(-c.lack(c.replicas), c.want.name, c) for c in claims if c.replicas < c.goal]
    heapq.heapify(queue)
    while queue:
        _, name, claim = queue[0]
        if claim.want.accelerators > left:
            claim.left = left
            heapq.heappop(queue)
            continue
        claim.replicas += 1
        left -= claim.want.accelerators
        if claim.replicas < claim.goal:
            heapq.heapreplace(queue, (-claim.lack(claim.replicas), name, claim))
        else:
            heapq.heappop(queue)
    return left


def _reason(claim: _Claim, schedulable: int) -> str:
    want, got = claim.want, claim.replicas
    wanted = max(want.floor, want.want)
    if got >= wanted:
        return ""
    goal = f"its floor of {want.floor}" if got < want.floor else f"the {wanted} that it wants"
    needs = f"one more replica needs {want.accelerators} of {schedulable} schedulable accelerators"
    sentence = f"{want.name} gets {got}, not {goal}: {needs}, {claim.left} were left"
    given_up = min(want.have, wanted) - got
    if given_up > 0:
        sentence += f"; {given_up} of the {want.have} that run must go"
    if claim.left > 0 and got >= want.floor and want.accelerators <= schedulable:
        sentence += "; a floor or a higher priority would keep them together for it"
    return sentence
