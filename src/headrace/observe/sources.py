"""Which files a history consists of: names, patterns (``logs/*.parquet``) and addresses in an object store (S3).

A name that exists is that file, whatever letters are in it; only then is it a pattern.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from headrace.errors import InputError
from headrace.observe import s3

Paths = str | Path | Sequence[str | Path]
"""One name, pattern or address, or several: together they are one history."""

_ENDS_BYTES = 65_536
_BLOCK_BYTES = 1 << 20
_WILD = re.compile(r"[*?]")
_SET = re.compile(r"\[[^]]+\]")
"""A set of letters, as patterns have; a lone bracket is a letter as any other."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""No pattern has one of these; names have, by a slip or a command to the terminal (ESC, and then ``[31m``)."""


class Source(NamedTuple):
    """One file of a history, not opened yet."""

    shown: str
    """Its name or address, as the user gave it or as the pattern found it."""
    size_bytes: int
    """For progress; 0: not known."""
    identity: tuple[object, ...]
    """Equal for two names of one file."""
    fetch: Callable[[str, Callable[[float], None]], None] | None = None
    """Brings an object to a path, telling the share that has arrived; None for a local file."""

    digest: str = ""
    """What an object store says of the content, equal for equal contents; "" if nothing."""

    @property
    def ending(self) -> str:
        """The endings of its name (".csv.gz")."""
        return "".join(Path(self.shown.rpartition("/")[2]).suffixes[-2:])


class Sources(NamedTuple):
    """The files of one history."""

    files: tuple[Source, ...]
    """At least one, in the order of the patterns, each pattern's by name."""
    notes: tuple[str, ...]
    """On files that were named, or are there, twice."""

    @property
    def shown(self) -> str:
        """What messages call the whole: the file, or the first and how many more."""
        more = len(self.files) - 1
        return self.files[0].shown + (f" and {more:,} more" if more else "")


def sources(paths: Paths) -> Sources:
    """The files that names, patterns and addresses stand for, each once.

    Raises:
        InputError: A pattern that no file matches, an address that is none or does not answer. What is wrong
            with a file itself is found when it is opened.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise InputError("history", "no file is named")
    found: dict[tuple[object, ...], Source] = {}
    twice: list[str] = []
    for one in given:
        for source in _matches(os.fspath(one)):
            if source.identity in found:
                twice.append(f"{source.shown} is named twice, and read once.")
            else:
                found[source.identity] = source
    kept, copies = _without_copies(list(found.values()))
    return Sources(tuple(kept), _listed(twice) + _listed(copies))


def given_name(paths: Paths) -> str:
    """What the user gave, for a title: the name or pattern, or the first and how many more."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    return os.fspath(given[0]) + (f" and {len(given) - 1:,} more" if len(given) > 1 else "")


def shares(files: Sequence[Source], begin: float, end: float) -> Iterator[tuple[Source, float, float]]:
    """Each file with the progress at which its reading begins and ends, by size, from `begin` to `end`."""
    total = sum(max(file.size_bytes, 1) for file in files)
    before = 0
    for file in files:
        after = before + max(file.size_bytes, 1)
        yield file, begin + (end - begin) * before / total, begin + (end - begin) * after / total
        before = after


def _matches(given: str) -> Iterator[Source]:
    if os.path.lexists(given):
        yield _local(given)
        return
    given = re.sub(r"^s3:/(?=[^/])", "s3://", given)  # a Path takes the second slash for a slip
    if "\0" in given:
        yield _local(given)
    elif given.startswith("s3://"):
        for thing in s3.objects(given):
            yield Source(thing.shown, thing.size_bytes, (thing.shown,), thing.fetch, thing.digest)
    elif _CONTROL.search(given) or not (_WILD.search(given) or _SET.search(given)):
        yield _local(given)  # opening it says what is wrong
    else:
        names = sorted(name for name in glob.glob(given, recursive=True) if not os.path.isdir(name))
        if not names and _WILD.search(given):
            raise InputError(given, "no file matches this pattern")
        if not names:  # "day[1].csv" is as often a name
            raise InputError(given, "there is no such file, and none that matches it as a pattern")
        yield from map(_local, names)


def _local(name: str) -> Source:
    try:
        seen = os.stat(name)
    except (OSError, ValueError):
        return Source(name, 0, (os.path.abspath(name),))
    return Source(name, seen.st_size if stat.S_ISREG(seen.st_mode) else 0, (seen.st_dev, seen.st_ino))


def _without_copies(files: list[Source]) -> tuple[list[Source], list[str]]:
    """The files without those whose content another has too, and a sentence on each of these.

    A copy in a folder of logs ("day (1).csv", a rotation that was kept twice) would count its requests twice.
    Only files of one size are opened, and only those are read whole whose beginnings and ends agree.
    """
    kept: list[Source] = []
    sentences: list[str] = []
    firsts: dict[tuple[object, ...], list[Source]] = {}
    for file in files:
        alike = firsts.setdefault((file.size_bytes, file.fetch is None), [])
        first = next((other for other in alike if _same_content(file, other)), None)
        if first is None:
            alike.append(file)
            kept.append(file)
        else:
            sentences.append(f"{file.shown} has the same content as {first.shown}, and is left out.")
    return kept, sentences


def _same_content(one: Source, other: Source) -> bool:
    if not one.size_bytes or one.fetch is not None:
        return bool(one.digest) and one.digest == other.digest
    try:
        return _ends(one) == _ends(other) and _digest(one) == _digest(other)
    except OSError:
        return False  # opening it says what is wrong


def _ends(file: Source) -> tuple[bytes, bytes]:
    with open(file.shown, "rb") as raw:
        head = raw.read(_ENDS_BYTES)
        raw.seek(max(0, file.size_bytes - _ENDS_BYTES))
        return head, raw.read(_ENDS_BYTES)


def _digest(file: Source) -> bytes:
    digest = hashlib.blake2b()
    with open(file.shown, "rb") as raw:
        while block := raw.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.digest()


def _listed(sentences: list[str]) -> tuple[str, ...]:
    """The first of many sentences, and how many more there would be."""
    more = len(sentences) - 1
    if more < 1:
        return tuple(sentences)
    return (f"{sentences[0].rstrip('.')} (and {more:,} more such files).",)
