"""Demand and durations from access logs: one row for each request, of one server or of many, in any order.

Rows are reduced where they are read, to how many start and end in each step (`concurrency`): memory grows with the
steps of the history, not with its requests.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.durations import Durations
from headrace.errors import InputError
from headrace.observe import grid, history_notes
from headrace.observe.column_names import DURATION, END, MOMENT, START
from headrace.observe.concurrency import Steps, edge_s, known_span, mean_running, missing_steps
from headrace.observe.database import Database, LinkedFile, Progress, opened
from headrace.observe.duration_files import PLACE_SQL, durations_from, use_all_threads
from headrace.observe.history import require_step
from headrace.observe.request_columns import Given, requests_of
from headrace.observe.source_file import NoRows
from headrace.observe.sources import Paths, Sources, given_name, shares, sources
from headrace.observe.timestamps import duration_text, time_text
from headrace.past import Past
from headrace.series import Series, gaps

_DONE, _WRONG, _UNKNOWN, _OPEN, _BACKWARDS = range(5)
"""What a row is: over, not readable, without a duration, without an end, with an end before its start."""
_READ_SHARE = 0.95
# DuckDB's grouping_id of (kind, start, finish, place): a bit for each that is not grouped by
_BY_START, _BY_END, _BY_PLACE, _BY_KIND = 0b0011, 0b0101, 0b0110, 0b0111


class Requests(NamedTuple):
    """What an access log says of the past."""

    slots: Series
    """Offered concurrency: requests that run (or wait in the server) at once, in the mean of each step."""
    arrivals: Series
    """Requests that start, per second."""
    durations: Durations
    zone: str
    """Zone of the log's times; "" if they are relative."""
    notes: tuple[str, ...]
    """Sentences for the user."""


def read_access_log(
    paths: Paths,
    *,
    time: str | None = None,
    duration: str | None = None,
    start: str | None = None,
    end: str | None = None,
    unit: str | None = None,
    step_s: float = 10.0,
    demand: Literal["slots", "requests/s"] = "slots",
    name: str = "",
    progress: Progress | None = None,
) -> Past:
    """The past of a model from its access logs; arguments and errors as for `read_requests`.

    Args:
        demand: Whether the past's demand is concurrency in slots or arrivals per second.
        name: The model's, for people; that of the files if "".
    """
    read = read_requests(
        paths, time=time, duration=duration, start=start, end=end, unit=unit, step_s=step_s, progress=progress
    )
    series = read.slots if demand == "slots" else read.arrivals
    return Past(name or given_name(paths), series, durations=read.durations, zone=read.zone, notes=read.notes)


def read_requests(
    paths: Paths,
    *,
    time: str | None = None,
    duration: str | None = None,
    start: str | None = None,
    end: str | None = None,
    unit: str | None = None,
    step_s: float = 10.0,
    progress: Progress | None = None,
) -> Requests:
    """Demand in slots and in requests/s, and durations, from access logs.

    Several files are added up, whether they follow each other or are of servers side by side.

    Args:
        paths: CSV, TSV, JSON lines (each also .gz, .zst) or Parquet: names, patterns, addresses (s3://…).
        time: Name of the one time column, at which requests ended.
        duration: Name of the duration column.
        start: Name of the column of starts.
        end: Name of the column of ends. Each is guessed if None; two of start, end and duration are needed.
        unit: Of durations, "s", "ms", "us" or "ns"; if None, by the column's name or its first values.
        step_s: Step of the demand, seconds; steps begin at its multiples.
        progress: Called with the finished share, 0 to 1, a few times a second.

    Raises:
        InputError: Anything wrong with a file, in one sentence with file, row and value.
        MissingExtra: DuckDB is not installed.
    """
    given = {MOMENT: time, DURATION: duration, START: start, END: end}
    found = sources(paths)
    require_step(found.shown, step_s)
    with opened("access logs", found.shown, progress) as database:
        database.run(
            "CREATE TABLE groups (file INTEGER, what UTINYINT, kind UTINYINT, k BIGINT, n BIGINT, "
            "after_start_s DOUBLE, after_end_s DOUBLE, total_s DOUBLE, longest_s DOUBLE, first_s DOUBLE, last_s DOUBLE)"
        )
        zone, notes = _gathered(database, found, given, unit, step_s)
        durations, counts = _durations(database, found.shown)
        steps, open_note = _steps(database, found.shown, durations, counts, step_s)
        database.tell(1.0)
    slots, arrivals, span_notes = _series(steps, durations, zone)
    told = (*notes, *_kind_notes(durations, counts), open_note, *span_notes)
    return Requests(slots, arrivals, durations, zone, tuple(note for note in dict.fromkeys(told) if note))


