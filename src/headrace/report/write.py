"""Putting a page on disk: whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from headrace.errors import InputError
from headrace.report.chart import Chart
from headrace.report.page import page_html
from headrace.report.plan_page import plan_html
from headrace.report.plan_parts import PlanPage


def write_page(path: str | os.PathLike[str], chart: Chart) -> None:
    """Writes the page that compares policies, as `write_whole` does.

    Args:
        path: Where to; its directory must exist.
        chart: What to show.

    Raises:
        InputError: The path can't be written.
    """
    write_whole(path, page_html(chart))


def write_plan_page(path: str | os.PathLike[str], page: PlanPage) -> None:
    """Writes the page of a plan, as `write_whole` does.

    Args:
        path: Where to; its directory must exist.
        page: What to show.

    Raises:
        InputError: The path can't be written.
    """
    write_whole(path, plan_html(page))


def write_whole(path: str | os.PathLike[str], page: str, what: str = "page") -> None:
    """Replaces what was at the path in one step.

    A reader, or a Ctrl-C, meets the old page or the new one and never half of one: the page is written beside
    its target and renamed onto it. A link is followed; a pipe or a device is written to as it is.

    Args:
        path: Where to; its directory must exist.
        page: The text.
        what: Its kind, for a message.

    Raises:
        InputError: The path can't be written.
    """
    text = page.encode("utf-8", "replace")
    name = _shown(path)
    if "\0" in os.fspath(path):
        raise InputError(name, "a file name can't contain a NUL character")
    target = Path(os.path.realpath(path))
    if os.path.isdir(target):
        raise InputError(name, "this is a directory; give the name of a file in it, such as chart.html")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(text)
        else:
            _replace(target, text)
    except (FileNotFoundError, NotADirectoryError) as error:
        parent = _shown(target.parent)
        raise InputError(name, f"there is no directory {parent} to write the {what} to") from error
    except OSError as error:
        raise InputError(name, f"the {what} can't be written there: {error.strerror or error}") from error


def _replace(target: Path, content: bytes) -> None:
    if target.exists() and not os.access(target, os.W_OK):
        # A rename asks only the directory and would go through; whoever write-protected a page meant it.
        raise PermissionError(errno.EACCES, "the file there is write-protected")
    beside = target.with_name(f".{secrets.token_hex(8)}.headrace.tmp")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _shown(path: str | os.PathLike[str]) -> str:
    """A path as text that any terminal can print."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
