"""What a fix changes, in terms of the YAML tree; `fix` turns it into edits of the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from headrace.documents import Mapping, Scalar, Sequence


@dataclass(frozen=True, eq=False)
class SetScalar:
    """A scalar's text is replaced by another; quotes stay as they are written.

    Where none are written the text is YAML as it stands: ``true`` is a truth value, ``"true"`` a text.
    """

    node: Scalar
    text: str


@dataclass(frozen=True, eq=False)
class AddKey:
    """A key is added to a mapping."""

    mapping: Mapping
    key: str
    value: str
    """YAML, its first line behind ``key:`` where it is one line; several lines are indented below it."""


@dataclass(frozen=True, eq=False)
class AddItems:
    """Words are added behind the last item of a list; each is quoted where YAML would read more than text."""

    sequence: Sequence
    items: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class DeleteKey:
    """A key of a mapping is deleted with its value."""

    mapping: Mapping
    key: str


@dataclass(frozen=True, eq=False)
class ReplaceInScript:
    """Part of a scalar's text is replaced; only for ``|`` blocks and plain or quoted texts on one line."""

    node: Scalar
    at: int
    """Characters from the beginning of the scalar's text."""
    end: int
    text: str


Change: TypeAlias = SetScalar | AddKey | AddItems | DeleteKey | ReplaceInScript