def _gathered(
    database: Database, found: Sources, given: Given, unit: str | None, step_s: float
) -> tuple[str, list[str]]:
    """Put every file's groups into the table; the zone of their times, and notes."""
    zones: dict[str, str] = {}
    notes: list[str] = []
    empty: list[str] = []
    spans: list[tuple[float, float]] = []
    for source, begin, after in shares(found.files, 0.0, _READ_SHARE):
        try:
            with database.reading(source, begin, after) as linked:
                zone, said = _group(database, linked, len(spans), given, unit, step_s)
        except NoRows as none:
            if len(found.files) == 1:
                raise
            empty.append(none.source)
            continue
        zones.setdefault(zone, source.shown)
        if len(zones) > 1 and "" in zones:
            raise InputError(
                source.shown,
                "its times are not of the kind of those of the other files: some are clock "
                "times, some count from a start",
            )
        notes += said
        spans.append(_span(database, len(spans)))
    notes = [*dict.fromkeys(notes), history_notes.files_note(len(spans), empty), *found.notes]
    if any(last > first for (_, last), (first, _) in zip(sorted(spans), sorted(spans)[1:], strict=False)):
        notes.append("The files overlap in time, as logs of servers side by side do: they are added up.")
    return next(iter(zones), ""), notes


def _group(
    database: Database, linked: LinkedFile, number: int, given: Given, unit: str | None, step_s: float
) -> tuple[str, tuple[str, ...]]:
    """Reduce one file into the table."""
    columns = requests_of(linked, given, unit)
    use_all_threads(linked)
    database.run(
        f"""INSERT INTO groups
            SELECT {number}, grouping_id(kind, ks, ke, place), kind, coalesce(ks, ke, place), count(*),
                sum(s - ks * {step_s!r}), sum(e - ke * {step_s!r}), fsum(d), max(d),
                min(s), max(coalesce(e, s))
            FROM (SELECT *, CASE WHEN kind IN ({_DONE}, {_OPEN}) THEN floor(s / {step_s!r})::BIGINT END AS ks,
                      CASE WHEN kind = {_DONE} THEN floor(e / {step_s!r})::BIGINT END AS ke,
                      CASE WHEN kind = {_DONE} THEN {PLACE_SQL} END AS place
                  FROM (SELECT s, e, d, CASE WHEN fault <> 0 THEN {_WRONG} WHEN s IS NULL THEN {_UNKNOWN}
                            WHEN e IS NULL THEN {_OPEN} WHEN d < 0 THEN {_BACKWARDS} ELSE {_DONE} END AS kind
                        FROM ({columns.sql})))
            GROUP BY GROUPING SETS ((kind, ks), (kind, ke), (kind, place), (kind))""",
        [linked.link],
        linked.begin,
        linked.end,
    )
    if database.fetch(f"SELECT 1 FROM groups WHERE what = {_BY_KIND} AND kind = {_WRONG} LIMIT 1"):
        wrong = columns.first_fault(linked)
        assert wrong is not None
        raise wrong
    return columns.zone, columns.notes


def _span(database: Database, number: int) -> tuple[float, float]:
    """First start and last end in a file; nowhere where it has none."""
    ((first_s, last_s),) = database.fetch(
        f"SELECT min(first_s), max(last_s) FROM groups WHERE file = {number} AND what = {_BY_KIND} AND kind = {_DONE}"
    )
    return (float("inf"), float("inf")) if first_s is None else (first_s, last_s)


def _durations(database: Database, shown: str) -> tuple[Durations, dict[int, int]]:
    """Durations of all requests that are over, and how many rows there are of each kind."""
    counts: dict[int, int] = {
        kind: int(n)
        for kind, n in database.fetch(
            f"SELECT kind, sum(n) FROM groups WHERE what = {_BY_KIND} GROUP BY kind"
        )
    }
    done, backwards = counts.get(_DONE, 0), counts.get(_BACKWARDS, 0)
    if backwards > done:
        raise InputError(
            shown,
            f"in {backwards:,} of {done + backwards:,} rows the end is before the start; are the two swapped?",
        )
    if done < 2:
        raise InputError(
            shown, f"there is {done or 'no'} request with a start and an end; at least 2 are needed"
        )
    groups = database.arrays(
        f"""SELECT k, sum(n)::BIGINT AS n, fsum(total_s) AS total, max(longest_s) AS longest FROM groups
            WHERE what = {_BY_PLACE} AND kind = {_DONE} GROUP BY k ORDER BY k"""
    )
    return durations_from(*(np.ma.filled(groups[name], 0) for name in ("k", "n", "total", "longest"))), counts


