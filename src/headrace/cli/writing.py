"""Files that a command writes: told before the long work if they can't be, and never left half-written."""

from __future__ import annotations

import os
from pathlib import Path

from headrace.errors import InputError


def require_writable(option: str, path: Path) -> None:
    """Told before the long work starts; the writing itself still has the last word.

    Raises:
        InputError: It can't be written there.
    """
    name = f"{option} {path}"
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(
            name, f"this is a directory; give the name of a file in it, such as {_example(option)}"
        )
    if not target.parent.is_dir():
        raise InputError(name, f"there is no directory {target.parent} to write it to")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError(name, "it can't be written there: permission denied")


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        InputError: It can't be written.
    """
    from headrace.report.write import write_whole  # with it comes numpy

    write_whole(path, text, "file")


def _example(option: str) -> str:
    return {"--chart": "chart.html", "--report": "report.html"}.get(option, "fleet.yaml")
