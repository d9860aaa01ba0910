"""A demand history from a file (CSV, JSON lines, Parquet; gzip, zstd), read through DuckDB in bounded memory.

The rows go once into a table on disk, judged as they are read (`staging`), and come back from it in chunks: a
year of seconds (31 million rows) is in memory only as the series that is asked for (``step_s=10``: 25 MB).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from headrace.errors import InputError, MissingExtra
from headrace.observe import grid, history_notes
from headrace.observe.columns import value_unit
from headrace.observe.reader_errors import reader_sentence
from headrace.observe.reading import Reading, malformed_line, reading, row_place
from headrace.observe.rows import Progress, StagedRows
from headrace.observe.source_file import SourceFile, source_file
from headrace.observe.timestamps import duration_text, time_text
from headrace.series import Series, gaps

_MEMORY_LIMIT = "256MB"
"""DuckDB's share of memory; what needs more goes to its folder on disk. Twice as much is no faster."""


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """A demand history as it was read."""

    series: Series
    """Demand on a regular grid; NaN = not known."""
    gaps: tuple[tuple[float, float], ...]
    """Stretches without a value, as (start_s, end_s): missing rows and empty values alike."""
    notes: tuple[str, ...]
    """Sentences for the user: what was guessed, found, moved, left open."""
    rows: int
    """Rows of data in the file."""
    time_column: str
    """The column that the times came from."""
    value_column: str
    """The column that the values came from."""
    zone: str
    """Time zone in which the file's times are written ("UTC", "+02:00"); "" if they are relative, from 0."""


def read_demand(
    path: str | Path,
    *,
    time: str | None = None,
    value: str | None = None,
    step_s: float | None = None,
    progress: Progress | None = None,
) -> History:
    """Read a demand history onto a regular grid.

    Args:
        path: CSV, TSV, JSON lines (each also .gz, .zst) or Parquet; taken literally, without wildcards.
        time: Name of the time column; guessed if None.
        value: Name of the demand column; guessed if None.
        step_s: Finest step wanted, seconds. Where the file's own step is finer, the result holds means over
            `step_s` (holes left out); where it is coarser, the file's step is kept.
        progress: Called with the finished share, 0 to 1, a few times a second.

    Raises:
        InputError: Anything wrong with the file, in one sentence with file, row and value.
        MissingExtra: DuckDB is not installed.
    """
    if step_s is not None and not 0.0 < step_s < float("inf"):
        raise InputError(
            os.fspath(path), f"a step of {step_s:g} s was asked for; it must be above 0 s and finite"
        )
    file = source_file(path)
    with _staged_rows(file, progress or _unwatched) as rows:
        plan = reading(file, rows.fetch, time, value)
        rows.stage(plan)
        rows.judge(plan)
        series, fit_notes = _on_grid(rows, file, plan, step_s)
    holes = gaps(series)
    notes = [plan.columns.note, plan.form.note, *fit_notes]
    if holes:
        notes.append(history_notes.gaps_note(holes, plan.form.zone))
    told = tuple(note for note in notes if note)
    return History(series, holes, told, rows.steps.rows, plan.time_column, plan.value_column, plan.form.zone)


def _unwatched(share: float) -> None:
    """Nobody follows the progress."""


