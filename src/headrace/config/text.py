"""Values of the file that are texts: one, a list of them, a mapping of names to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from headrace.config.leaf import Leaf, Quantity
from headrace.config.shape import Contradiction
from headrace.documents import Ambiguous
from headrace.units import UnitError, shown, size_bytes, size_text

MOST_TEXTS = 128
"""Items of a list, entries of a mapping."""


@dataclass(frozen=True, slots=True)
class Text(Leaf):
    """A text of a certain form."""

    noun: str
    """With its article: ``an image``."""
    pattern: str
    example: str

    @property
    def allowed(self) -> str:
        """For instance ``an image such as vllm/vllm-openai:v0.11.0``."""
        return f"{self.noun} such as {self.example}"

    def value(self, given: object) -> str:
        """The text; what YAML may read as a number, date or truth value is refused unless it is in quotes."""
        if isinstance(given, Ambiguous) or not isinstance(given, str):
            bare = shown(given).strip('"')
            raise UnitError(f"{bare} without quotes is not text to every reader of YAML; write it in quotes")
        if not re.fullmatch(self.pattern, given):
            raise UnitError(f"{shown(given)} is not {self.noun}; write one such as {self.example}")
        return str(given)

    def json_schema(self) -> dict[str, Any]:
        """A string with the pattern."""
        return {"type": "string", "pattern": f"^{self.pattern}$"}


@dataclass(frozen=True, slots=True)
class Texts(Leaf):
    """A list of texts."""

    item: Text

    @property
    def allowed(self) -> str:
        """For instance ``a list of names, each such as hub-token``."""
        return f"a list, each {self.item.allowed}"

    def value(self, given: object) -> tuple[str, ...]:
        """The texts; a mistake is told with the place of its item."""
        if not isinstance(given, list):
            raise UnitError(f"{shown(given)} is not a list; write {self.allowed}")
        if len(given) > MOST_TEXTS:
            raise UnitError(f"{len(given)} items are more than the most, {MOST_TEXTS}")
        return tuple(_inner(self.item, item, place) for place, item in enumerate(given))

    def json_schema(self) -> dict[str, Any]:
        """An array of strings."""
        return {"type": "array", "items": self.item.json_schema(), "minItems": 0, "maxItems": MOST_TEXTS}

    def _read(self, given: object) -> Any:
        return _present(self, given)


@dataclass(frozen=True, slots=True)
class TextMap(Leaf):
    """A mapping of names to texts."""

    key: Text
    item: Text

    @property
    def allowed(self) -> str:
        """For instance ``a mapping, each key a label's name such as team, each value … such as search``."""
        return f"a mapping, each key {self.key.allowed}, each value {self.item.allowed}"

    def value(self, given: object) -> tuple[tuple[str, str], ...]:
        """The pairs in the order of the file."""
        if not isinstance(given, dict):
            what = "a list" if isinstance(given, list) else shown(given)
            raise UnitError(f"{what} is not a mapping; write {self.allowed}")
        if len(given) > MOST_TEXTS:
            raise UnitError(f"{len(given)} entries are more than the most, {MOST_TEXTS}")
        for key in given:
            _inner(self.key, key, key)
        return tuple((str(key), _inner(self.item, item, key)) for key, item in given.items())

    def json_schema(self) -> dict[str, Any]:
        """An object whose values are strings (its keys are checked by headrace only)."""
        return {"type": "object", "additionalProperties": self.item.json_schema()}

    def _read(self, given: object) -> Any:
        return _present(self, given)


def size(low_bytes: float, high_bytes: float) -> Quantity:
    """A size in bytes: ``64GiB``."""
    pattern = r"[0-9]+(?:\.[0-9]+)?(TiB|TB|GiB|GB|MiB|MB|KiB|kB|B)"
    return Quantity("a size", size_bytes, size_text, low_bytes, high_bytes, pattern=pattern)


def _present(leaf: Texts | TextMap, given: object) -> Any:
    if given is None:
        raise UnitError(f"has no value; write {leaf.allowed}")
    return leaf.value(given)


def _inner(leaf: Text, given: object, place: str | int) -> str:
    if given is None or isinstance(given, dict | list):
        what = "null" if given is None else "a mapping" if isinstance(given, dict) else "a list"
        raise Contradiction(f"{what} is not allowed here; write {leaf.allowed}", place)
    try:
        return leaf.value(given)
    except UnitError as error:
        raise Contradiction(str(error), place) from error
