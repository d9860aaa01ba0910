"""How long a replica takes to start, which phase to attack first, and what a cure would save.

Start-up time is a capacity parameter: the headroom that must already be running is the growth of demand
during it. So each second saved pays twice: the starting replica's accelerators idle for less, and the whole
fleet runs with less headroom. What is known to shorten which phase stands in `cures.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headrace.decide.cures import CURES, Cure, phase_kind
from headrace.decide.headroom import start_delay_s, surge_gain
from headrace.spec import Phase, Surge

BEFORE_CONTAINER = frozenset({"decision", "node", "image"})
"""Kinds of phases that end before the container starts, and its startup probe with it."""


class Total(NamedTuple):
    """The whole start-up."""

    median_s: float
    """Sum of the medians."""
    p90_s: float
    """Sum of the 90th percentiles: exact if one slow phase means that all are slow, more than independent
    phases give. To be planned with: starts come in groups when demand rises, and then they share a slow
    registry and a slow store."""
    p90_independent_s: float
    """The same if phases are slow independently: each one's excess over its median, added as squares. Exact
    for normal times, some percent low for skewed ones; always between the other two figures."""


class Usage(NamedTuple):
    """How a fleet starts replicas; what turns seconds of start-up into GPU-hours."""

    starts_per_day: float
    mean_replicas: float
    """Replicas that mean expected demand needs, headroom not counted."""
    accelerators: int = 1
    """Accelerators per replica."""
    surge: Surge | None = None
    """Class of surge that the fleet must survive; None: no headroom is counted."""
    lag_s: float = 60.0
    """Age of the newest metric."""
    tick_s: float = 10.0
    """Seconds between decisions."""


class Saving(NamedTuple):
    """What one cure saves, at medians."""

    cure: Cure
    saved_s: float
    start_gpu_hours_per_day: float
    """Accelerators that wait less for their start."""
    headroom_gpu_hours_per_day: float
    """Headroom that the shorter start makes unnecessary."""
    reason: str

    @property
    def gpu_hours_per_day(self) -> float:
        """Both together."""
        return self.start_gpu_hours_per_day + self.headroom_gpu_hours_per_day


class Attack(NamedTuple):
    """The phase to attack first."""

    phase: str
    """Name of the phase (the longest of those that the cure shortens)."""
    saving: Saving | None
    """None: no cure is known for any phase."""
    reason: str


class ProbeBudget(NamedTuple):
    """A startup probe that lets a slow but healthy start pass."""

    budget_s: int
    """`period_s` × `failure_threshold`."""
    period_s: int
    failure_threshold: int


def total(phases: Iterable[Phase]) -> Total:
    """Median and 90th percentile of the whole start-up, from those of its phases."""
    median_s = 0.0
    p90_s = 0.0
    squares = 0.0
    for phase in phases:
        # a 90th percentile below the median can only be a slip
        excess_s = max(0.0, phase.p90_s - phase.median_s)
        median_s += phase.median_s
        p90_s += phase.median_s + excess_s
        squares += excess_s * excess_s
    # min: rounding must not lift one phase's square root above the sum
    return Total(median_s, p90_s, min(p90_s, median_s + math.sqrt(squares)))


def weights_bytes(parameters: float, bits: float = 16.0) -> float:
    """Size of a model's weights: 70.5e9 parameters at 16 bits are 141 GB, at 8 bits (FP8) half of that."""
    return parameters * bits / 8.0


def transfer_s(size_bytes: float, bytes_per_s: float) -> float:
    """Seconds to move weights (or an image): 141 GB at 1 GB/s (> 0) take 141 s, at 5 GB/s 28 s."""
    return size_bytes / bytes_per_s


def probe_budget(phases: Sequence[Phase]) -> ProbeBudget:
    """Startup probe of a replica with these phases: two to three times the measured start-up.

    Too short, the kubelet kills a healthy replica and starts it again for ever; too long, a start that hangs
    is noticed late. So twice the 90th percentile, kept within two and three medians; where even three medians
    are less than 1.5 times the 90th percentile, those 1.5 times. Node, image and decision are over before the
    probe begins.

    The period is at most 2 % of the start-up, since a replica is noticed ready only at the next probe (and at
    most Kubernetes' own 10 s).
    """
    inside = total(phase for phase in phases if phase_kind(phase.name) not in BEFORE_CONTAINER)
    budget_s = _patience_s(inside)
    period_s = min(10, max(1, math.floor(0.02 * inside.median_s)))
    failure_threshold = max(1, math.ceil(budget_s / period_s))
    return ProbeBudget(failure_threshold * period_s, period_s, failure_threshold)


