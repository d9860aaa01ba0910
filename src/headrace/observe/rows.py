"""The rows of a demand history on their way: judged into tables on disk, and back from them in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace.errors import InputError
from headrace.observe import grid
from headrace.observe.cells import ZONES_MIXED, fault_error, judged_sql
from headrace.observe.clocks import Clocks
from headrace.observe.columns import shown
from headrace.observe.database import LinkedFile
from headrace.observe.reading import Reading
from headrace.observe.table import row_place

_CHUNK_ROWS = 1 << 20
STAGED_SHARE = 0.8
"""Progress when all rows are on disk."""
_JUDGED_SHARE = 0.9
"""Progress when all are judged."""


class StagedRows:
    """One file's rows in a table.

    Args:
        linked: The file.
        plan: What to read from it.
        table: Name of the table.
    """

    def __init__(self, linked: LinkedFile, plan: Reading, table: str) -> None:
        self._database = linked.database
        self._table = table
        self._linked = linked
        self.plan = plan
        judged = judged_sql(plan.table, plan.cells)
        select = (
            "SELECT coalesce(v0, 'nan'::DOUBLE) AS t, coalesce(v1, 'nan'::DOUBLE) AS v, fault, z0 AS ahead "
            f"FROM ({judged})"
        )
        self._database.run(
            f"CREATE TABLE {table} AS {select}", [linked.link], begin=linked.begin, end=linked.end
        )
        self.rows = self._count()
        self.first_s = self._first_s()
        """Time of the first row; NaN where it is wrong, or there is none."""
        self._columns: tuple[str, ...] = ("t", "v", "fault")
        self.clocks = Clocks()
        """Its time zone's, when the rows have been judged."""
        if self._database.fetch(f"SELECT 1 FROM {table} WHERE ahead <> 0 LIMIT 1"):
            self._columns += ("ahead",)

    @property
    def shown(self) -> str:
        """The file's name, for messages."""
        return self._linked.file.shown

    def _count(self, where: str = "") -> int:
        ((count,),) = self._database.fetch(f"SELECT count(*) FROM {self._table} {where}")
        return int(count)

    def _first_s(self) -> float:
        found = self._database.fetch(f"SELECT t FROM {self._table} WHERE rowid = 0")
        return float(found[0][0]) if found else float("nan")

    def known_values(self) -> int:
        """How many rows have a value."""
        return self._count("WHERE NOT isnan(v)")

    def chunks(self, begin: float, end: float) -> Iterator[tuple[NDArray[Any], ...]]:
        """Times, values and faults in the file's order; tells progress from share `begin` to share `end`.

        A fourth array, where it is not 0 throughout: minutes that a time's clock is ahead of the first one's.
        """
        for first in range(0, self.rows, _CHUNK_ROWS):
            with self._linked.translated():
                chunk = self._database.arrays(
                    f"SELECT {', '.join(self._columns)} FROM {self._table} "
                    f"WHERE rowid >= {first} AND rowid < {first + _CHUNK_ROWS}"
                )
            yield tuple(np.ma.getdata(chunk[name]) for name in self._columns)
            self._database.tell(begin + (end - begin) * min(first + _CHUNK_ROWS, self.rows) / self.rows)

    def error(self, index: int, fault: int, equal: bool, before: StagedRows | None) -> InputError:
        """The sentence for the row after `index` others, with its texts as they stand in the file.

        Args:
            index: Rows before it.
            fault: What is wrong with the row; 0: its time is not after the one before.
            equal: It is the same.
            before: The file whose last row is the one before it; None: this one.
        """
        with self._linked.translated():
            if fault:
                return fault_error(self._linked, self.plan.table, self.plan.cells, fault, index)
            texts = self._linked.fetch(
                f"SELECT CAST({self.plan.cells[0].sql} AS VARCHAR) FROM {self.plan.table.from_sql} "
                f"LIMIT 2 OFFSET {max(index - 1, 0)}"
            )
            time = shown(texts[min(index, 1)][0] or "")
            if before is not None:
                problem = (
                    f"the time {time} lies within the times of {before.shown}; "
                    "the files of one history must follow each other"
                )
            elif equal:
                problem = f"the time {time} is the same as that of the row before; each time may occur once"
            else:
                before_it = shown(texts[0][0] or "")
                problem = f"the time {time} is before that of the row before, {before_it}; rows must be sorted by time"
            return InputError(self.shown, problem, self.place(index))

    def place(self, index: int) -> str:
        """Where the row after `index` others stands."""
        return row_place(self._linked.file, self._linked.fetch, self.plan.table, index)


