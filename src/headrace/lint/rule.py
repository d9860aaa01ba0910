"""What a rule is, and the page that its docstring is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from headrace.documents import Mark, Node, Scalar
from headrace.lint.change import Change
from headrace.lint.finding import Confidence, Finding, Severity
from headrace.lint.known import Known
from headrace.manifest.bundle import Bundle
from headrace.manifest.pod import Pod
from headrace.manifest.resource import Resource
from headrace.manifest.server import Server

SECTIONS: Final = ("Why", "Bad", "Good", "Fix", "Others", "Source")
"""Headings of a rule's docstring, in this order, each on a line of its own with a colon; ``Others`` (what common
linters say to the contrary) may be missing. What stands before the first is a title line and what is found."""


class Hit(NamedTuple):
    """What a rule's check yields: a place and what is wrong there."""

    where: Server | Pod | Resource
    """Whose it is: a server (container), a pod template, or an object."""
    message: str
    node: Node | None = None
    """What is meant; None: the place given by `mark`, or where the container, pod or object is written."""
    mark: Mark | None = None
    help: str = ""
    changes: tuple[Change, ...] = ()
    severity: Severity | None = None
    """Where it differs from the rule's."""
    confidence: Confidence | None = None


@dataclass(frozen=True)
class Rule:
    """One rule."""

    severity: Severity
    confidence: Confidence
    check: Callable[[Bundle, Known], Iterator[Hit]]
    page: str
    """The module's docstring: pass ``__doc__``."""

    @cached_property
    def title(self) -> str:
        """The first line of the page."""
        return self.page.strip().split("\n")[0].strip()

    @cached_property
    def sections(self) -> dict[str, str]:
        """The page by heading; what is found stands under ``Finds``."""
        text = self.page.strip()
        parts = re.split(rf"^({'|'.join(SECTIONS)}):[ \t]*$", text, flags=re.MULTILINE)
        found = {"Finds": parts[0].partition("\n")[2].strip()}
        found.update({parts[i]: _dedented(parts[i + 1]) for i in range(1, len(parts) - 1, 2)})
        return found


def _dedented(text: str) -> str:
    lines = text.strip("\n").rstrip().split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)


def finding(name: str, rule: Rule, hit: Hit) -> Finding:
    """A rule's hit with everything a reader needs."""
    where = hit.where
    resource = (
        where
        if isinstance(where, Resource)
        else where.resource
        if isinstance(where, Pod)
        else where.pod.resource
    )
    mark, end = _span(hit)
    return Finding(
        rule=name,
        severity=hit.severity or rule.severity,
        confidence=hit.confidence or rule.confidence,
        message=hit.message,
        source=resource.source,
        mark=mark,
        end=end,
        resource=resource.title,
        container=_container(where),
        help=hit.help,
        changes=hit.changes,
    )


def _container(where: Server | Pod | Resource) -> str:
    if isinstance(where, Server):
        return where.name
    return where.title() if isinstance(where, Pod) else "-"


def _span(hit: Hit) -> tuple[Mark, Mark]:
    if hit.mark is not None:
        return hit.mark, hit.mark
    if isinstance(hit.node, Scalar) and hit.node.style not in ("|", ">"):
        return hit.node.mark, hit.node.end
    if hit.node is not None:
        return hit.node.mark, hit.node.mark
    where = hit.where
    if isinstance(where, Server):
        return where.node.mark, where.node.mark
    if isinstance(where, Pod):
        return where.mark(), where.mark()
    return where.mark("kind"), where.mark("kind")
