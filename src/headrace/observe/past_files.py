"""The past of a model put together from files of demand, durations and occupancy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.errors import InputError
from headrace.observe.database import Progress
from headrace.observe.duration_files import read_durations
from headrace.observe.gauge import counter_sentence, is_counter
from headrace.observe.history import read_demand
from headrace.observe.occupancy_files import read_occupancy
from headrace.observe.sources import Paths, given_name
from headrace.occupancy import Occupancy
from headrace.past import Past
from headrace.series import Series


def read_past(
    demand: Paths,
    *,
    durations: Paths | None = None,
    occupancy: Paths | None = None,
    time: str | None = None,
    value: str | None = None,
    duration: str | None = None,
    unit: str | None = None,
    occupancy_time: str | None = None,
    running: str | None = None,
    waiting: str | None = None,
    replicas: str | None = None,
    kv_usage: str | None = None,
    step_s: float | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> Past:
    """What files say of a model's past. For access logs, which hold demand and durations, see `read_access_log`.

    Args:
        demand: Files of a demand series (`read_demand`, with `time`, `value`, `step_s`).
        durations: Files of request durations (`read_durations`, with `duration`, `unit`); None: there are none.
        occupancy: Files of samples (`read_occupancy`, with `occupancy_time`, `running`, `waiting`, `replicas`,
            `kv_usage`).
        name: The model's, for people; that of the files if "".
        progress: Called with the finished share, 0 to 1.

    Raises:
        InputError: Anything wrong with a file, in one sentence; a counter given as demand.
        MissingExtra: DuckDB is not installed.
    """
    parts = 1 + (durations is not None) + (occupancy is not None)
    tell = [_part(progress, at / parts, 1.0 / parts) for at in range(parts)]
    history = read_demand(demand, time=time, value=value, step_s=step_s, progress=tell.pop(0))
    shown = given_name(demand)
    if is_counter(history.series.values):
        wanted = "what runs or comes per second at that moment, such as the counter's increase per second"
        raise InputError(
            shown, counter_sentence("value", history.value_column, history.series.values, wanted)
        )
    notes = list(history.notes)
    read = seen = None
    if durations is not None:
        read, said = read_durations(durations, duration=duration, unit=unit, progress=tell.pop(0))
        notes += said
    if occupancy is not None:
        seen, said = read_occupancy(
            occupancy,
            time=occupancy_time,
            running=running,
            waiting=waiting,
            replicas=replicas,
            kv_usage=kv_usage,
            progress=tell.pop(0),
        )
        notes += said
    full = None if seen is None else lower_bound(history.series, seen)
    if full is not None and full.any():
        share = np.count_nonzero(full) / len(full)
        notes.append(
            f"In {100 * share:.3g} % of the steps requests waited: demand seen then is taken for a lower bound."
        )
    return Past(
        name or shown,
        history.series,
        full,
        read,
        seen,
        None if seen is None else ready_replicas(history.series, seen),
        history.zone,
        tuple(dict.fromkeys(notes)),
    )


def lower_bound(demand: Series, occupancy: Occupancy) -> NDArray[np.bool_] | None:
    """Shape as the demand's values: True where requests waited in most moments of a step.

    Arrivals (requests/s) are offered whether or not a slot is free: for them None.
    """
    if demand.unit == "requests/s":
        return None
    waited = _step_means(demand, occupancy, (occupancy.waiting > 0.0).astype(np.float64))
    return np.nan_to_num(waited) >= 0.5


def ready_replicas(demand: Series, occupancy: Occupancy) -> Series | None:
    """Replicas that answered, at the demand's steps; None where no sample knows them."""
    if np.isnan(occupancy.replicas).all():
        return None
    means = _step_means(demand, occupancy, occupancy.replicas)
    return Series(demand.start_s, demand.step_s, means, "replicas")


def _step_means(demand: Series, occupancy: Occupancy, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of a sample's figures in each step of the demand; a figure holds until the next is due."""
    count = len(demand)
    place = np.floor((occupancy.at_s - demand.start_s) / demand.step_s + 1e-9).astype(np.int64)
    good = (place >= 0) & (place < count) & ~np.isnan(values)
    sums = np.bincount(place[good], weights=values[good], minlength=count)
    seen = np.bincount(place[good], minlength=count)
    means: NDArray[np.float64] = np.divide(sums, seen, out=np.full(count, np.nan), where=seen > 0)
    held = int(occupancy.step_s / demand.step_s + 1e-9)
    for _ in range(max(held - 1, 0)):  # steps finer than the samples
        empty = np.flatnonzero(np.isnan(means[1:]) & ~np.isnan(means[:-1])) + 1
        means[empty] = means[empty - 1]
    return means


def _part(progress: Progress | None, begin: float, length: float) -> Progress | None:
    if progress is None:
        return None
    return lambda share: progress(begin + length * share)
