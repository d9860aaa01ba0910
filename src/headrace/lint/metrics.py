"""Which of an engine's metric names stand in a bundle, and whether a release has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from headrace.documents import Node, Scalar
from headrace.engine import Engine, Release
from headrace.manifest.bundle import Bundle
from headrace.manifest.resource import Resource
from headrace.manifest.tree import walk

_KINDS: Final = (
    "HorizontalPodAutoscaler",
    "ScaledObject",
    "PodAutoscaler",
    "PrometheusRule",
    "ConfigMap",
    "GrafanaDashboard",
)
_SUFFIX: Final = re.compile(r"_(?:bucket|sum|count|total|created)$")


def names(bundle: Bundle, prefix: str) -> Iterator[tuple[Resource, Node, str]]:
    """Every metric name with a prefix in objects that read metrics, each once in a scalar."""
    pattern = re.compile(rf"(?<![A-Za-z0-9_:]){re.escape(prefix)}[a-zA-Z0-9_:]+")
    for resource in bundle.of_kind(*_KINDS):
        for _, node in walk(resource.node):
            if isinstance(node, Scalar) and prefix in node.text:
                for name in dict.fromkeys(pattern.findall(node.text)):
                    yield resource, node, name


def missing(engine: Engine, name: str, release: Release | None) -> str:
    """Why pages of a release (None: of any) do not hold a name; empty: they do, or it is a rule's own."""
    if ":" in name.removeprefix(engine.prefix):
        return ""
    found = [metric for metric in engine.families if _stem(metric.name) == _stem(name)]
    if not found:
        return f"is no metric of {engine.title} that we have seen in any release"
    if release is None or any(metric.is_in(release) for metric in found):
        return ""
    text = ".".join(map(str, release))
    until = next((metric.until for metric in found if metric.until and metric.until <= release), None)
    if until:
        return f"is gone since {engine.title} {'.'.join(map(str, until))}, and this is {text}"
    since = next((metric.since for metric in found if metric.since), None)
    return f"is first in {engine.title} {'.'.join(map(str, since or ()))}, and this is {text}"


def instead(engine: Engine, name: str, release: Release | None) -> str:
    """What to read in its place, where we know."""
    for group in (
        engine.running,
        engine.waiting,
        engine.kv_usage,
        engine.finished,
        engine.latency,
        engine.queue_time,
        *engine.renamed,
    ):
        if any(_stem(metric.name) == _stem(name) for metric in group):
            now = [metric.name for metric in group if release is None or metric.is_in(release)]
            return now[0] if now else ""
    return ""


def _stem(name: str) -> str:
    return _SUFFIX.sub("", name)