def _steps(
    database: Database, shown: str, durations: Durations, counts: dict[int, int], step_s: float
) -> tuple[Steps, str]:
    """What happens in each step, and a note on requests without an end.

    Such a request runs still when the log ends if it began so late that others of its age did; of an earlier one
    the end was lost, and counting it as running for days would raise all that follows.
    """
    ((first_s, last_s),) = database.fetch(
        f"SELECT min(first_s), max(last_s) FROM groups WHERE what = {_BY_KIND} AND kind = {_DONE}"
    )
    first, last = (int(np.floor(at_s / step_s)) for at_s in (first_s, last_s))
    if last - first >= grid.LARGEST_GRID_STEPS:
        raise InputError(
            shown,
            f"the requests lie {duration_text(last_s - first_s)} apart, which are {last - first:,} steps of "
            f"{duration_text(step_s)}; allowed are {grid.LARGEST_GRID_STEPS:,}: is one time wrong?",
        )
    still = f"(kind = {_OPEN} AND k * {step_s!r} BETWEEN {last_s - durations.longest_s!r} AND {last_s!r})"
    size = last - first + 1
    found: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    for what, offset, kinds in (
        (_BY_START, "after_start_s", f"(kind = {_DONE} OR {still})"),
        (_BY_END, "after_end_s", f"kind = {_DONE}"),
    ):
        groups = database.arrays(
            f"""SELECT k - {first} AS k, sum(n)::BIGINT AS n, sum({offset}) AS offset_s FROM groups
                WHERE what = {what} AND {kinds} GROUP BY k HAVING k BETWEEN {first} AND {last}"""
        )
        at, n, offset_s = (np.ma.filled(groups[name], 0) for name in ("k", "n", "offset_s"))
        counted, offsets = np.zeros(size, dtype=np.int64), np.zeros(size)
        counted[at], offsets[at] = n, offset_s
        found.append((counted, offsets))
    steps = Steps(first, step_s, *found[0], *found[1])
    note = _open_note(int(steps.starts.sum() - steps.ends.sum()), counts.get(_OPEN, 0))
    # what ends as a step begins is not in it
    if size > 1 and not steps.starts[-1] and not steps.end_offsets_s[-1]:
        steps = Steps(first, step_s, *(part[:-1] for part in steps[2:]))
    return steps, note


def _series(steps: Steps, durations: Durations, zone: str) -> tuple[Series, Series, list[str]]:
    """Concurrency and arrivals where the log knows them, and notes."""
    running, arriving = mean_running(steps), steps.starts / steps.step_s
    edge = edge_s(durations)
    hole = missing_steps(steps, edge)
    running[hole], arriving[hole] = np.nan, np.nan
    begin, after = known_span(steps, edge)
    start_s = (steps.first + begin) * steps.step_s
    slots, arrivals = (
        Series(start_s, steps.step_s, values[begin:after], unit)
        for values, unit in ((running, "slots"), (arriving, "requests/s"))
    )
    notes = [_extent_note(slots, arrivals, zone)]
    if begin:
        notes.append(
            f"{duration_text(edge)} at either end of the log are left out, in which requests are missing that began "
            "before it or ended after it."
        )
    else:
        notes.append("The log is short: its first and last requests overlap others that it does not have.")
    holes = gaps(slots)
    if holes:
        notes.append(history_notes.gaps_note(holes, zone))
    return slots, arrivals, notes


def _extent_note(slots: Series, arrivals: Series, zone: str) -> str:
    return (
        f"{np.nanmean(slots.values):,.4g} slots in use in the mean, {np.nanmax(slots.values):,.4g} at most, at "
        f"{np.nanmean(arrivals.values):,.4g} requests/s, over {duration_text(slots.span_s)} from "
        f"{time_text(slots.start_s, zone)}, in steps of {duration_text(slots.step_s)}."
    )


def _kind_notes(durations: Durations, counts: dict[int, int]) -> list[str]:
    """What the rows are: requests, and what was left out."""
    mean, longest = duration_text(durations.total_s / durations.count), duration_text(durations.longest_s)
    notes = [f"{durations.count:,} requests, {mean} in the mean, the longest {longest}."]
    for kind, words in ((_UNKNOWN, "without a duration"), (_BACKWARDS, "whose end is before its start")):
        if count := counts.get(kind, 0):
            notes.append(f"{count:,} {'row' if count == 1 else 'rows'} {words} left out.")
    if zero := int(durations.counts[0]):
        notes.append(f"{zero:,} of them took no time at all.")
    return notes


def _open_note(still: int, without_end: int) -> str:
    if not without_end:
        return ""
    lost = without_end - still
    parts = [f"{still:,} run still when the log ends, and are counted"] * bool(still)
    parts += [f"the end of {lost:,} is lost, and they are left out"] * bool(lost)
    return f"Requests without an end: {'; '.join(parts)}."
