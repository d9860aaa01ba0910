"""Plain trees (dicts, lists, texts, numbers) whose values may carry a comment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias


class Noted(NamedTuple):
    """A value and the comment that stands above it."""

    value: Tree
    note: str
    """Sentences; each line of it begins a line of the comment."""


Tree: TypeAlias = "Mapping[str, Tree] | list[Tree] | str | int | float | bool | Noted | None"


def plain(tree: Tree) -> Any:
    """The tree without comments, as an API server gets it."""
    if isinstance(tree, Noted):
        return plain(tree.value)
    if isinstance(tree, Mapping):
        return {key: plain(value) for key, value in tree.items()}
    return [plain(item) for item in tree] if isinstance(tree, list) else tree


def given(tree: Mapping[str, Tree | None]) -> dict[str, Tree]:
    """The entries that hold something: what is None, an empty text, list or mapping is left out."""
    return {key: value for key, value in tree.items() if value is not None and value not in ("", [], {})}
