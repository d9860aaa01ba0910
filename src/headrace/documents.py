"""YAML as it is written: a tree of nodes that know their line and column. Safe against hostile files.

A scalar keeps its text; what it means is for the reader of the field to say. That is how YAML's old traps
end: ``no`` is not false here, ``010`` is not 8, ``3:00`` is not 180. `data` turns a tree into plain values
and leaves every text on which readers of YAML disagree as `Ambiguous`, for the typed reader to refuse.

Not a loader of Python objects: any tag but ``!!str``, ``!!map`` and ``!!seq`` is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import yaml

from headrace.errors import ConfigError
from headrace.units import NUMBER, shown

MOST_BYTES: Final = 4 * 2**20
"""Largest file: three times what a cluster stores as one object, and seconds of parsing."""
DEEPEST: Final = 50
"""Nesting that no hand-written manifest reaches (a pod template ends near 15)."""
MOST_ALIASED: Final = 10_000
"""Nodes that aliases may add to a file, nested ones counted in full (nine levels of nine would be 4e8)."""

_MOST_REPARSED: Final = 2**18  # characters that Python's parser reads in about a second
_UNPRINTABLE: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS: Final = ("!", *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq")))
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml: 10 times faster, the same events
_EXPONENT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0[xo][0-9a-fA-F]+")


class Mark(NamedTuple):
    """A place in the text, both 1-based, as editors count."""

    line: int
    column: int


class Ambiguous(str):
    """An unquoted scalar that is text to one reader of YAML and a number, date or truth value to another."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value without inner structure."""

    text: str
    plain: bool
    """Written without quotes (and not as a block), so YAML may read a number or null out of it."""
    mark: Mark
    end: Mark
    """Just behind the last character."""

    @property
    def value(self) -> str | int | float | bool | None:
        """What every reader of YAML agrees on, else the text (`Ambiguous` where they don't)."""
        if not self.plain:
            return self.text
        if self.text in ("", "~", "null", "Null", "NULL"):
            return None
        if self.text in ("true", "True", "TRUE", "false", "False", "FALSE"):
            return self.text[0] in "tT"
        if re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", self.text):
            return int(self.text)
        if re.fullmatch(rf"-?(?!0[0-9]){NUMBER}", self.text) and "." in self.text:
            return float(self.text)
        return Ambiguous(self.text) if _is_ambiguous(self.text) else self.text


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    mark: Mark


class Entry(NamedTuple):
    """One key of a mapping with its value; of a merged one (``<<``), the marks are where it was written."""

    key: Scalar
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and values in the order of the file, then those merged in by ``<<``; no key twice."""

    entries: tuple[Entry, ...]
    mark: Mark

    def entry(self, key: str) -> Entry | None:
        """The entry of that key, or None."""
        return next((entry for entry in self.entries if entry.key.text == key), None)


Node: TypeAlias = Scalar | Sequence | Mapping
Steps: TypeAlias = tuple[str | int, ...]
"""A path inside a document: keys and list indices, outermost first."""


@dataclass(frozen=True, slots=True)
class Document:
    """One of the documents of a file."""

    source: str
    root: Node

    @property
    def empty(self) -> bool:
        """Nothing between two ``---`` but comments, or an explicit null."""
        return isinstance(self.root, Scalar) and self.root.value is None


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
    text = _text(content, source)
    try:
        return _built(text, source, _LOADER)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        first: Exception = error
    # Python's own parser words its problems in one way on every machine; libyaml's differ by release.
    try:
        if len(text) <= _MOST_REPARSED:
            _built(text, source, yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise _syntax_error(error, source) from error
    raise _syntax_error(first, source) from first


def _built(text: str, source: str, loader: Any) -> tuple[Document, ...]:
    return tuple(_Builder(source, yaml.parse(text, Loader=loader)).documents())


def data(node: Node) -> object:
    """Plain dicts, lists and scalar values (`Scalar.value`) of a tree; marks are left behind."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [data(item) for item in node.items]
    return {entry.key.text: data(entry.value) for entry in node.entries}


def mark_at(node: Node, path: Steps) -> Mark:
    """Where the last step of a path is written: its key or list item, or as deep as the path exists."""
    mark = node.mark
    for step in path:
        if isinstance(node, Mapping) and isinstance(step, str) and (entry := node.entry(step)):
            mark, node = entry.key.mark, entry.value
        elif isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
            mark = node.mark
        else:
            break
    return mark


