"""A journal, run again, and the differences as a table or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from headrace.cli import table
from headrace.cli.figures import speakable
from headrace.cli.progress import bar
from headrace.decide.replay import Difference, replay
from headrace.errors import InputError
from headrace.journal import Cut, Opening, Tick, read
from headrace.units import printable

LONGEST_LINE_BYTES = 64 * 2**20
"""Of a journal: forty times what ten thousand replicas take; a file without line ends is no journal."""
CELL_CHARS = 40
"""Names of replicas and reasons can be long; --json has them whole."""


class Replayed(NamedTuple):
    """What came of it."""

    ticks: int
    fleets: int
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]


def replayed(journal: Path, *, texts: bool, hidden: bool) -> Replayed:
    """Run a journal through today's code.

    Raises:
        InputError: It can't be read, is no journal, or holds no decision.
    """
    name = str(journal)
    ticks, fleets, cuts = 0, set(), []

    def counted(entries: Iterator[Opening | Tick | Cut]) -> Iterator[Opening | Tick | Cut]:
        nonlocal ticks
        for entry in entries:
            if isinstance(entry, Cut):
                cuts.append(entry.sentence)
            elif isinstance(entry, Tick):
                ticks += 1
                fleets.add(entry.fleet)
            yield entry

    with bar(f"Replaying {journal.name}", hidden=hidden) as tell:
        lines = _Lines(journal, tell)
        try:
            differences = tuple(replay(counted(read(lines, name)), texts=texts))
        except (
            ArithmeticError
        ) as error:  # a spec that was written by hand: those that are read from YAML are checked
            problem = f"has numbers that nothing can be decided with ({error})"
            raise InputError(name, problem, f"line {lines.number}, or the opening before it") from None
    if not ticks:
        raise InputError(name, "holds no decision, so there is nothing to replay")
    return Replayed(ticks, len(fleets), differences, tuple(cuts))


class _Lines:
    """The lines of a file; each thousand read is told as a share of its size."""

    def __init__(self, journal: Path, tell: Callable[[float], None]) -> None:
        self.journal = journal
        self.tell = tell
        self.number = 0
        """Of the line that was read last, from 1."""

    def __iter__(self) -> Iterator[str]:
        try:
            yield from self._lines()
        except FileNotFoundError:
            raise InputError(str(self.journal), "there is no such file") from None
        except (OSError, ValueError) as error:
            if isinstance(error, UnicodeDecodeError):
                raise InputError(
                    str(self.journal), "is not a journal; it is not text in UTF-8", f"line {self.number}"
                ) from None
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(str(self.journal), f"can't be read: {reason.lower()}") from None

    def _lines(self) -> Iterator[str]:
        size = max(1, self.journal.stat().st_size)
        with self.journal.open("rb") as file:
            done = 0
            while line := file.readline(LONGEST_LINE_BYTES + 1):
                self.number += 1
                if len(line) > LONGEST_LINE_BYTES:
                    most = f"{LONGEST_LINE_BYTES // 2**20} MiB, the most that is read"
                    raise InputError(str(self.journal), f"longer than {most}", f"line {self.number}")
                done += len(line)
                if self.number % 1_000 == 0:
                    self.tell(min(1.0, done / size))
                yield line.decode("utf-8-sig" if self.number == 1 else "utf-8")


def print_json(found: Replayed) -> None:
    """Write the one document of ``--json``."""
    differences = [
        {name: speakable(value) for name, value in difference._asdict().items()}
        for difference in found.differences
    ]
    document = {"ticks": found.ticks, "differences": differences, "notes": list(found.notes)}
    json.dump(document, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def print_differences(found: Replayed, shown: int) -> None:
    """Write a table of the first `shown` differences, and a sentence that counts them."""
    screen = table.console()
    table.print_notes(screen, [f"{note[:1].upper()}{note[1:]}." for note in found.notes])
    if found.differences:
        headings = [
            table.Heading(words, is_text=True) for words in ("fleet", "at", "field", "was", "would be")
        ]
        rows = table.blank_table("", headings, screen)
        for difference in found.differences[:shown]:
            was, would_be = _cell(difference.was), _cell(difference.would_be)
            moment, fleet = _moment(difference.at_s), _cell(difference.fleet)
            table.add_row(rows, (fleet, moment, difference.field, was, would_be))
        table.print_table(rows, screen)
        if len(found.differences) > shown:
            print(f"… and {len(found.differences) - shown:,} more (--all shows them, --json has them whole)")
        print()
    table.print_notes(screen, [conclusion(found)])


def conclusion(found: Replayed) -> str:
    """How many decisions would be others."""
    fleets = "1 fleet" if found.fleets == 1 else f"{found.fleets} fleets"
    decisions = "1 decision" if found.ticks == 1 else f"{found.ticks:,} decisions"
    differing = {(difference.fleet, difference.at_s) for difference in found.differences}
    if not differing:
        return f"{decisions} of {fleets} replayed: today's code decides all of them the same."
    would = "would be another" if len(differing) == 1 else "would be others"
    return f"{decisions} of {fleets} replayed: {len(differing):,} {would} with today's code."


def _cell(value: object) -> str:
    words = ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
    words = printable(words)  # no commands to the terminal
    return words if len(words) <= CELL_CHARS else words[: CELL_CHARS - 1] + "…"


def _moment(at_s: float) -> str:
    """A time of a snapshot: UTC, or seconds where it is no time of our calendar (a simulated journal)."""
    if not 1e9 <= at_s < 1e11:
        return f"t = {at_s:,.10g} s"
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
