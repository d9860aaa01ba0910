"""A file as documents that stand each for itself: what is wrong with one says nothing of the next."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

import yaml

from headrace.documents import build
from headrace.documents.node import Document, Mark, Unread
from headrace.documents.read import understood
from headrace.documents.text import MOST_BYTES, checked
from headrace.errors import ConfigError

MOST_STREAM_BYTES: Final = 4 * MOST_BYTES
"""Largest stream of documents: a platform's rendered charts with their resource definitions are some 6 MiB."""

_SEPARATOR: Final = re.compile(r"^(?=---(?:[ \t\r\n]|\Z))", re.MULTILINE)
_CONTENT: Final = re.compile(r"^(?!---[ \t\r]*(?:#|$))[ \t]*[^\s#%]", re.MULTILINE)
"""Anything but comments, the line that parts documents, and a ``%YAML`` that stands alone in front of its own."""
_BREAKS: Final = re.compile("[\x85\u2028\u2029]")
"""Line ends to YAML 1.1 and to no editor."""
_TEMPLATE: Final = re.compile(r"\{\{")
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#")
_ALERT_WORDS: Final = re.compile(
    r"\{\{-?\s*(?:\$(?:labels|value|externalLabels)\b|(?:humanize\w*|printf)\s.*\$)"
)
"""What Prometheus fills in itself, later."""


def parts(content: bytes | str, source: str) -> tuple[Document | Unread, ...]:
    """Every document of a file by itself.

    Parted at lines that begin with ``---``, as kubectl parts them. Empty documents are left out.

    Args:
        content: UTF-8 bytes or text, with or without a byte order mark, any line ends.
        source: The file's name, for messages.

    Raises:
        ConfigError: The file as a whole can't be read: not text, or too big.
    """
    text = _BREAKS.sub(" ", checked(content, source, MOST_STREAM_BYTES))
    aliased = build.Aliased()
    found: list[Document | Unread] = []
    line = 1
    for piece in _SEPARATOR.split(text):
        if _CONTENT.search(piece):
            found.extend(_part(piece, source, line, aliased))
        line += _line_ends(piece)
    return tuple(found)


def _part(piece: str, source: str, line: int, aliased: build.Aliased) -> list[Document | Unread]:
    if len(piece) > MOST_BYTES:
        return [Unread(source, line, f"larger than {MOST_BYTES // 2**20} MiB, the most that is read", False)]
    if "{{" in piece and (at := _template_line(piece)) is not None:
        return [Unread(source, line + at, "a template that is not rendered", True)]
    try:
        read = understood(piece, source, line, aliased)
    except ConfigError as error:
        return [Unread(source, error.line or line, error.problem, False)]
    return [document for document in read if not document.empty]


def _template_line(piece: str) -> int | None:
    """Lines above the first ``{{`` that a template engine has to fill in; None: there is none.

    Words in quotes, blocks and comments may hold one (an alert's summary, a dashboard's legend): there it is text.
    Where the document is no YAML, one that is not inside such words and above the mistake is what makes it none.
    """
    starts, ends = [Mark(-1, 0)], [Mark(-1, 0)]
    last = None
    try:
        for event in yaml.parse(piece, Loader=build.LOADER):
            if isinstance(event, yaml.ScalarEvent) and (event.style or _ALERT_WORDS.search(event.value)):
                starts.append(_place(event.start_mark))
                ends.append(_place(event.end_mark))
    except yaml.MarkedYAMLError as error:
        marks = [mark.line for mark in (error.problem_mark, error.context_mark) if mark]
        last = max(marks, default=0) + 1
    except build.BROKEN:
        return None
    for place in _open_templates(piece):
        if last is not None and place.line > last:
            return None
        if place >= ends[bisect_right(starts, place) - 1]:
            return place.line
    return None


def _place(mark: object) -> Mark:
    return Mark(getattr(mark, "line", 0), getattr(mark, "column", 0))


def _open_templates(piece: str) -> Iterator[Mark]:
    """Every ``{{`` that no comment holds, as lines and columns from 0."""
    for row, text in enumerate(re.split(r"\r\n|\n|\r", piece)):
        comment = _COMMENT.search(text)
        for found in _TEMPLATE.finditer(text, 0, comment.start() if comment else len(text)):
            yield Mark(row, found.start())


def _line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")
