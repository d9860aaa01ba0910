"""A DuckDB of its own in a temporary folder: opened for one reading, gone afterwards, and stopped by Ctrl-C.

The only importer of DuckDB. Its errors become sentences about the file that was being read.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from headrace.errors import InputError, MissingExtra
from headrace.observe.reader_errors import reader_sentence
from headrace.observe.source_file import SourceFile, source_file
from headrace.observe.sources import Source
from headrace.observe.table import Fetch, malformed_line

_MEMORY_LIMIT = "256MB"
"""DuckDB's share of memory; what needs more goes to its folder on disk. Twice as much is no faster."""
_POLL_S = 0.1
_FETCHED_SHARE = 0.6
"""Progress within a file of an object store when it has arrived."""

Progress = Callable[[float], None]
Result = TypeVar("Result")


class Database:
    """A connection whose queries run in a thread of their own, and the finished share of the whole reading.

    Args:
        connection: A DuckDB connection.
        folder: A folder that is removed with it.
        progress: Told the finished share, 0 to 1; it never goes back.
    """

    def __init__(self, connection: Any, folder: str, progress: Progress) -> None:
        self._connection = connection
        self._progress = progress
        self._told = 0.0
        self._files = 0
        self.folder = folder

    def tell(self, share: float) -> None:
        """Progress never goes back: DuckDB forgets its own at the end, and a second grid may be tried."""
        self._told = max(self._told, share)
        self._progress(self._told)

    def fetch(self, sql: str, parameters: Sequence[str] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query with a small result."""
        return self._waited(lambda: self._connection.execute(sql, parameters).fetchall(), _ignored)

    def arrays(
        self, sql: str, parameters: Sequence[str] = (), begin: float = 0.0, end: float = 0.0
    ) -> Mapping[str, Any]:
        """The columns of a query as numpy arrays; tells its progress from share `begin` to share `end`."""
        return self._told_of(lambda: self._connection.execute(sql, parameters).fetchnumpy(), begin, end)

    def run(self, sql: str, parameters: Sequence[str] = (), begin: float = 0.0, end: float = 0.0) -> None:
        """Run a statement; tells its progress from share `begin` to share `end`. Ctrl-C ends it at once."""
        self._told_of(lambda: self._connection.execute(sql, parameters), begin, end)

    def _told_of(self, query: Callable[[], Result], begin: float, end: float) -> Result:
        def tell() -> None:
            if end:
                done = min(max(self._connection.query_progress(), 0.0), 100.0) / 100.0
                self.tell(begin + (end - begin) * done)

        result = self._waited(query, tell)
        if end:
            self.tell(end)
        return result

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

    def use_threads(self, threads: int) -> None:
        """One thread: rows come in the file's order. More: in any order, for what does not depend on it.

        DuckDB 1.4 with two threads put the end of a CSV file before its beginning, despite
        `preserve_insertion_order`: then no row number is right, and a sorted file looks unsorted.
        """
        self.run(f"SET threads = {threads}")
        self.run(f"SET preserve_insertion_order = {'true' if threads == 1 else 'false'}")

    def linked(self, source: Source, begin: float = 0.0, end: float = 0.0) -> LinkedFile:
        """The file of a source, to be read under a name of ours.

        Args:
            source: What to read; an object is fetched first, into the database's folder.
            begin: Progress now.
            end: Progress when the file has been read.

        Raises:
            InputError: There is no such file, or it is not what its name says (NoRows: it is empty).
        """
        self._files += 1
        name = os.path.join(self.folder, f"input{self._files}")
        if source.fetch is None:
            file = source_file(source.shown)
        else:
            path = f"{name}{source.ending}"
            here = begin + (end - begin) * _FETCHED_SHARE
            source.fetch(path, lambda share: self.tell(begin + (here - begin) * share))
            file, begin = source_file(path, source.shown), here
        link = f"{name}.{file.kind}"
        if file.path != link:
            os.symlink(file.path, link)
        return LinkedFile(self, file, link, begin, end)

    @contextmanager
    def reading(self, source: Source, begin: float = 0.0, end: float = 0.0) -> Iterator[LinkedFile]:
        """The same for a block that reads nothing else; afterwards what was fetched for it is gone."""
        linked = self.linked(source, begin, end)
        try:
            with linked.translated():
                yield linked
        finally:
            if source.fetch is not None:
                with suppress(OSError):
                    os.remove(linked.file.path)


class LinkedFile:
    """A file under a name of ours in the database's folder.

    So no letter of the user's path is a wildcard to DuckDB, and no folder on it stands for a column.

    Attributes:
        file: The file, for its format and its name in messages.
        link: The path to read it by.
        begin: Progress when its reading begins.
        end: Progress when it has been read.
    """

    def __init__(self, database: Database, file: SourceFile, link: str, begin: float, end: float) -> None:
        self.database = database
        self.file = file
        self.link = link
        self.begin = begin
        self.end = end

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a small query on the file, whose ``?`` is its path."""
        return self.database.fetch(sql, [self.link])

    @contextmanager
    def translated(self) -> Iterator[None]:
        """What DuckDB says becomes an InputError about this file."""
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            problem, place = reader_sentence(str(error), self.file.kind)
            if "well-formed JSON" in problem:
                with suppress(duckdb.Error):  # what stops one way of reading it may stop the other
                    problem, place = _json_problem(self.file, self.fetch, problem)
            raise InputError(self.file.shown, problem, place) from None


def _ignored() -> None:
    """Nothing is told while a short query runs."""


def _unwatched(share: float) -> None:
    """Nobody follows the progress."""


@contextmanager
def opened(what: str, shown: str, progress: Progress | None) -> Iterator[Database]:
    """A DuckDB database of its own in a temporary folder, gone afterwards.

    Args:
        what: What is read, for MissingExtra ("a demand history").
        shown: The user's name for it, for messages.
        progress: Called with the finished share, 0 to 1; None: nobody follows.

    Raises:
        MissingExtra: DuckDB is not installed.
        InputError: There is no temporary folder.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra(f"reading {what}", "duckdb", "history") from None
    with _folder(shown) as folder:
        path = os.path.join(folder, "rows.duckdb")
        with duckdb.connect(path, config=_settings(folder)) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("SET enable_progress_bar = true")  # counted here, shown by our caller
            connection.execute("SET enable_progress_bar_print = false")
            yield Database(connection, folder, progress or _unwatched)


def _folder(shown: str) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="headrace-")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(shown, f"there is no temporary folder to read it into ({reason})") from None


def _json_problem(file: SourceFile, fetch: Fetch, problem: str) -> tuple[str, str]:
    """Malformed JSON with its line, looked for again as lines: DuckDB counts them differently."""
    bad = malformed_line(file, fetch)
    if bad is None:
        return problem, ""
    shown = bad[1] if len(bad[1]) <= 60 else bad[1][:57] + "..."
    return f"{shown!r} is not well-formed JSON", f"row {bad[0]:,}"


def _settings(folder: str) -> dict[str, str | bool | int | float | list[str]]:
    """Bounded, offline (nothing is loaded from a network), and in the order of the file."""
    return {
        "memory_limit": _MEMORY_LIMIT,
        "threads": "1",
        "temp_directory": os.path.join(folder, "spill"),
        "preserve_insertion_order": "true",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
