"""Tables for a terminal of 80 columns and up, and the same as plain text where the output is piped."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from rich.console import Console, JustifyMethod
from rich.live import Live
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from headrace.cli.figures import count_text, headroom_text, share_text
from headrace.simulate.score import Score

PIPED_COLUMNS = 120
"""Width where there is no terminal to fit."""


LEAST_COLUMNS = 80
ROOMY_COLUMNS = 100
"""From here on headings stand in one line."""


class Heading(NamedTuple):
    """A column."""

    words: str
    is_text: bool = False


def console() -> Console:
    """Standard output; as wide as its terminal, or fixed where there is none."""
    if sys.stdout.isatty():
        # Lines that a narrow terminal breaks can be read; a figure that was cut can't.
        return Console(highlight=False, width=max(LEAST_COLUMNS, Console().width))
    return Console(highlight=False, width=PIPED_COLUMNS)


def over_words(unit: str) -> str:
    """What the column of requests over counts, by the unit of demand."""
    if unit == "requests/s":
        return "requests over"
    return "slot-seconds over" if unit == "slots" else "demand over × s"


def figure_headings(unit: str) -> tuple[Heading, ...]:
    """Columns of a row of the seed's table."""
    words = ("minutes over", over_words(unit), "GPU-hours", "events an hour")
    return (Heading("policy", is_text=True), *(Heading(word) for word in words))


def figure_cells(score: Score) -> tuple[str, ...]:
    """Cells of a row of the seed's table."""
    return (
        score.policy,
        count_text(score.minutes_over, 1),
        count_text(score.requests_over),
        count_text(score.gpu_hours, 1),
        count_text(score.events_per_hour, 2),
    )


def service_headings(unit: str) -> tuple[Heading, ...]:
    """Columns of a row at equal service."""
    words = ("share over", "minutes over", over_words(unit), "GPU-hours", "× mean demand", "events an hour")
    return (
        Heading("policy", is_text=True),
        *(Heading(word) for word in words),
        Heading("headroom", is_text=True),
    )


def service_cells(score: Score) -> tuple[str, ...]:
    """Cells of a row at equal service."""
    policy, minutes, requests, hours, events = figure_cells(score)
    return (
        policy.partition(":")[0] if score.is_bound else policy,
        share_text(score.over_ratio),
        minutes,
        requests,
        hours,
        count_text(score.cost_ratio, 2),
        events,
        headroom_text(score),
    )


def blank_table(title: str, headings: Sequence[Heading], screen: Console) -> Table:
    """A table without rows."""
    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 2 if screen.width >= ROOMY_COLUMNS else 1, 0, 0),
        header_style="bold" if screen.is_terminal else "",
    )
    for heading in headings:
        words = heading.words if screen.width >= ROOMY_COLUMNS else heading.words.replace(" ", "\n")
        justify: JustifyMethod = "left" if heading.is_text else "right"
        table.add_column(Text(words), justify=justify, vertical="bottom", no_wrap=True)
    return table


def add_row(table: Table, cells: Sequence[str], *, faint: bool = False, section: bool = False) -> None:
    """Add a row of texts, never read as markup."""
    table.add_row(*(Text(cell) for cell in cells), style="dim" if faint else None, end_section=section)


@contextmanager
def growing(table: Table, screen: Console) -> Iterator[Live | None]:
    """Show a table while rows are added in the block (call `refresh`); piped, it is written once, at its end."""
    if not screen.is_interactive:
        yield None
        print_table(table, screen)
        return
    with Live(table, console=screen, auto_refresh=False, vertical_overflow="visible") as live:
        yield live


def print_table(table: Table, screen: Console) -> None:
    """Write a table; piped, without the blanks that fill its lines up."""
    endless = Console(width=1_000)
    needed = Measurement.get(endless, endless.options, table).maximum
    if needed > screen.width:
        screen = Console(highlight=False, width=needed)
    if screen.is_terminal:
        screen.print(table)
        return
    with screen.capture() as written:
        screen.print(table)
    for line in written.get().splitlines():
        print(line.rstrip())


def print_notes(screen: Console, notes: Sequence[str]) -> None:
    """Sentences above or below a table, each its own paragraph with a hanging indent."""
    for note in notes:
        print(textwrap.fill(note, screen.width, subsequent_indent="  ", break_on_hyphens=False))
