"""From the answers to the pasts of the models: holes stay holes, and what was silent is not taken as idle."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.answers import QUEUE_RATIO
from headrace.decide.demand import QUEUE_PERSISTS_S
from headrace.durations import Buckets
from headrace.observe.prometheus.answer import Labels
from headrace.observe.timestamps import duration_text
from headrace.occupancy import Occupancy
from headrace.past import Past
from headrace.series import Series
from headrace.units import printable

Row = NDArray[np.float64]

KV_FULL_RATIO = 0.95
"""Mean KV usage from which the fleet is full, whether requests wait or not: what is left is in blocks' ends."""
LASTING_S = 4 * QUEUE_PERSISTS_S
"""A queue lasts if it is there in two neighbouring steps, or in one of this length or longer."""


class Grid(NamedTuple):
    """The steps that were asked for."""

    first: int
    """Counted from 0 s."""
    steps: int
    step_s: int


class Seen(NamedTuple):
    """What the answers hold of one model; each of shape [steps], NaN where there is nothing; None: no series."""

    running: Row | None = None
    waiting: Row | None = None
    answered: Row | None = None
    """Servers with a sample in the step."""
    silent: Row | None = None
    """Servers without one, though there before and after."""
    kv_usage: Row | None = None
    """Mean over the servers."""
    finished: Row | None = None
    """Requests per second."""
    demand: Row | None = None
    """Of the user's own query."""
    buckets: dict[float, Row] | None = None
    """Requests in and below each bound, in each span."""
    total: Row | None = None
    """Summed durations, in each span."""


def past(name: str, seen: Seen, grid: Grid, unit: str, slots: int | None) -> Past | None:
    """One model's past, from its first known value to its last; None where fewer than two are known.

    Args:
        name: Of the model.
        seen: Its answers.
        grid: The steps.
        unit: ``"slots"`` or ``"requests"``.
        slots: Of one replica; None: not known.
    """
    notes: list[str] = []
    wide = _cleaned(seen)
    false = sum(_false_count(row) for row in (seen.running, seen.waiting, seen.demand) if row is not None)
    if false:
        notes.append(f"{false:,} values are negative or infinite: taken for holes.")
    values = _demand(wide, unit, notes)
    if values is None or np.count_nonzero(~np.isnan(values)) < 2:
        return None
    known = np.flatnonzero(~np.isnan(values))
    cut = slice(int(known[0]), int(known[-1]) + 1)
    start_s = float((grid.first + cut.start) * grid.step_s)
    per_s = "requests/s" if unit == "requests" else "slots"
    series = Series(start_s, float(grid.step_s), np.ascontiguousarray(values[cut]), per_s)
    _note_ends(grid, cut, notes)
    replicas = _there(wide)
    return Past(
        name,
        series,
        lower_bound=_saturated(wide, slots, grid.step_s)[cut] if wide.running is not None else None,
        durations=_durations(seen.buckets, seen.total, notes),
        occupancy=_occupancy(wide, start_s, cut, grid.step_s),
        replicas=None if replicas is None else Series(start_s, float(grid.step_s), replicas[cut], "replicas"),
        zone="UTC",
        notes=tuple(notes),
    )


def _cleaned(seen: Seen) -> Seen:
    """What was seen, without values that can't be true."""
    rows = (name for name in Seen._fields if isinstance(getattr(seen, name), np.ndarray))
    cleaned: dict[str, Any] = {name: _believable(getattr(seen, name)) for name in rows}
    return seen._replace(**cleaned)


def _believable(row: Row) -> Row:
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(row) & (row >= 0.0), row, np.nan)


def _false_count(row: Row) -> int:
    return int(np.count_nonzero(~np.isnan(row) & np.isnan(_believable(row))))


def _silent(seen: Seen) -> Row:
    """Servers that did not answer; 0 where none is known to."""
    assert seen.answered is not None
    return np.zeros_like(seen.answered) if seen.silent is None else np.nan_to_num(seen.silent)


def _there(seen: Seen) -> Row | None:
    """Servers that were up, whether they answered or not."""
    return None if seen.answered is None else seen.answered + _silent(seen)


