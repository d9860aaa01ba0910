"""For people: the place, the line it stands in, what is wrong, what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from headrace.lint.finding import SEVERITIES, Finding
from headrace.units import printable

_COLOURS: Final = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "info": "\x1b[1;36m"}
_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_END: Final = "\x1b[0m"
_LONGEST: Final = 160
"""A longer line of a file is cut where it is shown."""


def text(findings: Sequence[Finding], texts: Mapping[str, str], files: int, colours: bool) -> str:
    """Every finding with its line, and a summary.

    Args:
        findings: In the order they are shown.
        texts: The files' texts by source, for the lines.
        files: How many files were read.
        colours: Whether a terminal shows them.
    """
    lines = {source: re.split(r"\r\n|\n|\r", whole) for source, whole in texts.items()}
    parts = [_one(each, lines.get(each.source, []), colours) for each in findings]
    return "".join(parts) + summary(findings, files) + "\n"


def _one(each: Finding, lines: Sequence[str], colours: bool) -> str:
    colour, bold, dim, end = (_COLOURS[each.severity], _BOLD, _DIM, _END) if colours else ("", "", "", "")
    place = f"{printable(each.source)}:{each.mark.line}:{each.mark.column}"
    head = f"{bold}{place}{end}: {colour}{each.severity}{end}: {printable(each.message)} {dim}[{each.rule}]{end}\n"
    if not 1 <= each.mark.line <= len(lines):
        return head + _help(each, dim, end)
    written = printable(lines[each.mark.line - 1].expandtabs(1))[:_LONGEST]
    width = max(each.end.column - each.mark.column, 1) if each.end.line == each.mark.line else 1
    if each.mark == each.end:
        word = re.match(r"[\w./-]+", written[each.mark.column - 1 :])
        width = len(word[0]) if word else 1
    width = max(1, min(width, len(written) - each.mark.column + 1))
    number = f"{each.mark.line:>5}"
    under = " " * (each.mark.column - 1) + "^" * width
    gap = " " * len(number)
    return f"{head}{dim}{number} |{end} {written}\n{dim}{gap} |{end} {colour}{under}{end}\n{_help(each, dim, end)}"


def _help(each: Finding, dim: str, end: str) -> str:
    where = f"{printable(each.resource)}" + (
        f", {printable(each.container)}" if each.container != "-" else ""
    )
    said = f"      {dim}= in {where}{end}\n" if each.resource != "-" else ""
    fixable = " (--fix does it)" if each.changes else ""
    return said + (f"      {dim}= help:{end} {printable(each.help)}{fixable}\n" if each.help else "") + "\n"


def summary(findings: Sequence[Finding], files: int) -> str:
    """``3 errors, 1 warning in 2 files; --fix mends 2``."""
    counted = Counter(each.severity for each in findings)
    words = {"error": "error", "warning": "warning", "info": "note"}
    parts = [f"{counted[s]} {words[s]}{'s' if counted[s] != 1 else ''}" for s in SEVERITIES if counted[s]]
    of = f"{files} file{'s' if files != 1 else ''}"
    fixable = sum(bool(each.changes) for each in findings)
    return (f"{', '.join(parts)} in {of}" if parts else f"nothing found in {of}") + (
        f"; --fix mends {fixable}" if fixable else ""
    )
