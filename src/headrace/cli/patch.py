"""A change of a file as a patch that `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
from pathlib import PurePath


def patch(source: str, before: str, now: str) -> str:
    """A unified diff with git's names; line ends and a missing last one are kept."""
    name = PurePath(source).as_posix().lstrip("/")
    lines = difflib.unified_diff(_lines(before), _lines(now), f"a/{name}", f"b/{name}", n=3)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str) -> list[str]:
    """Lines with their ends, parted at line feeds only, as patch parts them."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
