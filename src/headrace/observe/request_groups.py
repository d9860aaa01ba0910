"""The requests of access logs, reduced where they are read: starts and ends in each step, durations by second.

One scan of a file makes four groupings of it in one table on disk; memory grows with the steps, not with the requests.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.durations import Durations
from headrace.errors import InputError
from headrace.observe import grid
from headrace.observe.concurrency import Steps
from headrace.observe.database import Database, LinkedFile
from headrace.observe.duration_files import PLACE_SQL, durations_from, use_all_threads
from headrace.observe.request_columns import RequestColumns
from headrace.observe.timestamps import duration_text

DONE, WRONG, UNKNOWN, OPEN, BACKWARDS = range(5)
"""What a row is: over, not readable, without a duration, without an end, with an end before its start."""
# DuckDB's grouping_id of (kind, start, finish, place): a bit for each that is not grouped by
_BY_START, _BY_END, _BY_PLACE, _BY_KIND = 0b0011, 0b0101, 0b0110, 0b0111


class Counted(NamedTuple):
    """All requests, counted."""

    durations: Durations
    """Of those that are over."""
    rows: dict[int, int]
    """Rows of each kind."""
    steps: Steps
    still_running: int
    """Of those without an end, how many are counted as running when the log ends."""


class Added(NamedTuple):
    """What one file adds."""

    first_s: float
    """Its first start and last end, infinite where no request of it is over."""
    last_s: float
    zone: str
    """Of its times, the last one where its clocks change; "" if they are relative."""
    notes: tuple[str, ...]


class RequestGroups:
    """The table, filled file by file.

    Args:
        database: Where it is.
        step_s: Seconds of a step; steps begin at its multiples.
    """

    def __init__(self, database: Database, step_s: float) -> None:
        self._database = database
        self._step_s = step_s
        self._files = 0
        database.run(
            "CREATE TABLE groups (file INTEGER, what UTINYINT, kind UTINYINT, k BIGINT, n BIGINT, "
            "after_start_s DOUBLE, after_end_s DOUBLE, total_s DOUBLE, longest_s DOUBLE, "
            "first_s DOUBLE, last_s DOUBLE, changed BOOLEAN)"
        )

    def add(self, linked: LinkedFile, columns: RequestColumns) -> Added:
        """Reduce a file into the table.

        Raises:
            InputError: A row that can't be read, or mixed time zones.
        """
        step = f"{self._step_s!r}::DOUBLE"  # as a bare number it would be a DECIMAL, which overflows
        use_all_threads(linked)
        self._database.run(
            f"""INSERT INTO groups
                SELECT {self._files}, grouping_id(kind, ks, ke, place), kind, coalesce(ks, ke, place), count(*),
                    sum(s - ks * {step}), sum(e - ke * {step}), fsum(d), max(d), min(s), max(coalesce(e, s)),
                    bool_or(changed)
                FROM (SELECT *, CASE WHEN kind IN ({DONE}, {OPEN}) THEN floor(s / {step})::BIGINT END AS ks,
                          CASE WHEN kind = {DONE} THEN floor(e / {step})::BIGINT END AS ke,
                          CASE WHEN kind = {DONE} THEN {PLACE_SQL} END AS place
                      FROM (SELECT s, e, d, changed, CASE WHEN fault <> 0 THEN {WRONG} WHEN s IS NULL THEN {UNKNOWN}
                                WHEN e IS NULL THEN {OPEN} WHEN d < 0 THEN {BACKWARDS} ELSE {DONE} END AS kind
                            FROM ({columns.sql})))
                GROUP BY GROUPING SETS ((kind, ks), (kind, ke), (kind, place), (kind))""",
            [linked.link],
            linked.begin,
            linked.end,
        )
        if self._database.fetch(f"SELECT 1 FROM groups WHERE what = {_BY_KIND} AND kind = {WRONG} LIMIT 1"):
            wrong = columns.first_fault(linked)
            assert wrong is not None
            raise wrong
        span_s = self._span(f"file = {self._files}")
        here = f"file = {self._files} AND what = {_BY_KIND} AND changed"
        self._files += 1
        if self._database.fetch(f"SELECT 1 FROM groups WHERE {here} LIMIT 1"):
            clocks = columns.clock_changes(linked)
            return Added(*span_s, clocks.zone, (*columns.notes, *clocks.notes))
        return Added(*span_s, columns.zone, columns.notes)

    def _span(self, which: str = "true") -> tuple[float, float]:
        ((first_s, last_s),) = self._database.fetch(
            f"SELECT min(first_s), max(last_s) FROM groups WHERE what = {_BY_KIND} AND kind = {DONE} AND {which}"
        )
        return (np.inf, np.inf) if first_s is None else (first_s, last_s)

    def counted(self, shown: str) -> Counted:
        """Everything that was added.

        Raises:
            InputError: Fewer than two requests, starts and ends that look swapped, or a time far from the others.
        """
        rows = {
            int(kind): int(n)
            for kind, n in self._database.fetch(
                f"SELECT kind, sum(n) FROM groups WHERE what = {_BY_KIND} GROUP BY kind"
            )
        }
        done, backwards = rows.get(DONE, 0), rows.get(BACKWARDS, 0)
        if backwards > done:
            both = done + backwards
            raise InputError(
                shown, f"in {backwards:,} of {both:,} rows the end is before the start; are the two swapped?"
            )
        if done < 2:
            raise InputError(
                shown, f"there is {done or 'no'} request with a start and an end; at least 2 are needed"
            )
        durations = self._durations()
        steps, still_running = self._steps(shown, durations.longest_s)
        return Counted(durations, rows, steps, still_running)

    def _durations(self) -> Durations:
        groups = self._database.arrays(
            f"""SELECT k, sum(n)::BIGINT AS n, fsum(total_s) AS total, max(longest_s) AS longest FROM groups
                WHERE what = {_BY_PLACE} AND kind = {DONE} GROUP BY k ORDER BY k"""
        )
        return durations_from(*(np.ma.filled(groups[name], 0) for name in ("k", "n", "total", "longest")))

    def _steps(self, shown: str, longest_s: float) -> tuple[Steps, int]:
        """What happens in each step, and how many requests run still when the log ends.

        A request without an end runs still if it began so late that others of its age did; of an earlier one the
        end was lost, and counting it as running for days would raise all that follows.
        """
        step_s = self._step_s
        first_s, last_s = self._span()
        first, last = int(np.floor(first_s / step_s)), int(np.floor(last_s / step_s))
        if last - first >= grid.LARGEST_GRID_STEPS:
            raise InputError(
                shown,
                f"the requests lie {duration_text(last_s - first_s)} apart, which are {last - first:,} steps of "
                f"{duration_text(step_s)}; allowed are {grid.LARGEST_GRID_STEPS:,}: is one time wrong?",
            )
        late = f"k * {step_s!r}::DOUBLE BETWEEN {last_s - longest_s!r} AND {last_s!r}"
        starts, start_offsets_s = self._dense(
            _BY_START, "after_start_s", f"kind = {DONE} OR kind = {OPEN} AND {late}", first, last
        )
        ends, end_offsets_s = self._dense(_BY_END, "after_end_s", f"kind = {DONE}", first, last)
        still_running = int(starts.sum() - ends.sum())
        # what ends as a step begins is not in it
        size = len(starts) - int(len(starts) > 1 and not starts[-1] and not end_offsets_s[-1])
        return Steps(
            first, step_s, starts[:size], start_offsets_s[:size], ends[:size], end_offsets_s[:size]
        ), still_running

    def _dense(
        self, what: int, offset: str, which: str, first: int, last: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Counts and offsets of one grouping, for every step from the first to the last."""
        groups = self._database.arrays(
            f"""SELECT k - {first} AS k, sum(n)::BIGINT AS n, sum({offset}) AS offset_s FROM groups
                WHERE what = {what} AND ({which}) GROUP BY k HAVING k BETWEEN {first} AND {last}"""
        )
        at, n, offset_s = (np.ma.filled(groups[name], 0) for name in ("k", "n", "offset_s"))
        counted, offsets_s = np.zeros(last - first + 1, dtype=np.int64), np.zeros(last - first + 1)
        counted[at], offsets_s[at] = n, offset_s
        return counted, offsets_s
