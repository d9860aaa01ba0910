"""Rules over documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from headrace.documents import Document, Mark, Unread
from headrace.engine import Engine
from headrace.lint.finding import Finding
from headrace.lint.known import Known
from headrace.lint.rule import Rule, finding
from headrace.manifest.bundle import Bundle, bundle
from headrace.registry import registered

RULES_PACKAGE: Final = "headrace.lint.rules"
NOT_RENDERED: Final = "not-rendered"
NOT_READABLE: Final = "not-readable"
SERVER_UNKNOWN: Final = "server-unknown"
NOTICES: Final = (NOT_RENDERED, NOT_READABLE, SERVER_UNKNOWN)
"""What is said beside the rules' findings."""


class Lint(NamedTuple):
    """What one run has found."""

    findings: tuple[Finding, ...]
    """In the order of files and lines, notices among them."""
    bundle: Bundle


def rules() -> dict[str, Rule]:
    """All rules by id, sorted by it."""
    return {rule_id(name): rule for name, rule in registered(RULES_PACKAGE, "RULE", Rule).items()}


def rule_id(module: str) -> str:
    """A rule's id from its module's name: ``drain_flag_before_0_18`` is drain-flag-before-0.18."""
    return re.sub(r"(?<=[0-9])-(?=[0-9])", ".", module.replace("_", "-"))


def lint(
    parts: Iterable[Document | Unread], engines: Sequence[Engine], chosen: dict[str, Rule], known: Known
) -> Lint:
    """The findings in the documents of a run, which are read as one bundle."""
    everything = tuple(parts)
    read = bundle((part for part in everything if isinstance(part, Document)), engines)
    found = [finding(name, rule, hit) for name, rule in chosen.items() for hit in rule.check(read, known)]
    found += [_unread(part) for part in everything if isinstance(part, Unread)]
    found += _unknown(read)
    order = {source: i for i, source in enumerate(dict.fromkeys(part.source for part in everything))}
    found.sort(key=lambda each: (order.get(each.source, 0), each.mark, each.rule, each.container))
    return Lint(tuple(found), read)


def _unread(part: Unread) -> Finding:
    mark = Mark(part.line, 1)
    if part.template:
        words = "a template that is not rendered: nothing in this document has been checked"
        cure = "pipe the output of `helm template` or `kustomize build` into `headrace lint -`"
        return _notice(NOT_RENDERED, words, part.source, mark, cure)
    return _notice(NOT_READABLE, f"this document can't be read: {part.problem}", part.source, mark, "")


def _unknown(read: Bundle) -> list[Finding]:
    return [
        _notice(
            SERVER_UNKNOWN,
            f"{server.engine.title} seems to run here, but {server.unknown}: what its flags decide "
            f"has not been checked",
            server.pod.resource.source,
            server.node.mark,
            "",
            server.pod.resource.title,
            server.name,
        )
        for server in read.servers
        if server.unknown
    ]


def _notice(
    rule: str, message: str, source: str, mark: Mark, cure: str, resource: str = "-", container: str = "-"
) -> Finding:
    severity = "warning" if rule == NOT_READABLE else "info"
    return Finding(
        rule=rule,
        severity=severity,  # type: ignore[arg-type]
        confidence="high",
        message=message,
        source=source,
        mark=mark,
        end=mark,
        resource=resource,
        container=container,
        help=cure,
    )
