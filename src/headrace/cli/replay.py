"""`headrace replay`: a journal through today's code, and what would be decided differently."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from headrace.cli.replayed import Replayed

DIFFERS = 1
"""Exit code where something would be decided differently."""
SHOWN = 40
"""Differences shown unless --all is given."""


def replay(
    journal: Annotated[
        str,
        typer.Argument(
            metavar="JOURNAL", show_default=False, help="A journal: one line of JSON per decision."
        ),
    ],
    texts: Annotated[
        bool,
        typer.Option(
            "--texts", metavar="", help="Another wording of reasons and alarms is a difference too."
        ),
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", metavar="", help=f"Show every difference, not the first {SHOWN}.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", metavar="", help="All differences as JSON on stdout, and nothing else there."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", metavar="", help="No output but errors: the exit code says it.")
    ] = False,
) -> int:
    """Run a journal through today's code and show what would be decided differently.

    Exit code 0: nothing would; 1: something would. The world goes the way that was recorded, whatever is
    decided: the first difference of a fleet is certain, later ones may follow from it.
    """
    from headrace.cli.replayed import print_differences, print_json, replayed

    found: Replayed = replayed(Path(journal), texts=texts, hidden=quiet)
    if as_json:
        print_json(found)
    elif not quiet:
        print_differences(found, len(found.differences) if every else SHOWN)
    return DIFFERS if found.differences else 0
