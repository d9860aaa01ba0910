"""The pod templates inside a resource: its own, those of a group's roles, those an operator makes pods from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from headrace.documents import Mapping, Mark, Node, Steps, mark_at
from headrace.manifest.resource import Resource
from headrace.manifest.tree import child, items, mapping, number, raw, texts, walk

Ownership = Literal["native", "managed", "job"]

NATIVE: Final = frozenset(
    (
        "Deployment",
        "StatefulSet",
        "ReplicaSet",
        "DaemonSet",
        "LeaderWorkerSet",
        "ModelServing",
        "StormService",
        "RoleSet",
        "Pod",
    )
)
"""Kinds whose pod templates are taken as they are written."""
JOBS: Final = frozenset(("Job", "CronJob"))
DEFAULT_GRACE_S: Final = 30


@dataclass(frozen=True, eq=False)
class Pod:
    """One pod template."""

    resource: Resource
    path: Steps
    """Where the pod's spec stands inside the resource."""
    spec: Mapping
    labels: dict[str, str]
    ownership: Ownership
    role: str
    """``leaderTemplate``, ``prefill.entryTemplate``; empty where a resource has one template."""

    def at(self, *steps: str | int) -> Node | None:
        """What stands at a path inside the pod's spec."""
        return child(self.spec, *steps)

    def mark(self, *steps: str | int) -> Mark:
        """Where the last step of a path inside the pod's spec is written, or as deep as it exists."""
        if not steps:
            return self.resource.mark(*self.path)
        return mark_at(self.spec, steps)

    def title(self, container: str = "-") -> str:
        """The name of a container as findings show it: ``vllm``, ``leaderTemplate/vllm``."""
        return f"{self.role}/{container}" if self.role else container

    @cached_property
    def grace_s(self) -> int | None:
        """terminationGracePeriodSeconds, the default filled in; None: a variable."""
        written = self.at("terminationGracePeriodSeconds")
        return DEFAULT_GRACE_S if written is None else number(written)

    @cached_property
    def containers(self) -> tuple[tuple[Steps, Mapping], ...]:
        """The containers with their paths inside the pod's spec; init containers left out."""
        found = items(self.spec, "containers")
        return tuple((("containers", i), node) for i, node in enumerate(found) if isinstance(node, Mapping))


def pods(resource: Resource) -> Iterator[Pod]:
    """The pod templates of a resource."""
    if resource.kind in JOBS:
        ownership: Ownership = "job"
    else:
        ownership = "native" if resource.kind in NATIVE else "managed"
    if resource.kind in ("Service", "ConfigMap", "Secret"):
        return
    found = [(path, node) for path, node in walk(resource.node) if _is_template(path, node)]
    several = len(found) > 1
    for path, node in found:
        inside = mapping(node, "spec")
        where: Steps = (*path, "spec")
        if inside is None:
            if not isinstance(node, Mapping):
                continue
            where, inside = path, node
        labels = texts(node, "metadata", "labels")
        yield Pod(
            resource,
            where,
            inside,
            labels,
            ownership,
            _role(resource, path) if several or _grouped(path) else "",
        )


def _is_template(path: Steps, node: Node) -> bool:
    """A mapping with containers of its own, or with a spec that has them; not that spec again."""
    if not isinstance(node, Mapping):
        return False
    if _has_containers(mapping(node, "spec")):
        return True
    return _has_containers(node) and bool(path) and path[-1] != "spec"


def _has_containers(node: Node | None) -> bool:
    return any(isinstance(item, Mapping) for item in items(node, "containers"))


def _grouped(path: Steps) -> bool:
    return any(isinstance(step, str) and step.endswith("Template") for step in path) or "roles" in path


def _role(resource: Resource, path: Steps) -> str:
    """``prefill.entryTemplate``: names of the list items on the way, and the template's own key."""
    words: list[str] = []
    node: Node | None = resource.node
    for step in path:
        node = child(node, step)
        if isinstance(step, int):
            words.append(raw(node, "name") or raw(node, "groupName") or str(step))
        elif step not in (
            "spec",
            "template",
            "roles",
            "leaderWorkerTemplate",
            "workerGroupSpecs",
            "rayClusterConfig",
        ):
            words.append(step)
    return ".".join(words)
