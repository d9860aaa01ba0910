"""What is decided: levels, never increments, each with its reasons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """The desired state after one tick. Saying it twice changes nothing."""

    replicas: int
    """Replicas that should be starting or ready (those that drain are not among them)."""
    drain: tuple[str, ...] = ()
    """Names that should be draining now; one that drains and is not named is to be taken back."""
    remove: tuple[str, ...] = ()
    """Names that may go now: drained, or still starting and no longer wanted."""
    hold: bool = False
    """True: something needed was missing, so nothing goes down."""
    want: int = 0
    """What demand alone asks for, before limits on speed (for the journal and for allotment)."""
    reasons: tuple[str, ...] = ()
    """Why, in whole sentences, most important first."""
    alarms: tuple[str, ...] = ()
    """What a person should look at: an overdue start, a ceiling reached, demand that is only a lower bound."""