def overdue_s(phases: Iterable[Phase]) -> float:
    """Age from which a start is overdue: it may still end, but nothing counts on it any more.

    The measure of the startup probe, taken over the whole start, node and image included. 180 s that are 240 s in
    one start of ten: 480 s.
    """
    return _patience_s(total(phases))


def _patience_s(whole: Total) -> float:
    """Two to three medians, and at least 1.5 times the 90th percentile."""
    return max(2.0 * whole.median_s, min(2.0 * whole.p90_s, 3.0 * whole.median_s), 1.5 * whole.p90_s)


def phases_after(phases: Iterable[Phase], cure: Cure) -> tuple[Phase, ...]:
    """The phases once the cure is in place."""
    remaining = dict(cure.remaining)
    after = []
    for phase in phases:
        ratio = remaining.get(phase_kind(phase.name), 1.0)
        after.append(Phase(phase.name, phase.median_s * ratio, phase.p90_s * ratio))
    return tuple(after)


def saving(phases: Sequence[Phase], cure: Cure, usage: Usage) -> Saving:
    """What a cure saves, in seconds of a start and in GPU-hours a day.

    ::

        starts   = starts/day × accelerators × seconds saved / 3600
        headroom = (gain before − gain after) × mean replicas × accelerators × 24

    with the gain of `headroom.surge_gain`. On a day of 11.6 mean replicas of 8 GPUs that must survive +35 %
    in five minutes, from 180 s down to 20 s: (1.292 − 1.105) × 11.6 × 8 × 24 = 415 GPU-hours; the simulated
    day gives 408 (3,047 against 2,639).
    """
    before_s = total(phases).median_s
    after_s = total(phases_after(phases, cure)).median_s
    saved_s = before_s - after_s
    starts = usage.starts_per_day * usage.accelerators * saved_s / 3600.0
    headroom = 0.0
    if usage.surge is not None:
        gain_before = surge_gain(usage.surge, start_delay_s(usage.lag_s, before_s, usage.tick_s))
        gain_after = surge_gain(usage.surge, start_delay_s(usage.lag_s, after_s, usage.tick_s))
        headroom = (gain_before - gain_after) * usage.mean_replicas * usage.accelerators * 24.0
    return Saving(
        cure,
        saved_s,
        starts,
        headroom,
        f"{cure.name} would take start-up from {before_s:.0f} s to {after_s:.0f} s and save"
        f" {starts + headroom:.1f} GPU-hours a day: {starts:.1f} of starting, {headroom:.1f} of headroom",
    )


def savings(phases: Sequence[Phase], usage: Usage, cures: Iterable[Cure] = CURES) -> tuple[Saving, ...]:
    """Every cure that shortens one of the phases, the one that saves most seconds first (then by name).

    They don't add up: two cures of one phase share its time. Apply the first (`phases_after`) and ask again.
    """
    found = [saving(phases, cure, usage) for cure in cures]
    return tuple(sorted((s for s in found if s.saved_s > 0.0), key=lambda s: (-s.saved_s, s.cure.name)))


def first_attack(phases: Sequence[Phase], usage: Usage, cures: Iterable[Cure] = CURES) -> Attack | None:
    """The phase to attack first: where a known cure saves most, not simply the longest one.

    Returns:
        None without phases. Without a known cure: the longest phase, and what to do about that.
    """
    if not phases:
        return None
    best = next(iter(savings(phases, usage, cures)), None)
    if best is None:
        longest = max(phases, key=lambda phase: phase.median_s)
        what = "no cure is known for it"
        if len(phases) == 1:
            what = "measured by phases, it would show what can be shortened"
        return Attack(longest.name, None, f"{longest.name} takes {longest.median_s:.0f} s; {what}")
    cured = {kind for kind, ratio in best.cure.remaining if ratio < 1.0}
    longest = max((p for p in phases if phase_kind(p.name) in cured), key=lambda phase: phase.median_s)
    whole_s = total(phases).median_s
    return Attack(
        longest.name,
        best,
        f"{longest.name} takes {longest.median_s:.0f} of {whole_s:.0f} s; {best.cure.what}: {best.reason}",
    )
