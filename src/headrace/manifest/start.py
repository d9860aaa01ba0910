"""Which model server a container starts, with which flags, and under which shell."""

from __future__ import annotations

import re
from collections.abc import Mapping as Values
from collections.abc import Sequence
from typing import Final, NamedTuple

from headrace.engine import Engine, Launch
from headrace.manifest.image import Image
from headrace.manifest.shell import Command
from headrace.manifest.tree import is_known
from headrace.manifest.words import WRAPPERS, Arg, Line, Script, script, script_args


class Flag(NamedTuple):
    """One flag of a server as it is written."""

    name: str
    """As the engine spells it: ``--max-num-seqs``."""
    arg: Arg
    """The word that names it."""
    value: Arg | None
    """The word that holds its value, the same as `arg` for ``--name=value``; None: a switch."""
    text: str | None
    """The value; None: none, or not known."""

    @property
    def number(self) -> int | None:
        """The value as a whole number of at least 0."""
        return int(self.text) if self.text and re.fullmatch(r"[0-9]{1,9}", self.text) else None


class Start(NamedTuple):
    """How a container starts its server."""

    engine: Engine
    args: tuple[Arg, ...]
    """The server's own words, behind those that name the program."""
    script: Script | None
    """The shell script that starts it."""
    command: Command | None
    """The command of that script that does."""
    program: tuple[Arg, ...]
    """The words that name the program; empty: the image's own entry point."""

    @property
    def shell_stays(self) -> bool:
        """Whether a shell stays the container's first process while the server runs under it.

        Measured: ``bash -c`` (5.2) gives its process to the last plain command, unless a comment follows it;
        ``dash -c`` (0.5.12) to none.
        """
        if self.script is None or self.command is None:
            return False
        words = [word.text for word in self.command.words]
        if "exec" in words[:2] and not self.command.depth and self.command.after not in ("|", "|&", "&"):
            return False
        if "exec" in words[:2] and self.command.after not in ("|", "|&", "&"):
            return _in_subshell(self.script, self.command)
        behind = self.script.text[self.command.words[-1].end :] if self.command.words else ""
        last = self.command is self.script.commands[-1] and not self.command.depth and not behind.strip()
        plain = (
            not self.command.redirected and self.command.before not in ("|", "|&") and not self.command.after
        )
        return not (self.script.shell == "bash" and last and plain)


def _in_subshell(found: Script, command: Command) -> bool:
    """Whether a ``(`` is open around a command, so that exec replaces the subshell only."""
    before = found.text[: command.words[0].at] if command.words else ""
    return before.count("(") - before.count("$(") > before.count(")") - before.count("$(")


class Unknown(NamedTuple):
    """A container that may well start a server, and why that can't be known."""

    engine: Engine
    why: str


def start(
    line: Line, image: Image | None, engines: Sequence[Engine], values: Values[str, str]
) -> Start | Unknown | None:
    """How a container starts a server; None: it starts something else."""
    found = script(line.args)
    if found is not None:
        begun = _from_script(found, engines, values)
        if begun:
            return begun
        return _unknown_script(found, image, engines)
    for engine in engines:
        if engine.launch and (behind := _behind(line.args, engine.launch)) is not None:
            return Start(engine, line.args[behind:], None, None, line.args[:behind])
    return _from_image(line, image, engines)


def _from_script(found: Script, engines: Sequence[Engine], values: Values[str, str]) -> Start | None:
    for command in found.commands:
        args = script_args(found, command, values)
        for engine in engines:
            behind = _behind(args, engine.launch) if engine.launch else None
            if behind is not None:
                return Start(engine, args[behind:], found, command, args[:behind])
    return None


def _unknown_script(found: Script, image: Image | None, engines: Sequence[Engine]) -> Unknown | None:
    engine = engine_of(image, engines)
    if engine is None:
        return None
    for command in found.commands:
        words = [
            word.text
            for word in command.words
            if word.text.rpartition("/")[2] not in (*WRAPPERS, "bash", "sh", ".", "source")
        ]
        if words and "worker" in words[1:]:
            return None  # a worker of several that serve as one
        if words and (words[0].endswith(".sh") or not is_known(words[0])):
            return Unknown(engine, f"it is started by {words[0]}, which the manifest does not hold")
    return None