@contextmanager
def _staged_rows(file: SourceFile, progress: Progress) -> Iterator[StagedRows]:
    """A DuckDB database of its own in a temporary folder, gone afterwards; its errors become InputErrors."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("reading a demand history", "duckdb", "history") from None
    with _folder(file) as folder:
        link = os.path.join(folder, f"input.{file.kind}")
        with duckdb.connect(os.path.join(folder, "rows.duckdb"), config=_settings(folder)) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("SET enable_progress_bar = true")  # counted here, shown by our caller
            connection.execute("SET enable_progress_bar_print = false")
            rows = StagedRows(connection, file, link, progress)
            try:
                yield rows
            except duckdb.Error as error:
                problem, place = reader_sentence(str(error), file.kind)
                if "well-formed JSON" in problem:
                    with suppress(duckdb.Error):  # what stops one way of reading it may stop the other
                        problem, place = _json_problem(file, rows, problem)
                raise InputError(file.shown, problem, place) from None


def _folder(file: SourceFile) -> tempfile.TemporaryDirectory[str]:
    """A temporary folder in which the file has a name of ours.

    So no letter of the user's path is a wildcard to DuckDB, and no folder on it stands for a column.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix="headrace-")
        os.symlink(file.path, os.path.join(folder.name, f"input.{file.kind}"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(file.shown, f"there is no temporary folder to read it into ({reason})") from None
    return folder


def _json_problem(file: SourceFile, rows: StagedRows, problem: str) -> tuple[str, str]:
    """Malformed JSON with its line, looked for again as lines: DuckDB counts them differently."""
    bad = malformed_line(file, rows.fetch)
    if bad is None:
        return problem, ""
    shown = bad[1] if len(bad[1]) <= 60 else bad[1][:57] + "..."
    return f"{shown!r} is not well-formed JSON", f"row {bad[0]:,}"


def _settings(folder: str) -> dict[str, str | bool | int | float | list[str]]:
    """Bounded, offline (nothing is loaded from a network), and in the order of the file.

    One thread: DuckDB 1.4 with two put the end of a CSV file before its beginning, despite
    `preserve_insertion_order`: then no row number is right, and a sorted file looks unsorted.
    """
    return {
        "memory_limit": _MEMORY_LIMIT,
        "threads": "1",
        "temp_directory": os.path.join(folder, "spill"),
        "preserve_insertion_order": "true",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }


def _on_grid(
    rows: StagedRows, file: SourceFile, plan: Reading, step_s: float | None
) -> tuple[Series, list[str]]:
    """The series on the file's grid, or as means over `step_s`, and notes on it."""
    steps = rows.steps
    file_step_s, candidates = steps.candidates_s()
    first_s, last_s, unit = steps.first_s, steps.last_s, value_unit(plan.value_column)
    notes = [
        history_notes.extent_note(steps.rows, file_step_s, first_s, last_s + file_step_s, plan.form.zone)
    ]
    if step_s is not None and step_s > file_step_s * (1.0 + 1e-6):
        _require_size(rows, file, plan, step_s)
        means = grid.bucket_means(rows.pairs(), step_s, first_s, last_s)
        notes.append(history_notes.means_note(step_s, file_step_s))
        return Series(means.start_s, step_s, means.values, unit), notes
    misfits = []
    for candidate_s in candidates:
        _require_size(rows, file, plan, candidate_s)
        start_s = grid.grid_start_s(rows.first_times, candidate_s)
        fitted = grid.fitted(rows.pairs(), start_s, candidate_s, last_s)
        if isinstance(fitted, grid.Fitted):
            if fitted.moved_rows:
                notes.append(history_notes.moved_note(fitted.moved_rows, fitted.moved_most_s, candidate_s))
            return Series(start_s, candidate_s, fitted.values, unit), notes
        misfits.append(fitted)
    place = row_place(file, rows.fetch, plan, misfits[0].rows_before)
    raise InputError(
        file.shown, _misfit_sentence(misfits[0], candidates[0], file_step_s, plan.form.zone), place
    )


def _require_size(rows: StagedRows, file: SourceFile, plan: Reading, step_s: float) -> None:
    """The grid must fit in memory; where it does not, one wrong time is the usual reason."""
    steps = rows.steps
    count = (steps.last_s - steps.first_s) / step_s
    if count <= grid.LARGEST_GRID_STEPS:
        return
    raise InputError(
        file.shown,
        f"the row lies {duration_text(steps.longest_s)} after the one before, so that the history has "
        f"{count:,.0f} steps of {duration_text(step_s)}; allowed are {grid.LARGEST_GRID_STEPS:,}",
        row_place(file, rows.fetch, plan, steps.rows_before_longest),
    )


def _misfit_sentence(misfit: grid.Misfit, step_s: float, file_step_s: float, zone: str) -> str:
    return (
        f"the time {time_text(misfit.at_s, zone)} does not fall on a regular grid of "
        f"{duration_text(step_s)}, the typical step; "
        f"ask for a step above {duration_text(file_step_s)} to read means"
    )
