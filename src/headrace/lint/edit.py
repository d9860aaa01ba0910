"""Changes of a YAML tree as edits of its text: what is not meant stays as it is written, to the byte."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from headrace.documents import Mapping, Mark, Node, Scalar, Sequence
from headrace.lint.change import AddItems, AddKey, Change, DeleteKey, ReplaceInScript, SetScalar
from headrace.manifest.words import mark_in

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_PLAIN: Final = re.compile(r"[A-Za-z_/.-][A-Za-z0-9_/.@%+=-]*|-?[0-9]+(?:\.[0-9]+)?")
_READ_AS_MORE: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "-", "."))


class Edit(NamedTuple):
    """Characters of a text replaced by others; nothing replaced: an insertion."""

    start: int
    end: int
    text: str
    depth: int = 0
    """Of two insertions at one place the deeper one comes first."""


class Unfixable(Exception):
    """A change that can't be made in the text as it is written; its finding is left to a person."""


class Text:
    """A file's text with its lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        ends = list(_LINE_END.finditer(text))
        self.starts = [0, *(match.end() for match in ends)]
        self.lines = tuple(_LINE_END.split(text))
        self.newline = ends[0][0] if ends else "\n"

    def offset(self, mark: Mark) -> int:
        """Where a place of the file is in its text."""
        if not 1 <= mark.line <= len(self.starts):
            raise Unfixable
        return min(self.starts[mark.line - 1] + mark.column - 1, len(self.text))

    def behind_line(self, line: int) -> int:
        """Where the line behind one begins; the end of the text, if there is none."""
        return self.starts[line] if line < len(self.starts) else len(self.text)


def edits(text: Text, change: Change) -> list[Edit]:
    """The edits that make a change.

    Raises:
        Unfixable: The text is written so that it can't be made surely.
    """
    if isinstance(change, SetScalar):
        return [_set(text, change)]
    if isinstance(change, AddKey):
        return [_added(text, change)]
    if isinstance(change, AddItems):
        return [_appended(text, change)]
    if isinstance(change, DeleteKey):
        return [_deleted(text, change)]
    return [_replaced(text, change)]


def _set(text: Text, change: SetScalar) -> Edit:
    node = change.node
    if node.style in ("|", ">") or node.mark.line != node.end.line:
        raise Unfixable
    written = text.text[text.offset(node.mark) : text.offset(node.end)]
    if node.style:
        if written[:1] != node.style or change.text.strip(_SAFE_IN_QUOTES) or len(written) < 2:
            raise Unfixable
        new = node.style + change.text + node.style
    else:
        new = change.text if written else " " + change.text
    return Edit(text.offset(node.mark), text.offset(node.end), new)


_SAFE_IN_QUOTES: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./:=%,+@"


def quoted(text: str) -> str:
    """A text as a YAML scalar: plain where all readers agree on it, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _READ_AS_MORE:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _own(mapping: Mapping) -> list[Node]:
    """Keys written in the mapping itself, not merged in from elsewhere."""
    return [
        entry.key
        for entry in mapping.entries
        if mapping.mark <= entry.key.mark and entry.key.mark <= mapping.end
    ]


def _added(text: Text, change: AddKey) -> Edit:
    mapping = change.mapping
    if mapping.flow:
        if "\n" in change.value:
            raise Unfixable
        at = text.offset(mapping.mark) + 1
        if text.text[at - 1 : at] != "{":
            raise Unfixable
        key, value = (change.key, change.value)
        if _is_json(text, mapping):
            key = f'"{key}"'
            value = value if re.fullmatch(r'-?[0-9.]+|true|false|".*"', value) else f'"{value}"'
        return Edit(at, at, f"{key}: {value}" + (", " if mapping.entries else ""))
    own = _own(mapping)
    if not own:
        raise Unfixable
    last = max(own, key=lambda key: key.mark)
    entry = next(entry for entry in mapping.entries if entry.key is last)
    at = text.behind_line(last_line(text, entry.value, entry.key.end.line))
    indent = mapping.mark.column - 1
    if text.lines[mapping.mark.line - 1][:indent].strip(" -"):
        raise Unfixable
    return Edit(at, at, _lines(text, at, _entry(change, indent, text.newline)), indent)


def _is_json(text: Text, mapping: Mapping) -> bool:
    """Whether a flow mapping is JSON's, whose keys and texts stand in double quotes."""
    first = mapping.entries[0].key.style if mapping.entries else ""
    return first == '"' or (not first and text.text.lstrip()[:1] == "{")


