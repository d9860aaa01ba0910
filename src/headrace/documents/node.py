"""The tree that YAML becomes: nodes that know where they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import yaml

from headrace.units import NUMBER, shown

_EXPONENT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0[xo][0-9a-fA-F]+")
_BARE: Final = re.compile(
    r"(?:[A-Za-z0-9_/.]|--?(?=[a-z]))([A-Za-z0-9_ ,./@%+=()-]|:(?! )|(?<! )#)*(?<![ :])"
)
_ESCAPED: Final = re.compile("[\x00-\x1f\x7f-\xa0\ud800-\udfff\u2028\u2029\ufeff\ufffe\uffff]")


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
    """Just behind the last character; of a block (``|``, ``>``) where the next token begins."""
    style: str = ""
    """How it is written: nothing for plain, else the character it begins with: ``"``, ``'``, ``|`` or ``>``."""

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
    end: Mark = Mark(0, 0)  # noqa: RUF009 - frozen
    """Of a flow list (``[…]``) just behind the bracket; of a block where the next token begins."""
    flow: bool = False


class Entry(NamedTuple):
    """One key of a mapping with its value; of a merged one (``<<``), the marks are where it was written."""

    key: Scalar
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and values in the order of the file, then those merged in by ``<<``; no key twice."""

    entries: tuple[Entry, ...]
    mark: Mark
    end: Mark = Mark(0, 0)  # noqa: RUF009 - frozen
    """Of a flow mapping (``{…}``) just behind the brace; of a block where the next token begins."""
    flow: bool = False

    def entry(self, key: str) -> Entry | None:
        """The entry of that key, or None."""
        for entry in self.entries:
            if entry.key.text == key:
                return entry
        return None


Node: TypeAlias = Scalar | Sequence | Mapping
Steps: TypeAlias = tuple[str | int, ...]
"""A path inside a document: keys and list indices, outermost first."""


@dataclass(frozen=True, slots=True)
class Document:
    """One of the documents of a file."""

    source: str
    root: Node
    line: int = 1
    """Where it begins in its file, the line behind its ``---``."""

    @property
    def empty(self) -> bool:
        """Nothing between two ``---`` but comments, or an explicit null."""
        return isinstance(self.root, Scalar) and self.root.value is None


class Unread(NamedTuple):
    """A document of a file that holds no YAML of ours, while its neighbours may."""

    source: str
    line: int
    """Where the reason is, or where the document begins."""
    problem: str
    template: bool
    """It holds ``{{ }}``, so it is a template that nothing has rendered yet."""


def data(node: Node) -> object:
    """Plain dicts, lists and scalar values (`Scalar.value`) of a tree; marks are left behind."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [data(item) for item in node.items]
    return {entry.key.text: data(entry.value) for entry in node.entries}


def quoted(text: str) -> str:
    """The text as a YAML scalar on one line: without quotes where all readers agree on it, else in double quotes."""
    value = Scalar(text, True, Mark(1, 1), Mark(1, 1)).value
    if _BARE.fullmatch(text) and isinstance(value, str) and not isinstance(value, Ambiguous):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return '"' + _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04X}", escaped) + '"'


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


def _is_ambiguous(text: str) -> bool:
    """Whether YAML 1.1 (its truth values, dates, octals, base 60) or 1.2 (exponents) reads more than text."""
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(text[:1], [])
    return (
        any(pattern.match(text) for _, pattern in resolvers)
        or text in ("y", "Y", "n", "N")
        or _EXPONENT.fullmatch(text) is not None
    )
