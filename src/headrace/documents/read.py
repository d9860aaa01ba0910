"""A file as one thing: one mistake in it, and none of it is taken."""

from __future__ import annotations

from pathlib import Path

import yaml

from headrace.documents import build
from headrace.documents.node import Document
from headrace.documents.problem import syntax_error
from headrace.documents.text import MOST_BYTES, checked
from headrace.errors import ConfigError
from headrace.units import shown


def load_documents(path: Path) -> tuple[Document, ...]:
    """The documents of a file.

    Raises:
        ConfigError: It can't be read, or it is not YAML that we take.
    """
    try:
        with path.open("rb") as file:
            return documents(file.read(MOST_BYTES + 1), str(path))
    except OSError as error:
        raise ConfigError(str(path), 0, "", f"can't be read: {error.strerror or error}") from error
    except ValueError as error:  # a path with a NUL in it
        raise ConfigError(shown(str(path)), 0, "", f"can't be read: {error}") from error


def documents(content: bytes | str, source: str) -> tuple[Document, ...]:
    """The documents in a text, empty ones included.

    Args:
        content: UTF-8 bytes or text, with or without a byte order mark, any line ends.
        source: The file's name, for messages.

    Raises:
        ConfigError: Not UTF-8, not YAML, too big, too deep, a duplicate key, a tag, or aliases that explode.
    """
    return understood(checked(content, source), source)


def understood(
    text: str, source: str, first_line: int = 1, aliased: build.Aliased | None = None
) -> tuple[Document, ...]:
    """`build.built`, with the parsers' problems in words of ours, the same on every machine.

    Raises:
        ConfigError: As `documents`.
    """
    try:
        return build.built(text, source, build.LOADER, first_line, aliased)
    except build.BROKEN as error:
        first: Exception = error
    # Python's own parser words its problems in one way on every machine; libyaml's differ by release.
    try:
        if len(text) <= build.MOST_REPARSED:
            build.built(text, source, yaml.SafeLoader, first_line, aliased)
    except build.BROKEN as error:
        raise syntax_error(error, source, first_line) from error
    raise syntax_error(first, source, first_line) from first
