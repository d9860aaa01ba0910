"""What one tick leaves to the next: frozen values, small, and the same after a trip through JSON.

A memory is never needed to go on: a cold one (`COLD`) only means that nothing is removed until it has seen a whole
window again. So a lost store costs a few replica-minutes, never a replica that was needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from headrace.verdict import Verdict


class Held(NamedTuple):
    """What one running request holds in the mean; None: not known."""

    tokens: float | None = None
    """Tokens of one engine's KV cache; known only where the size of the cache is."""
    kv_share: float | None = None
    """The same as a share of one engine's cache, 0 to 1."""

    def or_more(self, other: Held) -> Held:
        """The greater of both, figure by figure."""
        return Held(_greater(self.tokens, other.tokens), _greater(self.kv_share, other.kv_share))


def _greater(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


class DemandMemory(NamedTuple):
    """What is remembered of demand; None: not known yet. A tick with too few answers changes nothing."""

    at_s: float | None = None
    """When demand was last seen."""
    slots: float | None = None
    """Demand at that time."""
    complete_at_s: float | None = None
    """When last every ready replica answered."""
    queue_since_s: float | None = None
    """Since when requests have been waiting without a break; None: no queue."""
    at_least_replicas: int = 0
    """What the queue called for at that time."""
    held: Held = Held()
    """What a running request holds of the KV cache, learned."""


NOTHING_KNOWN = DemandMemory()
"""Nothing has been seen of demand yet."""


class PastWant(NamedTuple):
    """How many replicas were wanted at one time."""

    at_s: float
    want: float
    """Whole, kept as a float as in `decide.scale`."""


@dataclass(frozen=True, slots=True)
class Memory:
    """All that `decide.step` knows besides its snapshot.

    Bounded: `levels` by the rule's samples, `wants` by the replicas (they fall strictly), the verdict's names by
    the replicas that there are.
    """

    at_s: float | None = None
    """The last tick; None: there has been none."""
    since_s: float | None = None
    """Since when it remembers without a break."""
    levels: tuple[float, ...] = ()
    """Levels (`decide.scale.level`) of the last `samples` + 1 known ticks since the last gap, oldest first."""
    level_weight: float = 0.0
    """Curve weight that the levels were taken with; those of another weight can't be averaged with them."""
    wants: tuple[PastWant, ...] = ()
    """Wants of the down window that can still become its greatest: each later one is smaller."""
    free_s: float | None = None
    """From when a removal is allowed (`decide.scale.waited_s`); None: the discipline has not begun."""
    low_timer: bool = False
    """Discipline that `free_s` belongs to; under the other one it means something else."""
    demand: DemandMemory = NOTHING_KNOWN
    verdict: Verdict | None = None
    """What was decided at `at_s`; it stands until something else is, so that a lost one is said again."""


COLD = Memory()
"""The memory before the first tick."""
