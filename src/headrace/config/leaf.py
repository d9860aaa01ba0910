"""Single values of the file: how a kind of value is read, bounded, written and described.

A leaf stands in an ``Annotated`` type and is all that is known about that value: pydantic reads by it, the
JSON Schema and the reference page describe by it, messages say by it what is allowed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from headrace import units
from headrace.documents import Ambiguous
from headrace.units import NUMBER, UnitError, shown

NAME: Final = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
"""An RFC 1123 label, as Kubernetes wants names."""


class Leaf:
    """What all kinds share: pydantic asks a leaf to read, and to describe itself."""

    @property
    def allowed(self) -> str:
        """What may be written, worded to follow "write"."""
        raise NotImplementedError

    def value(self, given: object) -> Any:
        """The value in base units.

        Raises:
            ValueError: It can't be; the message is the sentence to show.
        """
        raise NotImplementedError

    def json_schema(self) -> dict[str, Any]:
        """JSON Schema of what `value` takes (it may take less, never more)."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return self.json_schema()

    def _read(self, given: object) -> Any:
        if given is None:
            raise UnitError(f"has no value; write {self.allowed}")
        if isinstance(given, dict | list):
            shape = "a mapping" if isinstance(given, dict) else "a list"
            raise UnitError(f"{shape} is not allowed here; write {self.allowed}")
        return self.value(given)


@dataclass(frozen=True, slots=True)
class Quantity(Leaf):
    """A number with a unit and a range."""

    noun: str
    read: Callable[[object], float]
    text: Callable[[float], str]
    low: float
    high: float
    scalar: str = ""
    """JSON type that it may be written as, bare; empty: never bare."""
    pattern: str = ""
    """Texts that it may be written as; empty: never as text."""
    why_low: str = ""
    """Why nothing below `low` is allowed, where that is not plain."""

    @property
    def allowed(self) -> str:
        """For instance ``a duration from 0s to 6h``."""
        return f"{self.noun} from {self.text(self.low)} to {self.text(self.high)}"

    def value(self, given: object) -> float:
        """The number, within the range; text where only a bare number is allowed is refused."""
        found = self.read(given)
        if isinstance(given, str) and not (self.pattern and re.fullmatch(self.pattern, given)):
            raise UnitError(f"{shown(given)} is text; write {given} without quotes")
        if found < self.low:
            why = f": {self.why_low}" if self.why_low else ""
            raise UnitError(f"{shown(given)} is below the smallest allowed value, {self.text(self.low)}{why}")
        if found > self.high:
            fits = "%" in self.pattern and not isinstance(given, str) and self.low <= found / 100 <= self.high
            hint = f'; did you mean "{units.number_text(found)}%"?' if fits else ""
            raise UnitError(
                f"{shown(given)} is above the largest allowed value, {self.text(self.high)}{hint}"
            )
        return found

    def json_schema(self) -> dict[str, Any]:
        """Bounds stand in it for bare numbers only: those of texts are in the description."""
        kinds: list[dict[str, Any]] = []
        if self.scalar:
            kinds.append({"type": self.scalar, "minimum": self.low, "maximum": self.high})
        if self.pattern:
            kinds.append({"type": "string", "pattern": f"^{self.pattern}$"})
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def count(low: int, high: int, why_low: str = "") -> Quantity:
    """A whole number, written bare."""
    return Quantity("a whole number", units.count, units.number_text, low, high, "integer", why_low=why_low)


def number(low: float, high: float) -> Quantity:
    """A plain number, written bare."""
    return Quantity("a number", units.number, units.number_text, low, high, "number")


def ratio(low: float, high: float) -> Quantity:
    """A share: ``75%`` or ``0.75``."""
    return Quantity("a share", units.ratio, units.ratio_text, low, high, "number", f"{NUMBER}%")


def rate(low: float, high: float) -> Quantity:
    """Events per second: ``7.5`` or ``7.5/s``."""
    return Quantity("a rate", units.rate_per_s, units.rate_text, low, high, "number", f"{NUMBER}/[smh]")


def duration(low_s: float, high_s: float) -> Quantity:
    """A duration: ``3m``, ``1h30m``, never a bare number."""
    pattern = rf"({NUMBER}(h|m|s|ms))+"
    return Quantity("a duration", units.duration_s, units.duration_text, low_s, high_s, pattern=pattern)


@dataclass(frozen=True, slots=True)
class Label(Leaf):
    """A name."""

    noun: str
    pattern: str
    characters: str
    """The pattern in words."""

    @property
    def allowed(self) -> str:
        """For instance ``a name of …``."""
        return f"{self.noun} of {self.characters}"

    def value(self, given: object) -> str:
        """The text; what YAML may read as a number, date or truth value is refused unless it is in quotes."""
        if isinstance(given, Ambiguous) or not isinstance(given, str):
            bare = shown(given).strip('"')
            raise UnitError(f"{bare} without quotes is not text to every reader of YAML; write it in quotes")
        if not re.fullmatch(self.pattern, given):
            near = re.sub(r"[^a-z0-9]+", "-", given.lower()[:63]).strip("-") if self.pattern == NAME else ""
            if near:
                raise UnitError(f'{shown(given)} is not {self.allowed}; did you mean "{near}"?')
            raise UnitError(f"{shown(given)} is not {self.noun}; write {self.allowed}")
        return str(given)

    def json_schema(self) -> dict[str, Any]:
        """A string with the pattern."""
        return {"type": "string", "pattern": f"^{self.pattern}$"}


@dataclass(frozen=True, slots=True)
class Choice(Leaf):
    """One of a few words."""

    options: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """For instance ``vllm or sglang``."""
        return " or ".join(self.options)

    def value(self, given: object) -> str:
        """The word."""
        if isinstance(given, str) and given in self.options:
            return str(given)
        near = difflib.get_close_matches(str(given).lower(), [o.lower() for o in self.options], 1)
        words = {o.lower(): o for o in self.options}
        hint = f'did you mean "{words[near[0]]}"?' if near and len(words) > 1 else f"write {self.allowed}"
        raise UnitError(f"{shown(given)} is not known here; {hint}")

    def json_schema(self) -> dict[str, Any]:
        """An enumeration."""
        return {"type": "string", "enum": list(self.options)}
