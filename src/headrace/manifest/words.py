"""A container's command line: the words of `command` and `args`, each with its place in the file."""

from __future__ import annotations

import re
from collections.abc import Mapping as Values
from typing import Final, NamedTuple

from headrace.documents import Mark, Node, Scalar
from headrace.manifest.shell import Command, commands
from headrace.manifest.tree import is_known, items

SHELLS: Final = frozenset(("sh", "bash", "dash", "ash", "zsh", "ksh"))
_REFERENCE: Final = re.compile(
    r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)"
)


class Arg(NamedTuple):
    """One word of a command line."""

    text: str
    """Quotes taken off; variables whose value the manifest holds are filled in."""
    node: Scalar
    """The scalar that it stands in: a list item, or a whole script."""
    at: int
    """Where it begins in the scalar's text, characters from 0."""
    end: int
    literal: bool = True
    """No part of it was to be filled in: what stands in the file is what the program gets."""

    @property
    def known(self) -> bool:
        """Whether nothing is left to fill in."""
        return is_known(self.text)


class Line(NamedTuple):
    """The words a container is started with, before any shell has read them."""

    args: tuple[Arg, ...]
    overrides: bool
    """`command` is written, so the image's own entry point does not run."""


class Script(NamedTuple):
    """A shell script among the words, as ``sh -c SCRIPT``."""

    shell: str
    """``sh``, ``bash``, …"""
    node: Scalar
    commands: tuple[Command, ...]
    text: str


def line(container: Node, values: Values[str, str]) -> Line:
    """The command line of a container, ``$(NAME)`` filled in from its environment."""
    command = items(container, "command")
    words = (*command, *items(container, "args"))
    found = [_whole(node, values) for node in words if isinstance(node, Scalar)]
    return Line(tuple(found), bool(command))


def _whole(node: Scalar, values: Values[str, str]) -> Arg:
    filled = filled_in(node.text, values, kubernetes_only=True)
    return Arg(filled, node, 0, len(node.text), filled == node.text)


def filled_in(text: str, values: Values[str, str], kubernetes_only: bool = False) -> str:
    """A text with the variables whose values are known: ``$(NAME)``, and in a script ``$NAME`` and ``${NAME}``."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or ("" if kubernetes_only else match[2] or match[3]) or ""
        return values.get(name, match[0])

    return _REFERENCE.sub(value, text) if "$" in text else text


def script(args: tuple[Arg, ...]) -> Script | None:
    """The script of ``sh -c``, also behind an init such as tini; None: no shell is asked to read one."""
    for i, arg in enumerate(args[:6]):
        name = arg.text.rpartition("/")[2]
        if name in SHELLS:
            return _script(name, args[i + 1 :])
        if not (arg.text.startswith("-") or name in WRAPPERS or "=" in arg.text):
            return None
    return None


def _script(shell: str, rest: tuple[Arg, ...]) -> Script | None:
    for i, arg in enumerate(rest):
        if re.fullmatch(r"[-+][a-zA-Z]*c[a-zA-Z]*", arg.text):
            behind = [a for a in rest[i + 1 :] if not re.fullmatch(r"[-+](?:[a-zA-Z]|o)|pipefail", a.text)]
            if not behind:
                return None
            node = behind[0].node
            return Script(shell, node, commands(node.text), node.text)
        if not arg.text.startswith(("-", "+")) and arg.text != "pipefail":
            return None
    return None


WRAPPERS: Final = frozenset(
    ("tini", "dumb-init", "env", "exec", "nohup", "stdbuf", "numactl", "nice", "setsid", "time")
)
"""Programs that start what stands behind them."""


def script_args(found: Script, command: Command, values: Values[str, str]) -> tuple[Arg, ...]:
    """The words of one command of a script."""
    return tuple(
        Arg(filled_in(word.text, values), found.node, word.at, word.end, word.literal)
        for word in command.words
    )


def mark_in(node: Scalar, at: int, lines: tuple[str, ...]) -> Mark:
    """Where a character of a scalar's text stands in the file.

    Exact for plain and single-quoted texts on one line and for ``|`` blocks; else the place where the scalar begins.

    Args:
        node: The scalar.
        at: Characters from the beginning of its text, 0 to its length.
        lines: All lines of the file, without their ends.
    """
    if node.style == "|":
        row = node.text.count("\n", 0, at)
        column = at - (node.text.rfind("\n", 0, at) + 1)
        number, indent = _block(node, lines)
        found = number + row
        return Mark(found, indent + column + 1) if found <= len(lines) else node.mark
    if node.mark.line != node.end.line or node.style == ">":
        return node.mark
    quote = 1 if node.style else 0
    written = (
        lines[node.mark.line - 1][node.mark.column - 1 + quote :] if node.mark.line <= len(lines) else ""
    )
    exact = written.startswith(node.text)
    return Mark(node.mark.line, node.mark.column + quote + at) if exact else node.mark


def _block(node: Scalar, lines: tuple[str, ...]) -> tuple[int, int]:
    """Line number of the first line of a block's text, and its indentation."""
    first = node.mark.line + 1
    wanted = node.text.split("\n")
    for row, text in enumerate(wanted):
        if text.strip() and first + row <= len(lines):
            written = lines[first + row - 1]
            return first, len(written) - len(text) if written.endswith(text) else 0
    return first, 0
