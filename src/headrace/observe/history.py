"""A demand history from files (CSV, JSON lines, Parquet; gzip, zstd; S3), read through DuckDB in bounded memory.

The rows go once into a table on disk, judged as they are read (`staging`), and come back from it in chunks: a
year of seconds (31 million rows) is in memory only as the series that is asked for (``step_s=10``: 25 MB).
"""

from __future__ import annotations

from dataclasses import dataclass

from headrace.errors import InputError
from headrace.observe import grid, history_notes
from headrace.observe.columns import value_unit
from headrace.observe.database import Database, Progress, opened
from headrace.observe.reading import Reading, reading
from headrace.observe.rows import STAGED_SHARE, SortedRows, StagedRows
from headrace.observe.source_file import NoRows
from headrace.observe.sources import Paths, Sources, shares, sources
from headrace.observe.timestamps import duration_text, time_text
from headrace.series import Series, gaps


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
    """Time zone in which the file's times are written ("UTC", "+02:00"), the last one where its clocks change, since
    that is the clock on the wall now; "" if they are relative, from 0."""


def read_demand(
    paths: Paths,
    *,
    time: str | None = None,
    value: str | None = None,
    step_s: float | None = None,
    progress: Progress | None = None,
) -> History:
    """Read a demand history onto a regular grid.

    Args:
        paths: CSV, TSV, JSON lines (each also .gz, .zst) or Parquet: a name (taken literally where it exists), a
            pattern (``day-*.csv``) or an address (``s3://bucket/key*.parquet``), or several. Several files follow
            each other in time, in whatever order they are named.
        time: Name of the time column; guessed if None.
        value: Name of the demand column; guessed if None.
        step_s: Finest step wanted, seconds. Where the file's own step is finer, the result holds means over
            `step_s` (holes left out); where it is coarser, the file's step is kept.
        progress: Called with the finished share, 0 to 1, a few times a second.

    Raises:
        InputError: Anything wrong with a file, in one sentence with file, row and value.
        MissingExtra: DuckDB is not installed.
    """
    found = sources(paths)
    require_step(found.shown, step_s)
    with opened("a demand history", found.shown, progress) as database:
        files, notes = _staged(database, found, time, value)
        rows = SortedRows(files, found.shown)
        plan = files[0].plan
        series, fit_notes = _on_grid(rows, found.shown, plan, step_s)
    holes = gaps(series)
    notes += [plan.form.note, *rows.clock_notes(), *fit_notes]
    if holes:
        notes.append(history_notes.gaps_note(holes, rows.zone))
    told = tuple(note for note in notes if note)
    return History(series, holes, told, rows.steps.rows, plan.time_column, plan.value_column, rows.zone)


def require_step(shown: str, step_s: float | None) -> None:
    """A step that was asked for must be one.

    Raises:
        InputError: It is not above 0 and finite.
    """
    if step_s is not None and not 0.0 < step_s < float("inf"):
        raise InputError(shown, f"a step of {step_s:g} s was asked for; it must be above 0 s and finite")


def _staged(
    database: Database, found: Sources, time: str | None, value: str | None
) -> tuple[list[StagedRows], list[str]]:
    """The rows of each file that has any, in a table of its own, and notes on columns and files."""
    files: list[StagedRows] = []
    notes: list[str] = []
    empty: list[str] = []
    for source, begin, end in shares(found.files, 0.0, STAGED_SHARE):
        try:
            linked = database.linked(source, begin, end)
            with linked.translated():
                plan = reading(linked.file, linked.fetch, time, value)
                files.append(StagedRows(linked, plan, f"staged{len(files)}"))
        except NoRows as none:
            if len(found.files) == 1:
                raise
            empty.append(none.source)
            continue
        _require_alike(files[0], files[-1])
        notes.append(plan.columns.note)
    if not files:
        raise NoRows(found.shown, "none of the files has a row of data")
    return files, [*dict.fromkeys(notes), history_notes.files_note(len(files), empty), *found.notes]


def _require_alike(first: StagedRows, other: StagedRows) -> None:
    """Files of one history count the same, from the same beginning."""
    units = [value_unit(rows.plan.value_column) for rows in (first, other)]
    if units[0] != units[1]:
        columns = [rows.plan.value_column for rows in (first, other)]
        raise InputError(
            other.shown,
            f"its demand is {columns[1]!r}, that of {first.shown} {columns[0]!r}; one history needs one unit",
        )
    if bool(first.plan.form.zone) != bool(other.plan.form.zone):
        raise InputError(
            other.shown,
            f"its times are not of the kind of those of {first.shown}: one has clock times, the other seconds "
            "since a start",
        )


def _on_grid(rows: SortedRows, shown: str, plan: Reading, step_s: float | None) -> tuple[Series, list[str]]:
    """The series on the file's grid, or as means over `step_s`, and notes on it."""
    steps = rows.steps
    file_step_s, candidates = steps.candidates_s()
    first_s, last_s, unit = steps.first_s, steps.last_s, value_unit(plan.value_column)
    notes = [
        history_notes.extent_note(steps.rows, file_step_s, first_s, last_s + file_step_s, plan.form.zone)
    ]
    if step_s is not None and step_s > file_step_s * (1.0 + 1e-6):
        _require_size(rows, step_s)
        means = grid.bucket_means(rows.pairs(), step_s, first_s, last_s)
        notes.append(history_notes.means_note(step_s, file_step_s))
        return Series(means.start_s, step_s, means.values, unit), notes
    misfits = []
    for candidate_s in candidates:
        _require_size(rows, candidate_s)
        start_s = grid.grid_start_s(rows.first_times, candidate_s)
        fitted = grid.fitted(rows.pairs(), start_s, candidate_s, last_s)
        if isinstance(fitted, grid.Fitted):
            if fitted.moved_rows:
                notes.append(history_notes.moved_note(fitted.moved_rows, fitted.moved_most_s, candidate_s))
            return Series(start_s, candidate_s, fitted.values, unit), notes
        misfits.append(fitted)
    where, place = rows.place(misfits[0].rows_before)
    raise InputError(where, _misfit_sentence(misfits[0], candidates[0], file_step_s, plan.form.zone), place)


def _require_size(rows: SortedRows, step_s: float) -> None:
    """The grid must fit in memory; where it does not, one wrong time is the usual reason."""
    steps = rows.steps
    count = (steps.last_s - steps.first_s) / step_s
    if count <= grid.LARGEST_GRID_STEPS:
        return
    where, place = rows.place(steps.rows_before_longest)
    raise InputError(
        where,
        f"the row lies {duration_text(steps.longest_s)} after the one before, so that the history has "
        f"{count:,.0f} steps of {duration_text(step_s)}; allowed are {grid.LARGEST_GRID_STEPS:,}",
        place,
    )


def _misfit_sentence(misfit: grid.Misfit, step_s: float, file_step_s: float, zone: str) -> str:
    return (
        f"the time {time_text(misfit.at_s, zone)} does not fall on a regular grid of "
        f"{duration_text(step_s)}, the typical step; "
        f"ask for a step above {duration_text(file_step_s)} to read means"
    )
