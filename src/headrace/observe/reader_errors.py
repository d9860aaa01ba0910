"""What DuckDB says when a file can't be read, said as one sentence about the user's file."""

from __future__ import annotations

import re
from collections.abc import Callable

_Match = re.Match[str]

_SENTENCES: tuple[tuple[re.Pattern[str], Callable[[_Match], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), wording)
    for pattern, wording in (
        (
            r"Expected Number of Columns: (\d+) Found: (\d+)",
            lambda found: f"the row has {_columns(found[2])}; by the first line there must be {found[1]}",
        ),
        (r"not utf-8|invalid unicode|invalid utf", lambda found: "the text is not UTF-8"),
        (r"unterminated quote", lambda found: "a quote is opened and not closed"),
        (r"maximum line size|maximum_object_size", lambda found: "the line is longer than 2 MB"),
        (
            r"state machine reached an invalid state",
            lambda found: (
                "the text is not well-formed CSV: it mixes line ends (CRLF and LF) or has a stray quote"
            ),
        ),
        (r"GZIP stream|gzip", lambda found: "the gzip file is cut off or damaged"),
        (
            r"out of memory|failed to offload|max_temp_directory_size",
            lambda found: "the rows do not fit in memory and disk",
        ),
        (r"no space left|could not write", lambda found: "the disk with the temporary folder is full"),
        (r"Malformed JSON|JSON transform|unexpected json", lambda found: "the text is not well-formed JSON"),
    )
)


def reader_sentence(message: str, kind: str) -> tuple[str, str]:
    """Problem and place ("row 5" or "") of a message of DuckDB's.

    Args:
        message: The whole message, hints and all.
        kind: Format of the file ("csv", "json", "parquet").
    """
    line = re.search(r"CSV Error on Line: (\d+)", message)
    place = f"row {int(line[1]):,}" if line else ""
    for pattern, wording in _SENTENCES:
        found = pattern.search(message)
        if found:
            return wording(found), place
    # the rest is damage inside the file; DuckDB's own words are the best there is, but for our link's path
    words = re.sub(r"^[A-Za-z ]*Error: ", "", message.splitlines()[0])
    words = re.sub(r"""(in file )?["'][^"']*/input\d*\.\w+["']:?""", "", words).rstrip(" .:")
    named = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}[kind]
    return f"the {named} file is cut off or damaged ({words})", place


def _columns(count: str) -> str:
    return f"{count} column" if count == "1" else f"{count} columns"