def _demand(seen: Seen, unit: str, notes: list[str]) -> Row | None:
    """Demand at each step, a silent server counted as busy as the others; NaN where most were silent."""
    if seen.demand is not None:
        return seen.demand
    if unit == "requests":
        level = seen.finished
    elif seen.waiting is None:
        level = seen.running
        notes.append(
            "Nothing says how many requests wait: demand is what runs, a lower bound where slots are full."
        )
    else:
        level = None if seen.running is None else seen.running + seen.waiting
    if level is None or seen.answered is None:
        return level
    silent, answered = _silent(seen), seen.answered
    if unit == "requests":
        # A rate needs two scrapes: who was silent a step ago has none yet.
        back = np.clip(np.diff(-silent, prepend=0.0), 0.0, None)
        silent, answered = silent + back, answered - back
    partial = (silent > 0.0) & (silent <= answered) & ~np.isnan(level)
    if count := int(np.count_nonzero(partial)):
        notes.append(
            f"In {count:,} steps some replicas did not answer: each is taken to be as busy as those that did."
        )
    scale = np.divide(answered + silent, answered, out=np.ones_like(answered), where=partial)
    return np.where(silent > answered, np.nan, level * scale)


def _saturated(seen: Seen, slots: int | None, step_s: int) -> NDArray[np.bool_]:
    """Where all slots were taken: by count where it is known, by a queue that lasts, by a full KV cache."""
    assert seen.running is not None
    running = seen.running
    full = np.zeros(len(running), dtype=bool)
    if seen.waiting is not None:
        queue = (seen.waiting >= 1.0) & (seen.waiting > QUEUE_RATIO * running)
        if step_s < LASTING_S:
            beside = np.zeros_like(queue)
            beside[1:] |= queue[:-1]
            beside[:-1] |= queue[1:]
            queue &= beside
        full |= queue
    if seen.kv_usage is not None:
        full |= (seen.kv_usage >= KV_FULL_RATIO) & (seen.kv_usage <= 1.0)
    if slots is not None and seen.answered is not None:
        # half a request below: a mean over a step need not be whole
        full |= running >= (slots - 0.5) * seen.answered
    return full


def _occupancy(seen: Seen, start_s: float, cut: slice, step_s: int) -> Occupancy | None:
    if seen.running is None or seen.waiting is None or seen.answered is None:
        return None
    running, waiting, answered = seen.running[cut], seen.waiting[cut], seen.answered[cut]
    known = ~np.isnan(running) & ~np.isnan(waiting) & (answered >= 1.0)
    at_s = start_s + step_s * np.flatnonzero(known).astype(np.float64)
    count = answered[known]
    usage = None if seen.kv_usage is None else seen.kv_usage[cut][known]
    if usage is not None:
        usage = np.where(usage <= 1.0, usage, np.nan)
    return Occupancy(at_s, running[known] / count, waiting[known] / count, count, float(step_s), usage)


def _durations(buckets: dict[float, Row] | None, total: Row | None, notes: list[str]) -> Buckets | None:
    """The histogram of the whole time, from the spans' cumulative ones."""
    if not buckets:
        return None
    bounds = sorted(buckets)
    cumulative = np.array([np.nansum(buckets[bound]) for bound in bounds])
    if bounds[-1] != np.inf or not cumulative[-1] > 0.0:
        return None
    rising = np.maximum.accumulate(cumulative)
    if np.any(rising > cumulative * (1.0 + 1e-9)):
        notes.append("Servers count durations in different buckets: the common picture is coarser than each.")
    counts = np.diff(rising, prepend=0.0)
    total_s = None if total is None else float(np.nansum(total))
    return Buckets(tuple(bounds[:-1]), tuple(counts.tolist()), total_s)


def _note_ends(grid: Grid, cut: slice, notes: list[str]) -> None:
    for steps, where in ((cut.start, "first"), (grid.steps - cut.stop, "last")):
        if steps * grid.step_s >= 3_600:
            notes.append(f"The {where} {duration_text(steps * grid.step_s)} have no value and are left out.")


def model_name(labels: Labels, by: tuple[str, ...]) -> str:
    """What a model is called: its labels in order, joined by ``/``; "" if it has none of them.

    A label may hold anything; what is no letter is spelled out.
    """
    held = dict(labels)
    return printable("/".join(held[label] for label in by if held.get(label)))
