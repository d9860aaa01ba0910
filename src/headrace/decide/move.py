"""From a want to what moves: up at once, drains undone before anything starts; down late, starting ones first."""

from __future__ import annotations

import math
from typing import NamedTuple

from headrace.decide import scale
from headrace.memory import PastWant
from headrace.spec import Rule


class Counts(NamedTuple):
    """Replicas at this tick."""

    ready: int
    starting: int
    """Late ones too."""
    late: int
    """Starting ones on which nothing counts any more."""
    draining: int
    """Those that can be taken back."""


class Move(NamedTuple):
    """How many replicas move, and from when a removal is allowed again."""

    free_s: float
    ordered: int = 0
    undone: int = 0
    cancelled: int = 0
    """Starting ones given up."""
    drained: int = 0
    """Ready ones that begin to drain."""


def window(wants: tuple[PastWant, ...], now: PastWant, window_s: float) -> tuple[PastWant, ...]:
    """The wants of the last `window_s`, this one included, of which any can still become the greatest.

    The first is the greatest. An earlier one that is no greater than a later one leaves the window before it.
    """
    begin_s = now.at_s - window_s
    return (*(past for past in wants if past.at_s > begin_s and past.want > now.want), now)


def filled(rule: Rule, counts: Counts, want: float, free_s: float) -> Move:
    """The way up: drains are taken back first, then the rest is ordered. Nothing, where there is enough.

    A tick that does not decide fills up to what was decided before (a word was lost, or a replica).
    """
    short = max(0.0, want - counts.ready - counts.starting)
    back = scale.undone(short, counts.draining, rule.undo)
    return Move(free_s, ordered=int(short - back), undone=int(back))


def move(rule: Rule, counts: Counts, want: float, greatest: float, at_s: float, free_s: float) -> Move:
    """What moves at a tick that decides.

    Args:
        rule: Its removal discipline is read.
        counts: What is there.
        want: Whole replicas.
        greatest: The greatest want of the down window, this tick's included.
        at_s: Now.
        free_s: From when a removal is allowed, as the tick before left it.
    """
    timer = rule.low_timer
    have = counts.ready + counts.starting
    if want > have:
        return filled(rule, counts, want, scale.rested_s(timer, free_s))
    surplus = counts.ready - want if timer else have - greatest
    if not surplus > 0.0:
        return Move(scale.rested_s(timer, free_s))
    free_s = scale.waited_s(timer, free_s, at_s, rule.down_window_s)
    if at_s < free_s:
        return Move(free_s)
    less = min(surplus, max(1.0, rule.down_step))
    # late ones go before ready ones under either discipline; the seed's has no notion of them
    cancelled = max(scale.cancelled(timer, less, counts.starting), min(less, counts.late))
    return Move(
        at_s + rule.down_interval_s,
        cancelled=math.floor(cancelled),
        drained=math.floor(less - cancelled),
    )