def _entry(change: AddKey, indent: int, newline: str) -> str:
    pad = " " * indent
    lines = change.value.split("\n")
    if len(lines) == 1:
        return f"{pad}{change.key}: {change.value}{newline}"
    first, rest = (f" {lines[0]}", lines[1:]) if lines[0].startswith(("|", ">")) else ("", lines)
    body = newline.join(f"{pad}  {line}".rstrip() for line in rest)
    return f"{pad}{change.key}:{first}{newline}{body}{newline}"


def _lines(text: Text, at: int, new: str) -> str:
    """New lines for a place at a line's beginning; at the end of a text that lacks its last line end, one more."""
    if at == len(text.text) and text.text and not text.text.endswith(("\n", "\r")):
        return text.newline + new.removesuffix(text.newline)
    return new


def _appended(text: Text, change: AddItems) -> Edit:
    sequence = change.sequence
    last = sequence.items[-1] if sequence.items else None
    if not isinstance(last, Scalar) or (not sequence.flow and last.mark < sequence.mark):
        raise Unfixable
    style = last.style if last.style in ("'", '"') else ""
    words = [
        f"{style}{item}{style}" if style and not item.strip(_SAFE_IN_QUOTES) else quoted(item)
        for item in change.items
    ]
    if sequence.flow:
        at = text.offset(last.end)
        return Edit(at, at, "".join(f", {word}" for word in words))
    indent = sequence.mark.column - 1
    if text.text[text.offset(sequence.mark) : text.offset(sequence.mark) + 1] != "-":
        raise Unfixable
    at = text.behind_line(last_line(text, last, last.mark.line))
    lines = "".join(f"{' ' * indent}- {word}{text.newline}" for word in words)
    return Edit(at, at, _lines(text, at, lines), indent)


def _deleted(text: Text, change: DeleteKey) -> Edit:
    entry = change.mapping.entry(change.key)
    if entry is None or change.mapping.flow or len(_own(change.mapping)) < 2:
        raise Unfixable
    line = entry.key.mark.line
    start, end = text.starts[line - 1], text.behind_line(last_line(text, entry.value, entry.key.end.line))
    if text.lines[line - 1][: entry.key.mark.column - 1].strip() or "#" in text.text[start:end]:
        raise Unfixable
    return Edit(start, end, "")


def _replaced(text: Text, change: ReplaceInScript) -> Edit:
    node = change.node
    start, end = mark_in(node, change.at, text.lines), mark_in(node, change.end, text.lines)
    at, to = text.offset(start), text.offset(end)
    if text.text[at:to] != node.text[change.at : change.end] or (
        at == to and start == node.mark and change.at
    ):
        raise Unfixable
    if node.style == "|":
        pad = " " * (start.column - 1 - (change.at - (node.text.rfind("\n", 0, change.at) + 1)))
        new = change.text.replace("\n", text.newline + pad)
    elif "\n" in change.text or change.text.strip(_SAFE_IN_QUOTES):
        raise Unfixable
    else:
        new = change.text
    return Edit(at, to, new)


def last_line(text: Text, node: Node, least: int) -> int:
    """The 1-based line on which a value ends, comments behind it left out."""
    if isinstance(node, Scalar):
        if node.style in ("|", ">"):
            line = _block_end(text, node)
            if text.behind_line(line) == len(text.text) and not text.text.endswith(("\n", "\r")):
                raise Unfixable  # a line end behind it would become part of its text
            return line
        return max(least, node.end.line)
    if node.flow:
        return max(least, node.end.line if node.end.column > 1 else node.end.line - 1)
    if isinstance(node, Sequence):
        return last_line(text, node.items[-1], node.mark.line) if node.items else least
    lines = [least]
    own = [entry for entry in node.entries if node.mark <= entry.key.mark <= node.end]
    return max(lines + [last_line(text, entry.value, entry.key.end.line) for entry in own])


def _block_end(text: Text, node: Scalar) -> int:
    """The last line of a ``|`` or ``>`` block that holds text."""
    line = last = node.mark.line
    indent = -1
    while line < len(text.lines):
        written = text.lines[line]
        if written.strip():
            width = len(written) - len(written.lstrip(" "))
            if indent < 0:
                indent = width
            if (
                width < indent
                or indent == 0
                or line + 1 >= max(node.end.line, node.mark.line + 1) + (node.end.column > 1)
            ):
                break
            last = line + 1
        line += 1
    return last
