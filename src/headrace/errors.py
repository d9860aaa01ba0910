"""The error tree. Only the edges raise; the core returns reasons.

::

    HeadraceError
    ├── InputError       a file or an option that can't be used: exit 2
    │   └── ConfigError  …a ModelFleet file: names file, line, dotted path, value, what is allowed
    ├── MissingExtra     an optional library is not installed: says what to install
    ├── ObserveError     the world could not be read: the controller holds
    └── ActError         the world could not be changed: reported, tried again at the next tick

Each message is one sentence for a person: the place, the value, what is allowed.
"""

from __future__ import annotations


class HeadraceError(Exception):
    """Anything headrace itself says is wrong; a command ends with `exit_code` and this one sentence."""

    exit_code = 1


class InputError(HeadraceError):
    """What the user gave can't be used as it is.

    Args:
        source: File (or option) the input came from.
        problem: What is wrong, with the value, and what is allowed.
        place: Row or line in the source, already worded ("row 17", "line 4"); empty if the whole is meant.
    """

    exit_code = 2

    def __init__(self, source: str, problem: str, place: str = "") -> None:
        self.source = source
        self.problem = problem
        self.place = place
        where = f"{source}, {place}" if place else source
        super().__init__(f"{where}: {problem}")


class ConfigError(InputError):
    """A ModelFleet file is wrong at one place.

    Args:
        source: The file.
        line: 1-based line of the offending key or value; 0 if unknown.
        path: Dotted path inside the document, e.g. ``spec.scale.max``.
        problem: The value and what is allowed, e.g. ``"0 is below the smallest allowed value, 1"``.
    """

    def __init__(self, source: str, line: int, path: str, problem: str) -> None:
        self.line = line
        self.path = path
        super().__init__(source, f"{path}: {problem}" if path else problem, f"line {line}" if line else "")


class MissingExtra(HeadraceError):
    """An optional library is absent; the message names the command and what to install."""

    exit_code = 2

    def __init__(self, need: str, library: str, extra: str) -> None:
        super().__init__(f"{need} needs {library}, which is not installed: pip install 'headrace[{extra}]'")


class ObserveError(HeadraceError):
    """The world could not be read (a scrape, a query, a process table)."""


class ActError(HeadraceError):
    """The world could not be changed (a start, a drain, a write)."""
