"""Reading YAML trees whose shape nobody has checked: what is not there, or not of the kind asked for, is None."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from headrace.documents import Mapping, Node, Scalar, Sequence, Steps

_UNKNOWN: Final = re.compile(r"\{\{|\$\{|\$\(|\$[A-Za-z_]")
_PERCENT: Final = re.compile(r"([0-9]{1,6})%")


def child(node: Node | None, *steps: str | int) -> Node | None:
    """What stands at a path, or None."""
    for step in steps:
        if isinstance(node, Mapping) and isinstance(step, str):
            entry = node.entry(step)
            node = entry.value if entry else None
        elif isinstance(node, Sequence) and isinstance(step, int):
            node = node.items[step] if 0 <= step < len(node.items) else None
        else:
            return None
    return node


def has(node: Node | None, *steps: str | int) -> bool:
    """Whether something but null is written at a path."""
    found = child(node, *steps)
    return found is not None and not (isinstance(found, Scalar) and found.value is None)


def mapping(node: Node | None, *steps: str | int) -> Mapping | None:
    """The mapping at a path, or None."""
    found = child(node, *steps)
    return found if isinstance(found, Mapping) else None


def items(node: Node | None, *steps: str | int) -> tuple[Node, ...]:
    """The items of the list at a path; none where there is no list."""
    found = child(node, *steps)
    return found.items if isinstance(found, Sequence) else ()


def scalar(node: Node | None, *steps: str | int) -> Scalar | None:
    """The scalar at a path, null left out."""
    found = child(node, *steps)
    return found if isinstance(found, Scalar) and found.value is not None else None


def raw(node: Node | None, *steps: str | int) -> str | None:
    """The text of the scalar at a path as it is written, variables and all."""
    found = scalar(node, *steps)
    return found.text if found else None


def is_known(text: str) -> bool:
    """Whether nothing has to be filled in: no ``{{ }}``, no ``$VARIABLE``."""
    return not _UNKNOWN.search(text)


def text(node: Node | None, *steps: str | int) -> str | None:
    """The text at a path, None also where a variable or a template stands in it."""
    found = raw(node, *steps)
    return found if found is not None and is_known(found) else None


def number(node: Node | None, *steps: str | int) -> int | None:
    """The whole number at a path, quoted or not; None where it is none or not known."""
    found = text(node, *steps)
    return int(found) if found is not None and re.fullmatch(r"-?[0-9]{1,12}", found) else None


def truth(node: Node | None, *steps: str | int) -> bool | None:
    """The truth value at a path; None where it is none."""
    found = scalar(node, *steps)
    if found is None or not is_known(found.text):
        return None
    return {"true": True, "false": False}.get(found.text.lower())


def percent(node: Node | None, *steps: str | int) -> float | None:
    """``25%`` as 0.25; None where it is no share."""
    found = text(node, *steps)
    match = _PERCENT.fullmatch(found or "")
    return int(match[1]) / 100 if match else None


def texts(node: Node | None, *steps: str | int) -> dict[str, str]:
    """Keys and texts of a mapping of plain texts, such as labels; what is no text is left out."""
    found = child(node, *steps)
    if not isinstance(found, Mapping):
        return {}
    return {e.key.text: e.value.text for e in found.entries if isinstance(e.value, Scalar)}


def walk(node: Node | None, path: Steps = ()) -> Iterator[tuple[Steps, Node]]:
    """A node and all below it, with their paths, in the order of the file."""
    if node is None:
        return
    yield path, node
    if isinstance(node, Mapping):
        for entry in node.entries:
            yield from walk(entry.value, (*path, entry.key.text))
    elif isinstance(node, Sequence):
        for i, item in enumerate(node.items):
            yield from walk(item, (*path, i))
