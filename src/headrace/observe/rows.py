"""The rows of a history on their way: judged into a table on disk, and back from it in chunks.

Whoever opens the database imports DuckDB (`history`); here it is a connection that runs SQL.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from headrace.errors import InputError
from headrace.observe import grid, staging
from headrace.observe.reading import Reading, row_place
from headrace.observe.source_file import SourceFile

_CHUNK_ROWS = 1 << 20
_STAGED_SHARE, _JUDGED_SHARE = 0.8, 0.9
"""Progress when all rows are on disk, and when all are judged."""
_POLL_S = 0.1

Progress = Callable[[float], None]
Result = TypeVar("Result")


def _ignored() -> None:
    """Nothing is told while a short query runs."""


class StagedRows:
    """One file in one database, read in this order: `fetch` (its first rows), `stage`, `judge`, `pairs`.

    Args:
        connection: A DuckDB connection; its errors pass through.
        file: The file, for messages.
        link: The path to read it by.
        progress: Told the finished share, 0 to 1.
    """

    def __init__(self, connection: Any, file: SourceFile, link: str, progress: Progress) -> None:
        self._connection = connection
        self._file = file
        self._link = link
        self._progress = progress
        self._told = 0.0
        self.steps = grid.StepCount()
        """Rows and their differences, after `judge`."""
        self.first_times: NDArray[np.float64] = np.empty(0)
        """Times of the first chunk, after `judge`."""

    def _tell(self, share: float) -> None:
        """Progress never goes back: DuckDB forgets its own at the end, and a second grid may be tried."""
        self._told = max(self._told, share)
        self._progress(self._told)

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a small query on the file."""
        return self._waited(lambda: self._connection.execute(sql, [self._link]).fetchall(), _ignored)

    def stage(self, plan: Reading) -> None:
        """Put all rows, judged, into the table ``staged``; Ctrl-C ends it at once."""
        select = staging.staging_sql(plan.scan, plan.form, plan.time_is_text, plan.value_is_text)

        def tell() -> None:
            self._tell(_STAGED_SHARE * min(max(self._connection.query_progress(), 0.0), 100.0) / 100.0)

        self._waited(lambda: self._connection.execute(f"CREATE TABLE staged AS {select}", [self._link]), tell)
        self._tell(_STAGED_SHARE)

    def _waited(self, query: Callable[[], Result], meanwhile: Callable[[], None]) -> Result:
        """What a query gives, run in a thread of its own.

        In the main one DuckDB would make a RuntimeError ("Query interrupted") of Ctrl-C, or not look for it.
        """
        results: list[Result] = []
        failures: list[BaseException] = []
        done = threading.Event()

        def run() -> None:
            try:
                results.append(query())
            except BaseException as error:  # handed to the thread that waits
                failures.append(error)
            finally:
                done.set()

        worker = threading.Thread(target=run, name="headrace-history", daemon=True)
        worker.start()
        try:
            # An event and not join(): Python 3.11 takes a thread for ended when Ctrl-C hits its join().
            while not done.wait(_POLL_S):
                meanwhile()
        finally:
            if not done.is_set():
                self._connection.interrupt()
                done.wait()
        if failures:
            raise failures[0]
        return results[0]

    def _chunks(self, rows: int, begin: float, end: float) -> Iterator[tuple[NDArray[Any], ...]]:
        """Times, values and faults in the file's order; tells progress from share `begin` to share `end`."""
        for first in range(0, rows, _CHUNK_ROWS):
            sql = f"SELECT t, v, fault FROM staged WHERE rowid >= {first} AND rowid < {first + _CHUNK_ROWS}"
            chunk = self._waited(partial(self._chunk, sql), _ignored)
            yield tuple(np.ma.getdata(chunk[name]) for name in ("t", "v", "fault"))
            self._tell(begin + (end - begin) * min(first + _CHUNK_ROWS, rows) / rows)

    def _chunk(self, sql: str) -> Mapping[str, Any]:
        columns: Mapping[str, Any] = self._connection.execute(sql).fetchnumpy()
        return columns

    def _count(self, where: str = "") -> int:
        """How many rows of the table ``staged``."""
        sql = f"SELECT count(*) FROM staged {where}"
        (count,) = self._waited(lambda: self._connection.execute(sql).fetchone(), _ignored)
        return int(count)

    def judge(self, plan: Reading) -> None:
        """Count rows and steps; raises InputError at the first row that is wrong or out of order."""
        rows = self._count()
        steps = self.steps
        for times, _values, faults in self._chunks(rows, _STAGED_SHARE, _JUDGED_SHARE):
            before = steps.last_s if steps.rows else -np.inf
            wrong = (faults != 0) | (np.diff(times, prepend=before) <= 0.0)
            if wrong.any():
                at = int(np.argmax(wrong))
                equal = bool(at and times[at] == times[at - 1]) or bool(not at and times[at] == before)
                raise self._row_error(plan, steps.rows + at, int(faults[at]), equal)
            self.first_times = self.first_times if steps.rows else times
            steps.add(times)
        if rows < 2:
            found = "1 row" if rows else "no row"
            raise InputError(self._file.shown, f"there is {found} of data; a history needs at least 2")
        if not self._count("WHERE NOT isnan(v)"):
            raise InputError(
                self._file.shown, f"none of the {rows:,} rows has a value in {plan.value_column!r}"
            )

    def _row_error(self, plan: Reading, index: int, fault: int, equal: bool) -> InputError:
        """The sentence for the row after `index` others, with its texts as they stand in the file."""
        texts = self.fetch(
            f"SELECT CAST({plan.scan.time_sql} AS VARCHAR), CAST({plan.scan.value_sql} AS VARCHAR) "
            f"FROM {plan.scan.from_sql} LIMIT 2 OFFSET {max(index - 1, 0)}"
        )
        if fault:
            problem = staging.fault_sentence(fault, plan.form, texts[min(index, 1)], plan.first_time)
        else:
            problem = staging.order_sentence(texts[1][0], texts[0][0], equal)
        return InputError(self._file.shown, problem, row_place(self._file, self.fetch, plan, index))

    def pairs(self) -> Iterator[grid.Chunk]:
        """Times and values of all rows, in chunks; call after `judge`."""
        for times, values, _faults in self._chunks(self.steps.rows, _JUDGED_SHARE, 1.0):
            yield times, values