def _from_image(line: Line, image: Image | None, engines: Sequence[Engine]) -> Start | Unknown | None:
    engine = engine_of(image, engines)
    if engine is None:
        told = _told_by_tag(image, engines)
        return (
            Unknown(told, "its image has an entry point of its own") if told and not line.overrides else None
        )
    if not line.args or (not line.overrides and line.args[0].text.startswith("-")):
        return Start(engine, line.args, None, None, ())
    first = next(
        (a for a in line.args if a.text.rpartition("/")[2] not in (*WRAPPERS, "bash", "sh", "-c")), None
    )
    if first is None:
        return None
    if first.text.endswith(".sh") or not is_known(first.text):
        return Unknown(engine, f"it is started by {first.text}, which the manifest does not hold")
    if not line.overrides and engine.launch and engine.launch.model_is_bare and "/" in first.text:
        return Start(engine, line.args, None, None, ())
    return None


def engine_of(image: Image | None, engines: Sequence[Engine]) -> Engine | None:
    """The engine whose servers an image is known to hold, by its name."""
    if image is None:
        return None
    for engine in engines:
        for pattern in engine.launch.images if engine.launch else ():
            if re.search(pattern, image.repository) and not _NOT_SERVERS.search(image.repository):
                return engine
    return None


def _told_by_tag(image: Image | None, engines: Sequence[Engine]) -> Engine | None:
    """The engine that a tag names: ``engine:vllm-ascend_v0.10``."""
    tag = image.tag.lower() if image else ""
    return next((engine for engine in engines if tag.startswith(engine.name) and engine.launch), None)


_NOT_SERVERS: Final = re.compile(
    r"sim(ulator)?$|emulat|router|gateway|proxy|bench|autoscal|operator|controller|-ui$"
)


def _behind(args: tuple[Arg, ...], launch: Launch) -> int | None:
    """Index behind the words that name the server's program; None: they are not there."""
    for i, arg in enumerate(args):
        for words in launch.commands:
            if _same(arg.text, words[0]) and all(
                i + k < len(args) and args[i + k].text == word for k, word in enumerate(words) if k
            ):
                return i + len(words) if _is_program(args[:i]) else None
    return None


def _same(text: str, program: str) -> bool:
    return (
        text == program
        or text.rpartition("/")[2] == program
        or text.endswith("/" + program.replace(".", "/") + ".py")
    )


def _is_program(before: tuple[Arg, ...]) -> bool:
    """Whether what stands in front only starts it: not ``echo vllm serve``, ``pip install vllm``, ``pgrep -f``."""
    return not before or before[0].text.rpartition("/")[2] not in _TALKS


_TALKS: Final = frozenset(
    ("echo", "printf", "pip", "pip3", "pgrep", "pkill", "grep", "kill", "killall", "cat", "which", "command")
)


def flags(start: Start) -> dict[str, Flag]:
    """The flags of a server by the first of their names; the last one written wins."""
    launch = start.engine.launch
    known = _names(launch) if launch else {}
    found: dict[str, Flag] = {}
    for i, arg in enumerate(start.args):
        if not re.match(r"--?[A-Za-z]", arg.text):
            continue
        name, equals, value = arg.text.partition("=")
        if not known.get(name) and name.startswith("--"):
            name = name.replace("_", "-")
        name = known.get(name, name)
        if equals:
            found[name] = Flag(name, arg, arg, value if is_known(value) else None)
            continue
        behind = start.args[i + 1] if i + 1 < len(start.args) else None
        if behind is None or re.match(r"--?[A-Za-z]", behind.text) or (launch and name in launch.switches):
            found[name] = Flag(name, arg, None, None)
        else:
            found[name] = Flag(name, arg, behind, behind.text if behind.known else None)
    return found


def _names(launch: Launch) -> dict[str, str]:
    """Every spelling of the flags that are acted upon, with the first of them."""
    groups = [
        value for value in launch if isinstance(value, tuple) and value and str(value[0]).startswith("-")
    ]
    return {str(name): str(group[0]) for group in groups for name in group}


def bare(start: Start) -> Arg | None:
    """The first word that is neither a flag nor the value of one."""
    launch = start.engine.launch
    values = {id(flag.value) for flag in flags(start).values() if flag.value is not None}
    for i, arg in enumerate(start.args):
        if arg.text.startswith("-") or id(arg) in values:
            continue
        before = start.args[i - 1].text if i else ""
        if before.startswith("-") and "=" not in before and not (launch and before in launch.switches):
            continue
        return arg
    return None
