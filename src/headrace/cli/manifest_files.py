"""Manifests from files, folders and standard input, each with the name that findings show."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from headrace.documents import MOST_BYTES
from headrace.errors import InputError

SUFFIXES: Final = (".yaml", ".yml", ".json")
SKIPPED: Final = frozenset(
    (".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".terraform")
)
STDIN: Final = "<stdin>"
_HELM: Final = re.compile(r"^# Source: (\S.{0,300})$", re.MULTILINE)
_SEPARATOR: Final = re.compile(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)


class Manifest(NamedTuple):
    """One file's text."""

    source: str
    """As findings show it."""
    text: str
    """Without a byte order mark."""
    mark: str
    """The byte order mark, if there was one."""
    folder: str
    """Files of one folder are read together."""
    path: Path | None
    """Where it is written back; None: it came from standard input."""


def manifests(paths: Sequence[str]) -> list[Manifest]:
    """The manifests of a command line, each file once.

    Raises:
        InputError: A path can't be read, or a folder holds no manifest.
    """
    found: dict[str, Manifest] = {}
    for path in paths:
        for each in _stdin() if path == "-" else _files(path):
            found.setdefault(os.path.realpath(each.path) if each.path else each.source, each)
    return list(found.values())


def _files(path: str) -> Iterator[Manifest]:
    target = Path(path)
    try:
        if target.is_dir():
            files = sorted(_below(target))
            if not files:
                raise InputError(path, f"holds no manifest ({', '.join(SUFFIXES)})")
            yield from map(_file, files)
        else:
            yield _file(target)
    except ValueError as error:  # a NUL in it
        raise InputError(path, f"can't be read: {error}") from error


def _below(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        yield from (Path(where) / name for name in files if name.endswith(SUFFIXES))


def _file(path: Path) -> Manifest:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(str(path), f"can't be read: {(error.strerror or str(error)).lower()}") from error
    mark, text = _text(content, str(path))
    return Manifest(str(path), text, mark, str(path.parent), path)


def _text(content: bytes, source: str) -> tuple[str, str]:
    """A byte order mark and the text behind it; what is not UTF-8 is left for the reader to refuse with its line."""
    if len(content) > MOST_BYTES:
        raise InputError(source, f"is larger than {MOST_BYTES // 2**20} MiB, the most that is read")
    text = content.decode("utf-8", errors="surrogateescape")
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)


def _stdin() -> Iterator[Manifest]:
    """Standard input, parted by Helm's ``# Source:`` comments where it has them."""
    stream = getattr(sys.stdin, "buffer", None)
    content = stream.read(16 * MOST_BYTES + 1) if stream is not None else sys.stdin.read().encode()
    text = content.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
    if len(content) > 16 * MOST_BYTES:
        raise InputError(STDIN, f"is larger than {16 * MOST_BYTES // 2**20} MiB, the most that is read")
    if not _HELM.search(text):
        yield Manifest(STDIN, text, "", STDIN, None)
        return
    by_name: dict[str, list[str]] = {}
    starts = [0, *(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    for begin, end in pairwise(starts):
        piece = text[begin:end]
        if piece.strip():
            match = _HELM.search(piece)
            by_name.setdefault(match[1] if match else STDIN, []).append(piece)
    for name, pieces in by_name.items():
        yield Manifest(name, "".join(pieces), "", STDIN, None)