def dotted(path: Steps) -> str:
    """``("spec", "phases", 1, "median")`` as ``spec.phases[1].median``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            word = step if re.fullmatch(r"[\w-]{1,63}", step) else shown(step)
            text += f".{word}" if text else word
    return text


class _Built(NamedTuple):
    """A finished node with what bounds need: nodes in it and levels of it, aliases followed."""

    node: Node
    nodes: int
    levels: int


class _Builder:
    """Turns parser events into trees; one per file, since the bound on aliases is the file's."""

    def __init__(self, source: str, events: Iterator[yaml.Event]) -> None:
        self.source = source
        self.events = events
        self.aliased = 0
        self.anchors: dict[str, _Built | None] = {}

    def documents(self) -> Iterator[Document]:
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                self.anchors = {}
                yield Document(self.source, self.built(next(self.events), (), 1).node)

    def built(self, event: yaml.Event, path: Steps, depth: int) -> _Built:
        if depth > DEEPEST:
            raise self.error(event, path[:1], f"nested more than {DEEPEST} levels deep")
        if isinstance(event, yaml.AliasEvent):
            return self.aliased_node(event, path, depth)
        tag, anchor = getattr(event, "tag", None), getattr(event, "anchor", None)
        if tag and tag not in _TAGS:
            short = shown(tag.replace("tag:yaml.org,2002:", "!!"))
            raise self.error(event, path, f"the tag {short} is not allowed; write the value without it")
        if anchor:
            self.anchors[anchor] = None  # open: an alias to it from inside would never end
        mark = _start(event)
        if isinstance(event, yaml.MappingStartEvent):
            built = self.mapping(mark, path, depth)
        elif isinstance(event, yaml.SequenceStartEvent):
            built = self.sequence(mark, path, depth)
        else:
            assert isinstance(event, yaml.ScalarEvent)
            if surrogate := _UNPRINTABLE.search(event.value):
                raise self.error(event, path, f"character U+{ord(surrogate[0]):04X} is not allowed")
            plain = not event.style and not tag  # libyaml marks plain as "", Python's parser as None
            built = _Built(Scalar(event.value, plain, mark, _end(event)), 1, 1)
        if anchor:
            self.anchors[anchor] = built
        return built

    def aliased_node(self, event: yaml.AliasEvent, path: Steps, depth: int) -> _Built:
        name = event.anchor or ""
        if (built := self.anchors.get(name)) is None:
            why = "stands inside what it repeats" if name in self.anchors else "has no anchor before it"
            raise self.error(event, path, f"the alias {shown('*' + name)} {why}")
        self.aliased += built.nodes
        if self.aliased > MOST_ALIASED or depth + built.levels - 1 > DEEPEST:
            raise self.error(
                event, path[:1], f"aliases expand to more than {MOST_ALIASED:,} values or {DEEPEST} levels"
            )
        return built

    def sequence(self, mark: Mark, path: Steps, depth: int) -> _Built:
        items: list[_Built] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.built(event, (*path, len(items)), depth + 1))
        return self.collected(Sequence(tuple(item.node for item in items), mark), items)

    def mapping(self, mark: Mark, path: Steps, depth: int) -> _Built:
        entries: dict[str, Entry] = {}
        merged: list[Entry] = []
        parts: list[_Built] = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.built(event, path, depth + 1).node
            if not isinstance(key, Scalar):
                raise self.error(event, path, "a key must be plain text, not a list or a mapping")
            here = (*path, key.text)
            if key.text in entries:
                first = entries[key.text].key.mark.line
                raise self.error(event, here, f"the key is given twice in one mapping, first on line {first}")
            event = next(self.events)
            part = self.built(event, here, depth + 1)
            parts.append(part)
            entries[key.text] = Entry(key, part.node)
            if key.plain and key.text == "<<":
                merged = self.merged(part.node, event, here)
        if "<<" in entries and entries["<<"].key.plain:
            del entries["<<"]
        for entry in merged:
            entries.setdefault(entry.key.text, entry)
        return self.collected(Mapping(tuple(entries.values()), mark), parts)

    def merged(self, node: Node, event: yaml.Event, path: Steps) -> list[Entry]:
        sources = node.items if isinstance(node, Sequence) else (node,)
        found: list[Entry] = []
        for source in sources:
            if not isinstance(source, Mapping):
                raise self.error(event, path, "<< merges mappings only, as in <<: *name")
            found.extend(source.entries)
        return found

    @staticmethod
    def collected(node: Node, parts: list[_Built]) -> _Built:
        return _Built(node, 1 + sum(p.nodes for p in parts), 1 + max((p.levels for p in parts), default=0))

    def error(self, event: yaml.Event, path: Steps, problem: str) -> ConfigError:
        return ConfigError(self.source, _start(event).line, dotted(path), problem)


