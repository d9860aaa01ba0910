"""What was seen and decided, written down: one line of JSON per tick, so that it can be run again.

An *opening* line carries the whole spec of a fleet and the memory that it begins with; it is written at the start and
whenever the spec changes. Each *tick* after it names the fleet and the digest of that spec, and carries the snapshot,
the verdict and a digest of the memory left behind. So a journal can be cut at any opening and still be replayed.

Text in, values out, and back: ``decode(encode(entry)) == entry``. JSON has no NaN and no infinity; they are written as
the texts ``"nan"``, ``"inf"`` and ``"-inf"``. No file is read or written here.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import lru_cache
from types import UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from headrace.errors import InputError
from headrace.memory import Memory
from headrace.snapshot import Gateway, Outlook, Replica, Sample, Snapshot
from headrace.spec import ModelFleet
from headrace.units import shown
from headrace.verdict import Verdict

VERSION = 1
"""Of the lines written; others are not read."""
_DIGITS = 16
_ROWS: Final = (Replica, Sample, Gateway, Outlook)
"""Written as lists, without the last fields where they are the default: there are many of them."""
_BESIDE: Final = frozenset(("server", "autoscaler", "drain", "rollout", "alerts"))
"""Sections of a fleet that only a manifest is made from: no decision reads them, so another image is no other spec."""
_UNSPEAKABLE: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@dataclass(frozen=True, slots=True)
class Opening:
    """From here on, ticks of this fleet are decided by this spec, beginning with this memory."""

    fleet: ModelFleet
    memory: Memory


@dataclass(frozen=True, slots=True)
class Tick:
    """One decision."""

    fleet: str
    """Name of the fleet."""
    spec: str
    """`digest` of its spec."""
    snapshot: Snapshot
    memory: str
    """`memory_digest` of what the tick left behind."""
    verdict: Verdict


class Cut(NamedTuple):
    """A line that a crash cut short; the rest of the journal is good."""

    line: int
    """Counted from 1."""

    @property
    def sentence(self) -> str:
        """The note for a person."""
        return f"line {self.line} was cut short, as by a crash, and is left out"


_KINDS: Final[dict[str, type]] = {"opening": Opening, "tick": Tick}


class Misfit(ValueError):
    """A value is not what its place holds; the message names the place and the value."""


def encode(entry: Opening | Tick) -> str:
    """The line, without its end. ASCII, so that nothing in it can be taken for the end of a line."""
    kind = "opening" if isinstance(entry, Opening) else "tick"
    return _json({"v": VERSION, "kind": kind, **_plain(entry)})


def decode(line: str, source: str = "journal", number: int = 1) -> Opening | Tick:
    """The entry of a line.

    Args:
        line: With or without its end.
        source: Name of the file, for messages.
        number: Of the line, from 1, for messages.

    Raises:
        InputError: It is not a line of a journal, or one of another version.
    """
    try:
        tree = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise InputError(source, f"{shown(line.strip())} is not a line of JSON", f"line {number}") from None
    version = tree.get("v") if isinstance(tree, dict) else None
    if version != VERSION or isinstance(version, bool):
        known = f"version {shown(version)}" if version is not None else "no version"
        raise InputError(source, f"has {known}; only version {VERSION} is read here", f"line {number}")
    kind = _KINDS.get(str(tree.pop("kind", None)))
    try:
        if kind is None:
            raise Misfit("kind must be opening or tick")
        del tree["v"]
        entry: Opening | Tick = _valued(kind, tree, "")
    except Misfit as misfit:
        raise InputError(source, str(misfit), f"line {number}") from None
    return entry


def read(lines: Iterable[str], source: str = "journal") -> Iterator[Opening | Tick | Cut]:
    """The entries of a journal, one by one; empty lines are passed over.

    A line that a crash cut short is told as `Cut`: the last one, or one before an opening (after a restart).

    Raises:
        InputError: As `decode`; or a tick stands before the opening of its fleet, or has another spec.
    """
    specs: dict[str, str] = {}
    broken: tuple[int, InputError] | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if broken is None and not _is_json(line):
            broken = (number, InputError(source, "is cut short, and no opening follows", f"line {number}"))
            continue
        entry = decode(line, source, number)
        if broken is not None:
            if isinstance(entry, Tick):
                raise broken[1]
            yield Cut(broken[0])
            broken = None
        if isinstance(entry, Opening):
            specs[entry.fleet.name] = digest(entry.fleet)
        elif specs.get(entry.fleet) != entry.spec:
            why = "has another spec than its opening" if entry.fleet in specs else "stands before its opening"
            raise InputError(source, f"a tick of fleet {shown(entry.fleet)} {why}", f"line {number}")
        yield entry
    if broken is not None:
        yield Cut(broken[0])


def digest(value: object) -> str:
    """16 hex digits of a frozen value: equal values have equal ones, wherever and whenever they are made."""
    return hashlib.sha256(_json(_plain(value)).encode()).hexdigest()[:_DIGITS]


def memory_digest(memory: Memory) -> str:
    """The digest of a memory, without the texts of its verdict: what matters for the next decision."""
    verdict = memory.verdict
    return digest(
        replace(memory, verdict=None if verdict is None else replace(verdict, reasons=(), alarms=()))
    )


def _json(tree: object) -> str:
    return json.dumps(tree, allow_nan=False, separators=(",", ":"))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _plain(value: Any) -> Any:
    """What JSON can hold of a frozen value."""
    if isinstance(value, float):
        return value if math.isfinite(value) else {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if value is None or isinstance(value, str | int):
        return value.value if isinstance(value, StrEnum) else value
    if isinstance(value, _ROWS):
        return _row(value)
    kind: type = type(value)
    names = _names(kind)
    if names:
        return {name: _plain(getattr(value, name)) for name in names}
    return [_plain(item) for item in value]


def _row(value: Replica | Sample | Gateway | Outlook) -> list[Any]:
    kind: type = type(value)
    names, defaults = _names(kind), _defaults(kind)
    row = [getattr(value, name) for name in names]
    while names and names[len(row) - 1] in defaults and row[-1] == defaults[names[len(row) - 1]]:
        row.pop()
    return [_plain(item) for item in row]


@lru_cache(maxsize=64)
def _names(kind: type) -> tuple[str, ...]:
    """Fields of a dataclass or NamedTuple; none for others."""
    if is_dataclass(kind):
        return tuple(f.name for f in fields(kind) if kind is not ModelFleet or f.name not in _BESIDE)
    return tuple(getattr(kind, "_fields", ()))


@lru_cache(maxsize=64)
def _defaults(kind: type) -> dict[str, Any]:
    """Fields that may be left out, with what they then are; a factory's are made once, since they are frozen."""
    if is_dataclass(kind):
        plain = {field.name: field.default for field in fields(kind) if field.default is not MISSING}
        made = {f.name: f.default_factory() for f in fields(kind) if f.default_factory is not MISSING}
        return plain | made
    return dict(getattr(kind, "_field_defaults", {}))


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _valued(hint: Any, tree: Any, path: str) -> Any:
    """The value that `tree` holds, where one of type `hint` is expected.

    Raises:
        Misfit: It holds none.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        # the only unions are X | None
        return None if tree is None else _valued(arguments[0], tree, path)
    if origin is tuple:
        items = enumerate(_expected(list, tree, path))
        return tuple(_valued(arguments[0], item, f"{path}[{at}]") for at, item in items)
    if hint is float:
        return _number(tree, path)
    if issubclass(hint, StrEnum):
        if tree not in tuple(hint):
            raise Misfit(f"{path}: {shown(tree)} is none of {', '.join(hint)}")
        return hint(tree)
    if _names(hint):
        return _record(hint, tree, path)
    return _expected(hint, tree, path)


def _record(kind: type, tree: Any, path: str) -> Any:
    names, hints, defaults = _names(kind), _hints(kind), _defaults(kind)
    if kind in _ROWS:
        row = _expected(list, tree, path)
        if len(row) > len(names):
            raise Misfit(f"{path}: has {len(row)} fields, at most {len(names)} are known")
        tree = dict(zip(names, row, strict=False))
    given = _expected(dict, tree, path)
    for name in given:
        if name not in names:
            raise Misfit(f"{path}{'.' if path else ''}{shown(name)[1:-1]}: is not known")
    values = {}
    for name in names:
        below = f"{path}.{name}" if path else name
        if name in given:
            values[name] = _valued(hints[name], given[name], below)
        elif name not in defaults or kind not in _ROWS:
            raise Misfit(f"{below}: is missing")
    return kind(**values)


def _number(tree: Any, path: str) -> float:
    if isinstance(tree, str) and tree in _UNSPEAKABLE:
        return _UNSPEAKABLE[tree]
    if isinstance(tree, bool) or not isinstance(tree, int | float):
        raise Misfit(f"{path}: {shown(tree)} is not a number")
    try:
        value = float(tree)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        # JSON's 1e999: nothing that was written here
        raise Misfit(f"{path}: {shown(tree)} is too large for a number")
    return value


def _expected(kind: type, tree: Any, path: str) -> Any:
    """`tree` itself, if it is of that very type (True is no number)."""
    if type(tree) is not kind:
        called = {
            list: "a list",
            dict: "an object",
            str: "a text",
            int: "a whole number",
            bool: "true or false",
        }
        raise Misfit(f"{path or 'the line'}: {shown(tree)} is not {called[kind]}")
    return tree
