"""For how long a replica drains: N, the grace period that it needs, and whether a running N still fits the traffic.

N is paid for by nobody while a replica is idle or its requests are short, so it errs on the long side: where only the
buckets of a histogram are known, it is the N that is safe however the requests lie within them.
"""

from __future__ import annotations

import bisect
import math
from typing import Literal, NamedTuple

from headrace.decide.cut import UNKNOWN, Share, cut_share, longer_share
from headrace.decide.grace import LIMITS, Limits, grace_s
from headrace.durations import LONGEST_S, Buckets, Durations

FEW = 300
"""Fewer requests than this say little about one percent: three long ones would decide it."""
RAISE_RATIO = 2.0
"""A running N is raised when it cuts more than so many times what is allowed."""
LOWER_RATIO = 0.5
"""A running N is lowered when today's traffic needs no more than this share of it."""


class Drain(NamedTuple):
    """The N to run with."""

    drain_s: float
    """N: safe in the worst case, within the limits."""
    best_s: float
    """The N that would be safe in the best case, within the limits; the same where durations are exact."""
    needed_s: float
    """N before the limits are applied; infinite: more than an hour."""
    cut: Share
    """Of the streams running when a drain of N begins, the share that is cut."""
    longer: Share
    """Of all requests, those longer than N."""
    grace_s: float
    """terminationGracePeriodSeconds."""
    requests: float
    """How many this rests on."""
    why: str


class Drift(NamedTuple):
    """Whether a running N still fits."""

    action: Literal["keep", "raise", "lower"]
    drain_s: float
    """The N to run with from now on (the running one, if it is kept)."""
    cut: Share
    """What the running N cuts of today's traffic."""
    why: str


def drain(durations: Durations | Buckets | None, limits: Limits = LIMITS) -> Drain:
    """The smallest N (in whole steps) that cuts at most what is allowed, within the limits.

    Without any request the longest N: it costs nothing while streams are short, and cuts fewest if they are long.

    Args:
        durations: Of recent successful requests; buckets with how many there were, not how many a second.
        limits: What may be cut.
    """
    if durations is None or not durations.count > 0:
        unknown = "no finished request has been seen yet"
        if durations is None:
            unknown = "nothing says how long requests take"
        why = f"N {limits.longest_s:g} s, the longest allowed: {unknown}"
        return Drain(
            limits.longest_s,
            limits.shortest_s,
            math.inf,
            UNKNOWN,
            UNKNOWN,
            grace_s(limits.longest_s),
            0.0,
            why,
        )
    needed_s, needed_best_s = _needed_s(durations, limits, "high"), _needed_s(durations, limits, "low")
    drain_s, best_s = _within(needed_s, limits), _within(needed_best_s, limits)
    found = Drain(
        drain_s,
        best_s,
        needed_s,
        cut_share(durations, drain_s),
        longer_share(durations, drain_s),
        grace_s(drain_s),
        float(durations.count),
        "",
    )
    return found._replace(why=_why(found, limits))


def drift(running_s: float, today: Durations | Buckets, limits: Limits = LIMITS) -> Drift:
    """Whether an N chosen some time ago should be changed for today's traffic.

    N is part of the pod template, so each change restarts every replica: one that followed each day's traffic would
    pay a rollout a day for 30 s up and 30 s down. So it is raised only when it surely cuts more than twice what is
    allowed, and lowered only when half of it would do; between the two, nothing. After either the same traffic asks
    for nothing more.

    Args:
        running_s: The N that runs.
        today: Durations of recent requests: a day of them, since a day can push a model to the ceiling. Believe it at
            once where it raises N; where it lowers it, ask again with a week of them, or a quiet weekend is followed.
        limits: What may be cut.
    """
    cut = cut_share(today, running_s)
    chosen = drain(today, limits)
    seen = f"N {running_s:g} s cuts {percent(cut)} of running streams today"
    if today.count < FEW:
        why = f"kept: {today.count:.0f} requests are too few to judge N {running_s:g} s by"
        return Drift("keep", running_s, cut, why)
    if cut.low > RAISE_RATIO * limits.cut_ratio:
        if running_s >= limits.longest_s:
            why = f"kept: {seen}, and {limits.longest_s:g} s is the longest allowed"
            return Drift("keep", running_s, cut, why)
        why = (
            f"raise to {chosen.drain_s:g} s: {seen}, more than {RAISE_RATIO:g} times the {_percent(limits.cut_ratio)}"
            f" allowed; {chosen.drain_s:g} s would cut {percent(chosen.cut)}"
        )
        return Drift("raise", max(running_s, chosen.drain_s), cut, why)
    if chosen.drain_s <= LOWER_RATIO * running_s:
        why = f"lower to {chosen.drain_s:g} s: it would cut {percent(chosen.cut)} of running streams today"
        return Drift("lower", chosen.drain_s, cut, why)
    return Drift("keep", running_s, cut, f"kept: {seen}{_kept_because(cut, limits)}")


def percent(share: Share) -> str:
    """A share for people: "0.62 %", or "0.1 % to 2.4 %" where it is an interval."""
    if share.is_exact or _percent(share.low) == _percent(share.high):
        return _percent(share.high)
    return f"{_percent(share.low)} to {_percent(share.high)}"


def _percent(ratio: float) -> str:
    return f"{100.0 * ratio:.2g} %" if ratio < 0.995 else "100 %"


def _needed_s(durations: Durations | Buckets, limits: Limits, bound: Literal["low", "high"]) -> float:
    """The smallest multiple of the step whose bound on cut(N) is allowed; infinite where it takes over an hour."""
    steps = range(math.floor(LONGEST_S / limits.step_s) + 1)
    first = bisect.bisect_left(
        steps,
        True,
        key=lambda step: getattr(cut_share(durations, step * limits.step_s), bound) <= limits.cut_ratio,
    )
    return first * limits.step_s if first < len(steps) else math.inf


def _within(needed_s: float, limits: Limits) -> float:
    return min(max(needed_s, limits.shortest_s), limits.longest_s)


def _why(found: Drain, limits: Limits) -> str:
    allowed = _percent(limits.cut_ratio)
    needed = "more than an hour" if math.isinf(found.needed_s) else f"{found.needed_s:g} s"
    surely = "" if found.cut.is_exact else "surely "
    if found.drain_s < found.needed_s:
        reason = (
            f"N {found.drain_s:g} s, the longest allowed: to cut at most {allowed} {surely}takes {needed}"
        )
    elif found.drain_s > found.needed_s:
        reason = f"N {found.drain_s:g} s, the shortest allowed: {needed} would do to cut at most {allowed}"
    else:
        reason = (
            f"N {found.drain_s:g} s, the smallest multiple of {limits.step_s:g} s that cuts at most {allowed}"
        )
    if found.best_s < found.drain_s:
        reason += f", for all that the buckets say ({found.best_s:g} s may do)"
    few = "only " if found.requests < FEW else ""
    return (
        f"{reason}; it cuts {percent(found.cut)} of the streams that run when a drain begins"
        f" ({percent(found.longer)} of all requests are longer), seen in {few}{found.requests:,.0f} requests"
    )


def _kept_because(cut: Share, limits: Limits) -> str:
    if cut.high <= limits.cut_ratio:
        return ""
    if cut.low <= limits.cut_ratio:
        return f"; buckets can't say whether that is more than the {_percent(limits.cut_ratio)} allowed"
    return (
        f", over the {_percent(limits.cut_ratio)} allowed but under {RAISE_RATIO:g} times that: not worth a restart"
        " of every replica"
    )