def _start(event: yaml.Event) -> Mark:
    mark = event.start_mark
    assert mark is not None  # both parsers mark all events
    return Mark(mark.line + 1, mark.column + 1)


def _end(event: yaml.Event) -> Mark:
    mark = event.end_mark
    assert mark is not None
    return Mark(mark.line + 1, mark.column + 1)


def _text(content: bytes | str, source: str) -> str:
    """The text of a file, checked so that both of YAML's parsers see only what they agree on."""
    if len(content) > MOST_BYTES:
        raise ConfigError(source, 0, "", f"larger than {MOST_BYTES // 2**20} MiB, the most that is read")
    text = _decoded(content, source) if isinstance(content, bytes) else content
    text = text.removeprefix("\ufeff")
    if bad := _UNPRINTABLE.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        raise ConfigError(source, line, "", f"character U+{ord(bad[0]):04X} is not text; is it a text file?")
    return text


def _decoded(content: bytes, source: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError(source, 0, "", "encoded as UTF-16; save it as UTF-8")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{content[error.start]:02x} is not UTF-8 text; is it a text file?"
        raise ConfigError(source, line, "", problem) from error


def _is_ambiguous(text: str) -> bool:
    """Whether YAML 1.1 (its truth values, dates, octals, base 60) or 1.2 (exponents) reads more than text."""
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(text[:1], [])
    return (
        any(pattern.match(text) for _, pattern in resolvers)
        or text in ("y", "Y", "n", "N")
        or _EXPONENT.fullmatch(text) is not None
    )


_PROBLEMS: Final = (
    ("'\\t' that cannot start", "a tab can't indent or separate here; use spaces"),
    ("mapping values are not allowed", 'a second ":" on the line, or indentation that does not fit'),
    ("could not find expected ':'", 'a key without ": " behind it'),
    ("unexpected end of stream", "a quote is opened and not closed"),
    ("found undefined tag handle", "a tag that is not known"),
    (
        "<block end>, but found '<scalar>'",
        "something behind the end of a value, such as a quote inside quotes",
    ),
    ("<block end>, but found ']'", 'a "]" that closes nothing'),
    ("<block end>, but found '}'", 'a "}" that closes nothing'),
    ("<block end>, but found ','", "a comma outside of brackets"),
    ("sequence entries are not allowed", 'a "- " that does not fit; list items stand on lines of their own'),
    ("escape", "an escape in quotes that is no character"),
    ("expected <block end>", "indentation that does not fit the lines above"),
    ("expected ',' or '}'", 'a "{" that is not closed, or a comma missing'),
    ("expected ',' or ']'", 'a "[" that is not closed, or a comma missing'),
    ("that cannot start any token", "a value that begins with a character that needs quotes, such as @ or %"),
    ("expected the node content", "a value is missing"),
    ("expected '<document start>'", 'something behind the end of the document; "---" starts another one'),
)


def _syntax_error(error: Exception, source: str) -> ConfigError:
    """One sentence for a parser's problem."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return ConfigError(source, 0, "", "not valid YAML: an escape or number beyond its range")
    problem = error.problem or error.context or "no reason given"
    worded = next((words for part, words in _PROBLEMS if part in problem), problem)
    mark = error.problem_mark or error.context_mark
    if error.context_mark and ("unexpected end of stream" in problem or "expected ','" in problem):
        mark = error.context_mark  # where the quote or bracket opens, not where the file ends
    return ConfigError(source, mark.line + 1 if mark else 0, "", f"not valid YAML: {worded}")
