"""Trees as YAML that all readers read alike, comments above the values that carry one; the same tree, the same bytes.

Block style, two spaces; a text of several lines or with quotes in it as a block (``|``) where that keeps it, so that
scripts and queries can be read; any other text without quotes only where no reader takes it for more.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from headrace.documents import quoted
from headrace.render.noted import Noted, Tree
from headrace.units import number_text

WIDTH: Final = 110
"""Columns of a comment."""


def yaml_text(tree: Tree) -> str:
    """One document, without a leading ``---``, ended by a line end."""
    return "\n".join(_lines(tree, "")) + "\n"


def comment(note: str, indent: str = "") -> list[str]:
    """The lines of a comment, folded at `WIDTH`."""
    width = max(40, WIDTH - len(indent) - 2)
    return [
        f"{indent}# {line}".rstrip()
        for sentence in note.split("\n")
        for line in (textwrap.wrap(sentence, width, break_long_words=False, break_on_hyphens=False) or [""])
    ]


def _lines(tree: Tree, indent: str) -> Iterator[str]:
    if isinstance(tree, Noted):
        yield from comment(tree.note, indent)
        yield from _lines(tree.value, indent)
    elif isinstance(tree, Mapping) and tree:
        for key, value in tree.items():
            yield from _entry(f"{quoted(key)}:", value, indent)
    elif isinstance(tree, list) and tree:
        for item in tree:
            yield from _item(item, indent)
    else:
        yield from (indent + line for line in _scalar(tree, indent))


def _entry(key: str, value: Tree, indent: str) -> Iterator[str]:
    while isinstance(value, Noted):
        yield from comment(value.note, indent)
        value = value.value
    if isinstance(value, Mapping | list) and value:
        yield indent + key
        yield from _lines(value, indent + "  ")
        return
    first, *rest = _scalar(value, indent)
    yield f"{indent}{key} {first}"
    yield from rest


def _item(item: Tree, indent: str) -> Iterator[str]:
    while isinstance(item, Noted):
        yield from comment(item.note, indent)
        item = item.value
    if isinstance(item, Mapping | list) and item:
        lines = list(_lines(item, indent + "  "))
        # comments of the first key stand above the dash, which then stands before the key itself
        start = next(at for at, line in enumerate(lines) if not line.lstrip().startswith("#"))
        yield from (indent + line.lstrip() for line in lines[:start])
        yield f"{indent}- {lines[start].lstrip()}"
        yield from lines[start + 1 :]
        return
    first, *rest = _scalar(item, indent)
    yield f"{indent}- {first}"
    yield from rest


def _scalar(value: Tree, indent: str) -> list[str]:
    """The first line as it stands behind a key, and those of a block."""
    if isinstance(value, str):
        return _block(value, indent) if "\n" in value or '"' in value else [quoted(value)]
    if value is None or isinstance(value, bool):
        return [{None: "null", True: "true", False: "false"}[value]]
    if isinstance(value, int | float):
        return [number_text(value)]
    return ["{}" if isinstance(value, Mapping) else "[]"]


def _block(text: str, indent: str) -> list[str]:
    lines = text.split("\n")
    chomp = "-" if lines[-1] else ""
    if not lines[-1]:
        lines.pop()
    odd = any(line != line.rstrip() or not (line.isprintable() or not line) for line in lines)
    if odd or not lines or not lines[-1] or not lines[0] or lines[0][0] == " ":
        return [quoted(text)]
    return [f"|{chomp}", *(f"{indent}  {line}" if line else "" for line in lines)]