class SortedRows:
    """The rows of all files, one after the other in time.

    Args:
        files: At least one.
        shown: What messages call the whole.
    """

    def __init__(self, files: Sequence[StagedRows], shown: str) -> None:
        # a file whose first time is wrong is judged first, and says so
        self._files = sorted(files, key=lambda file: (not np.isnan(file.first_s), file.first_s))
        self._shown = shown
        self.steps = grid.StepCount()
        """Rows and their differences."""
        self.first_times: NDArray[np.float64] = np.empty(0)
        """Times of the first chunk."""
        self._judge()

    def _shares(self, begin: float, end: float) -> Iterator[tuple[StagedRows, float, float]]:
        total, before = max(sum(file.rows for file in self._files), 1), 0
        for file in self._files:
            after = before + file.rows
            yield file, begin + (end - begin) * before / total, begin + (end - begin) * after / total
            before = after

    def _judge(self) -> None:
        """Count rows and steps; raises InputError at the first row that is wrong or out of order."""
        last: StagedRows | None = None
        for file, begin, end in self._shares(STAGED_SHARE, _JUDGED_SHARE):
            self._judge_file(file, last, begin, end)
            last = file
        rows = self.steps.rows
        if rows < 2:
            found = "1 row" if rows else "no row"
            raise InputError(self._shown, f"there is {found} of data; a history needs at least 2")
        if not sum(file.known_values() for file in self._files):
            column = self._files[0].plan.value_column
            raise InputError(self._shown, f"none of the {rows:,} rows has a value in {column!r}")

    def _judge_file(self, file: StagedRows, last: StagedRows | None, begin: float, end: float) -> None:
        steps, rows = self.steps, 0
        for times, _values, faults, *ahead in file.chunks(begin, end):
            before = steps.last_s if steps.rows else -np.inf
            wrong = (faults != 0) | (np.diff(times, prepend=before) <= 0.0)
            mixed = file.clocks.add(times, ahead[0]) if ahead else None
            if mixed is not None:
                faults[mixed], wrong[mixed] = faults[mixed] or ZONES_MIXED, True
            if wrong.any():
                at = int(np.argmax(wrong))
                equal = bool(at and times[at] == times[at - 1]) or bool(not at and times[at] == before)
                raise file.error(rows + at, int(faults[at]), equal, None if rows + at else last)
            self.first_times = self.first_times if steps.rows else times
            steps.add(times)
            rows += times.size

    def pairs(self) -> Iterator[grid.Chunk]:
        """Times and values of all rows, in chunks."""
        for file, begin, end in self._shares(_JUDGED_SHARE, 1.0):
            for times, values, *_judged in file.chunks(begin, end):
                yield times, values

    @property
    def zone(self) -> str:
        """Zone of the last time."""
        last = self._files[-1]
        return last.clocks.zone(last.plan.form.zone)

    def clock_notes(self) -> list[str]:
        """On time zones whose clocks change within a file."""
        notes = (file.clocks.note(file.plan.form.zone) for file in self._files)
        return [note for note in dict.fromkeys(notes) if note]

    def place(self, index: int) -> tuple[str, str]:
        """File and row of the row after `index` others."""
        for file in self._files:
            if index < file.rows:
                return file.shown, file.place(index)
            index -= file.rows
        raise IndexError(index)
