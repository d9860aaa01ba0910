"""What a preStop hook does, read from its words: what it looks at, waits for, kills."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from headrace.documents import Mapping, Node, Scalar
from headrace.manifest.shell import Command, commands
from headrace.manifest.tree import child, items, mapping, number, raw
from headrace.manifest.words import SHELLS

_LISTENS: Final = re.compile(
    r"/proc/net/tcp|/dev/tcp/|\b(?:ss|netstat|lsof|nc|ncat)\b|create_connection|connect_ex|\.connect\(|socket\.socket"
)
_ASKS: Final = r"\b(?:curl|wget|urlopen|http\.client|requests\.get|httpx)\b"
_ASKS_FIRST: Final = re.compile(
    rf"\b(?:if|until|while)\s[^\n;]{{0,300}}{_ASKS}|{_ASKS}[^\n]{{0,300}}(?:\|\||&&)|\bexcept\b"
)
"""A request whose failure decides what comes next; in a loop that only reads numbers it decides nothing."""
_POLLS: Final = re.compile(
    r"num_requests_\(?(?:running|waiting)|num_running_reqs|num_queue_reqs|tgi_batch_current_size|tgi_queue_size"
)
_LOOP: Final = re.compile(r"\b(?:while|until|for)\b")
_BOUND: Final = re.compile(
    r"(?:\$\(\([^)]*\)?\s*\+\s*|SECONDS\s*\+\s*|date \+%s\)\s*\+\s*|timeout\s+|seq\s+(?:1\s+)?|-lt\s+|<=?\s*|-le\s+"
    r"|time\(\)\s*\+\s*)([0-9]{1,5})\b"
)


class Kill(NamedTuple):
    """One signal that a script sends."""

    signal: str
    """``TERM`` where none is said; upper-case, without SIG."""
    target: str
    """``-1``, ``0``, ``1``, ``$pid``, ``-$pgid``, or a name for pkill and killall."""
    by_name: bool
    """Sent by pkill or killall."""
    at: int
    """Where the command begins in the script."""
    guarded: bool
    """It stands inside a condition, so not every stop runs it."""


class PreStop(NamedTuple):
    """A preStop hook."""

    node: Mapping
    how: str
    """``exec``, ``sleep``, ``httpGet``, ``tcpSocket`` or empty."""
    text: str
    """The script, or the words of the command joined by spaces."""
    script_node: Scalar | None
    """Where that script stands, if in one scalar."""
    sleep_s: int | None
    """Of the sleep action, or the first plain ``sleep N`` of the script."""
    is_known: bool
    """False: it runs a file that the manifest does not hold."""
    checks_listening: bool
    """It looks whether the server listens, before it decides anything."""
    polls_until_idle: bool
    """It asks the server in a loop until nothing is running or waiting."""
    polls_s: int | None
    """For how long at most it does."""
    kills: tuple[Kill, ...]


def pre_stop(container: Node) -> PreStop | None:
    """A container's preStop hook."""
    node = mapping(container, "lifecycle", "preStop")
    if node is None or not node.entries:
        return None
    how = next((key for key in ("exec", "sleep", "httpGet", "tcpSocket") if child(node, key) is not None), "")
    text, script_node = _text(node)
    read = commands(text)
    polls = bool(_POLLS.search(text) and _LOOP.search(text))
    bounds = [int(match) for match in _BOUND.findall(text)]
    return PreStop(
        node=node,
        how=how,
        text=text,
        script_node=script_node,
        sleep_s=number(node, "sleep", "seconds") if how == "sleep" else _sleep_s(read),
        is_known=how != "exec" or not _runs_a_file(node, script_node),
        checks_listening=bool(_LISTENS.search(text) or _ASKS_FIRST.search(text)),
        polls_until_idle=polls,
        polls_s=max(bounds) if polls and bounds else None,
        kills=kills(text),
    )


def _text(node: Mapping) -> tuple[str, Scalar | None]:
    words = [item for item in items(node, "exec", "command") if isinstance(item, Scalar)]
    for i, word in enumerate(words[:4]):
        if re.fullmatch(r"-[a-zA-Z]*c", word.text) and i + 1 < len(words):
            return words[i + 1].text, words[i + 1]
    return " ".join(word.text for word in words), words[-1] if len(words) == 1 else None


def _runs_a_file(node: Mapping, script_node: Scalar | None) -> bool:
    if script_node is not None and raw(node, "exec", "command", 0) != script_node.text:
        read = commands(script_node.text)
        words = [word.text for word in read[0].words] if len(read) == 1 else []
    else:
        words = [item.text for item in items(node, "exec", "command") if isinstance(item, Scalar)]
    while words and words[0].rpartition("/")[2] in (*SHELLS, "exec", ".", "source"):
        words = words[1:]
    return bool(words) and (
        words[0].endswith((".sh", ".py"))
        or (words[0].startswith("/") and not words[0].startswith(("/bin/", "/usr/bin/")))
    )


def _sleep_s(read: tuple[Command, ...]) -> int | None:
    for command in read:
        words = [word.text for word in command.words]
        if words and words[0].rpartition("/")[2] == "sleep" and len(words) > 1:
            match = re.fullmatch(r"([0-9]{1,6})s?", words[1])
            return int(match[1]) if match else None
    return None


def kills(text: str) -> tuple[Kill, ...]:
    """The signals that a script sends, also from a trap's words."""
    found: list[Kill] = []
    for command in commands(text):
        words = [word.text for word in command.words]
        if not words:
            continue
        program = words[0].rpartition("/")[2]
        at = command.words[0].at
        guarded = command.depth > 0 or command.before in ("&&", "||")
        if program == "trap" and len(words) > 2:
            found += [kill._replace(at=at, guarded=False) for kill in kills(words[1])]
        elif program in ("kill", "pkill", "killall"):
            found += _kills(words[1:], program != "kill", at, guarded)
    return tuple(found)


def _kills(words: list[str], by_name: bool, at: int, guarded: bool) -> list[Kill]:
    signal = "TERM"
    rest = list(words)
    if rest and rest[0] in ("-s", "-n", "--signal") and len(rest) > 1:
        signal, rest = rest[1], rest[2:]
    elif (
        rest
        and (match := re.fullmatch(r"-(?:SIG)?([A-Z]{2,6}[0-9]?|[0-9]{1,2})", rest[0]))
        and (by_name or len(rest) > 1)
    ):
        signal, rest = match[1], rest[1:]
    if rest and rest[0] == "-0":
        signal, rest = "0", rest[1:]
    targets = [word for word in rest if word != "--" and not (by_name and word.startswith("-"))]
    names = {"9": "KILL", "15": "TERM", "2": "INT", "3": "QUIT", "1": "HUP"}
    signal = names.get(signal, signal.removeprefix("SIG").upper())
    if signal in ("0", "L"):
        return []
    if by_name:
        return [Kill(signal, " ".join(targets), True, at, guarded)] if targets or rest else []
    return [Kill(signal, target, False, at, guarded) for target in targets]
