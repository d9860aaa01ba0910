"""Parser events to trees, within bounds that a hostile file can't leave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import yaml

from headrace.documents.node import Document, Entry, Mapping, Mark, Node, Scalar, Sequence, Steps, dotted
from headrace.documents.text import UNPRINTABLE
from headrace.errors import ConfigError
from headrace.units import shown

DEEPEST: Final = 50
"""Nesting that no hand-written manifest reaches (a pod template ends near 15)."""
MOST_ALIASED: Final = 10_000
"""Nodes that aliases may add to a file, nested ones counted in full (nine levels of nine would be 4e8)."""
MOST_REPARSED: Final = 2**18
"""Characters that Python's parser reads in about a second."""

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where it is there: 10 times faster, the same events."""
BROKEN: Final = (yaml.YAMLError, ValueError, OverflowError)
"""What the parsers raise; libyaml's wrapper leaves the last two to Python."""
_TAGS: Final = ("!", *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq")))


class Aliased:
    """How many nodes the aliases of one file have added so far; all its documents share one."""

    def __init__(self) -> None:
        self.nodes = 0


def built(
    text: str, source: str, loader: Any, first_line: int = 1, aliased: Aliased | None = None
) -> tuple[Document, ...]:
    """The documents of a text, empty ones included.

    Args:
        text: What `text.checked` has let pass.
        source: The file's name, for messages.
        loader: A loader of PyYAML; its parser is what counts.
        first_line: Line of the file that the text begins at.
        aliased: What the documents before have added; None: there were none.

    Raises:
        ConfigError: Too deep, a duplicate key, a tag, or aliases that explode.
        yaml.YAMLError: Not YAML; also ValueError and OverflowError (`BROKEN`).
    """
    builder = _Builder(source, yaml.parse(text, Loader=loader), first_line, aliased or Aliased())
    return tuple(builder.documents())


class _Built(NamedTuple):
    """A finished node with what bounds need: nodes in it and levels of it, aliases followed."""

    node: Node
    nodes: int
    levels: int


class _Builder:
    """Turns parser events into trees; one per text."""

    def __init__(self, source: str, events: Iterator[yaml.Event], first_line: int, aliased: Aliased) -> None:
        self.source = source
        self.events = events
        self.first_line = first_line
        self.aliased = aliased
        self.anchors: dict[str, _Built | None] = {}

    def documents(self) -> Iterator[Document]:
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                self.anchors = {}
                line = self.start(event).line
                yield Document(self.source, self.built(next(self.events), (), 1).node, line)

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
        if isinstance(event, yaml.ScalarEvent):
            built = _Built(self.scalar(event, bool(tag), path), 1, 1)
        elif isinstance(event, yaml.MappingStartEvent):
            built = self.mapping(event, path, depth)
        else:
            assert isinstance(event, yaml.SequenceStartEvent)
            built = self.sequence(event, path, depth)
        if anchor:
            self.anchors[anchor] = built
        return built

    def scalar(self, event: yaml.ScalarEvent, tagged: bool, path: Steps) -> Scalar:
        if surrogate := UNPRINTABLE.search(event.value):
            raise self.error(event, path, f"character U+{ord(surrogate[0]):04X} is not allowed")
        style = event.style or ""  # libyaml marks plain as "", Python's parser as None
        return Scalar(event.value, not style and not tagged, self.start(event), self.end(event), style)

    def aliased_node(self, event: yaml.AliasEvent, path: Steps, depth: int) -> _Built:
        name = event.anchor or ""
        if (built := self.anchors.get(name)) is None:
            why = "stands inside what it repeats" if name in self.anchors else "has no anchor before it"
            raise self.error(event, path, f"the alias {shown('*' + name)} {why}")
        self.aliased.nodes += built.nodes
        if self.aliased.nodes > MOST_ALIASED or depth + built.levels - 1 > DEEPEST:
            raise self.error(
                event, path[:1], f"aliases expand to more than {MOST_ALIASED:,} values or {DEEPEST} levels"
            )
        return built

    def sequence(self, event: yaml.SequenceStartEvent, path: Steps, depth: int) -> _Built:
        mark, flow = self.start(event), bool(event.flow_style)
        items: list[_Built] = []
        inner: yaml.Event
        while not isinstance(inner := next(self.events), yaml.SequenceEndEvent):
            items.append(self.built(inner, (*path, len(items)), depth + 1))
        nodes = tuple([item.node for item in items])
        return self.collected(Sequence(nodes, mark, self.end(inner), flow), items)

    def mapping(self, event: yaml.MappingStartEvent, path: Steps, depth: int) -> _Built:
        mark, flow = self.start(event), bool(event.flow_style)
        entries: dict[str, Entry] = {}
        merged: list[Entry] = []
        parts: list[_Built] = []
        inner: yaml.Event
        while not isinstance(inner := next(self.events), yaml.MappingEndEvent):
            key = self.built(inner, path, depth + 1).node
            if not isinstance(key, Scalar):
                raise self.error(inner, path, "a key must be plain text, not a list or a mapping")
            here = (*path, key.text)
            if key.text in entries:
                first = entries[key.text].key.mark.line
                raise self.error(inner, here, f"the key is given twice in one mapping, first on line {first}")
            inner = next(self.events)
            part = self.built(inner, here, depth + 1)
            parts.append(part)
            entries[key.text] = Entry(key, part.node)
            if key.plain and key.text == "<<":
                merged = self.merged(part.node, inner, here)
        if "<<" in entries and entries["<<"].key.plain:
            del entries["<<"]
        for entry in merged:
            entries.setdefault(entry.key.text, entry)
        return self.collected(Mapping(tuple(entries.values()), mark, self.end(inner), flow), parts)

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
        nodes, levels = 1, 0
        for part in parts:
            nodes += part.nodes
            levels = max(levels, part.levels)
        return _Built(node, nodes, levels + 1)

    def start(self, event: yaml.Event) -> Mark:
        mark: Any = event.start_mark  # both parsers mark all events
        return Mark(mark.line + self.first_line, mark.column + 1)

    def end(self, event: yaml.Event) -> Mark:
        mark: Any = event.end_mark
        return Mark(mark.line + self.first_line, mark.column + 1)

    def error(self, event: yaml.Event, path: Steps, problem: str) -> ConfigError:
        return ConfigError(self.source, self.start(event).line, dotted(path), problem)
