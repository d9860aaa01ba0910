"""A container's probes, defaults filled in."""

from __future__ import annotations

from typing import Final, NamedTuple

from headrace.documents import Mapping, Node
from headrace.manifest.tree import child, mapping, number, raw

PERIOD_S: Final = 10
FAILURES: Final = 3
TIMEOUT_S: Final = 1


class Probe(NamedTuple):
    """One probe; a number is None where a variable stands."""

    node: Mapping
    delay_s: int | None
    period_s: int | None
    failures: int | None
    timeout_s: int | None
    check: tuple[str, ...]
    """What it does: ("httpGet", "/health", "8000"), ("tcpSocket", "8000"), ("exec", …)."""

    @property
    def budget_s(self) -> int | None:
        """From the container's start to the last failure that is let pass; None: not known."""
        if self.delay_s is None or self.period_s is None or self.failures is None:
            return None
        return self.delay_s + self.period_s * self.failures

    @property
    def patience_s(self) -> int | None:
        """For how long a running server may fail it."""
        return None if self.period_s is None or self.failures is None else self.period_s * self.failures


def probe(container: Node, name: str) -> Probe | None:
    """A container's ``startupProbe``, ``livenessProbe`` or ``readinessProbe``."""
    node = mapping(container, name)
    if node is None:
        return None
    return Probe(
        node,
        _number(node, "initialDelaySeconds", 0),
        _number(node, "periodSeconds", PERIOD_S),
        _number(node, "failureThreshold", FAILURES),
        _number(node, "timeoutSeconds", TIMEOUT_S),
        _check(node),
    )


def _number(node: Node, key: str, default: int) -> int | None:
    return default if child(node, key) is None else number(node, key)


def _check(node: Node) -> tuple[str, ...]:
    if mapping(node, "httpGet"):
        return ("httpGet", raw(node, "httpGet", "path") or "/", raw(node, "httpGet", "port") or "")
    if mapping(node, "tcpSocket"):
        return ("tcpSocket", raw(node, "tcpSocket", "port") or "")
    if mapping(node, "grpc"):
        return ("grpc", raw(node, "grpc", "port") or "", raw(node, "grpc", "service") or "")
    if mapping(node, "exec"):
        command = child(node, "exec", "command")
        return ("exec", *(item.text for item in getattr(command, "items", ()) if hasattr(item, "text")))
    return ()
