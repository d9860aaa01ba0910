"""What a file asks to be left alone: comments with a rule and a reason.

::

    terminationGracePeriodSeconds: 30  # headrace: ignore[drain-grace-too-short] batch only, no streams
    # headrace: ignore[start-image-floats, start-pull-always] built every night on purpose
    image: registry.example/llm:nightly
    # headrace: ignore-file[pdb-none] budgets stand in the platform's repository

A comment speaks for its own line, or, alone on a line, for the next line that is no comment; ``ignore-file`` for all of
the file. A family (``start``) speaks for all its rules. A reason is required.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from headrace.documents import Mark
from headrace.lint.finding import Finding

_COMMENT: Final = re.compile(r"(?:^|\s)#\s*headrace:\s*(ignore(?:-file)?)\[([^\]#]*)\][ \t]*(.*)$")
WITHOUT_REASON: Final = "ignore-without-reason"
UNUSED: Final = "ignore-unused"


class Ignore(NamedTuple):
    """One comment."""

    source: str
    mark: Mark
    rules: tuple[str, ...]
    reason: str
    line: int
    """The line that it speaks for; 0: the whole file."""


def ignores(text: str, source: str) -> tuple[Ignore, ...]:
    """The comments in a file's text."""
    if "headrace:" not in text:
        return ()
    lines = re.split(r"\r\n|\n|\r", text)
    found = []
    for number, line in enumerate(lines, start=1):
        match = _COMMENT.search(line)
        if match is None:
            continue
        names = tuple(name.strip() for name in match[2].split(",") if name.strip())
        mark = Mark(number, line.index("#", match.start()) + 1)
        target = 0 if match[1] == "ignore-file" else _target(lines, number)
        found.append(Ignore(source, mark, names, match[3].strip(), target))
    return tuple(found)


def _target(lines: list[str], number: int) -> int:
    if not lines[number - 1].lstrip().startswith("#"):
        return number
    while number < len(lines) and (not lines[number].strip() or lines[number].lstrip().startswith("#")):
        number += 1
    return number + 1


def is_named(rule: str, names: Iterable[str]) -> bool:
    """Whether a rule is one of some names, or of a family among them (``start`` for start-shm-small)."""
    return any(name in (rule, "all") or rule.startswith(f"{name}-") for name in names)


def kept(findings: Iterable[Finding], texts: Mapping[str, str]) -> tuple[Finding, ...]:
    """The findings that nothing asks to be left alone, and what is wrong with the asking."""
    asked = [ignore for source, text in texts.items() for ignore in ignores(text, source)]
    used: set[Ignore] = set()
    left: list[Finding] = []
    for each in findings:
        mine = [ignore for ignore in asked if _speaks_for(ignore, each)]
        used.update(mine)
        if not any(ignore.reason for ignore in mine):
            left.append(each)
    left += [_notice(ignore) for ignore in asked if not ignore.reason]
    left += [_notice(ignore) for ignore in asked if ignore.reason and ignore not in used]
    return tuple(left)


def _speaks_for(ignore: Ignore, each: Finding) -> bool:
    here = ignore.source == each.source and ignore.line in (0, each.mark.line)
    return here and is_named(each.rule, ignore.rules)


def _notice(ignore: Ignore) -> Finding:
    names = ", ".join(ignore.rules) or "nothing"
    if not ignore.reason:
        rule, severity = WITHOUT_REASON, "warning"
        message = f"this ignore of {names} gives no reason, and does nothing"
        cure = "a few words behind the bracket"
    else:
        rule, severity = UNUSED, "info"
        message, cure = f"this ignore of {names} has nothing to ignore", "delete it"
    return Finding(
        rule=rule,
        severity="warning" if severity == "warning" else "info",
        confidence="high",
        message=message,
        source=ignore.source,
        mark=ignore.mark,
        end=ignore.mark,
        resource="-",
        help=cure,
    )
