"""Findings that were there before: told apart by rule, object and container, wherever their lines have moved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Final

from headrace.errors import InputError
from headrace.lint.finding import Finding

VERSION: Final = 1
Key = tuple[str, str, str, str]


def baseline_text(findings: Iterable[Finding]) -> str:
    """A baseline file, the same for the same findings."""
    counted = Counter(each.key for each in findings)
    rows = [
        {"file": key[0], "rule": key[1], "resource": key[2], "container": key[3], "count": count}
        for key, count in sorted(counted.items())
    ]
    return json.dumps({"version": VERSION, "findings": rows}, indent=1) + "\n"


def read_baseline(text: str, source: str) -> Counter[Key]:
    """How many findings of each kind were there.

    Raises:
        InputError: It is no baseline of ours.
    """
    try:
        told = json.loads(text)
        if told["version"] != VERSION:
            raise InputError(source, f"version {told['version']!r} is not known; {VERSION} is")
        rows = told["findings"]
        found = Counter(
            {(r["file"], r["rule"], r["resource"], r["container"]): int(r["count"]) for r in rows}
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(source, "is no baseline; write one with --write-baseline") from error
    return found


def new_findings(findings: Iterable[Finding], known: Counter[Key]) -> tuple[Finding, ...]:
    """The findings beyond those of a baseline; of several of one kind, the last ones."""
    left = Counter(known)
    fresh = []
    for each in findings:
        if left[each.key] > 0:
            left[each.key] -= 1
        else:
            fresh.append(each)
    return tuple(fresh)
