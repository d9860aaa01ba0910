"""Finds what stands in a package, one module for each: engines now, lint rules later.

A new one is a new file; there is no list to forget it in.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

Kind = TypeVar("Kind")


def registered(package: str, attribute: str, kind: type[Kind]) -> dict[str, Kind]:
    """What the modules of a package define, by the module's name, sorted by it.

    Args:
        package: Full name, ``headrace.engines``.
        attribute: The name that each of its modules gives to what it defines, ``ENGINE``.
        kind: What that must be.

    Raises:
        TypeError: A module defines no such thing: a mistake of ours, found by the first test that looks.
    """
    found: dict[str, Kind] = {}
    for module in sorted(entry.name for entry in iter_modules(import_module(package).__path__)):
        value = getattr(import_module(f"{package}.{module}"), attribute, None)
        if not isinstance(value, kind):
            raise TypeError(f"{package}.{module} must define {attribute}, a {kind.__name__}")
        found[module] = value
    return found
