"""One Kubernetes object of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from headrace.documents import Document, Mapping, Mark, Node, mark_at
from headrace.manifest.tree import child, items, mapping, raw, texts


@dataclass(frozen=True, eq=False)
class Resource:
    """One object, wherever in its document it stands (an item of a List stands inside one).

    Two are the same only if they are one: compared by identity.
    """

    source: str
    """The file."""
    node: Mapping
    kind: str
    group: str
    """API group without version: ``apps``, ``autoscaling``, empty for the core."""
    version: str
    name: str
    """``?`` where it has none (generateName, or left out)."""
    namespace: str
    """Empty where none is written: it may be any."""
    document: Document

    @cached_property
    def labels(self) -> dict[str, str]:
        """The object's own labels."""
        return texts(self.node, "metadata", "labels")

    @cached_property
    def annotations(self) -> dict[str, str]:
        """The object's own annotations."""
        return texts(self.node, "metadata", "annotations")

    @property
    def title(self) -> str:
        """``Deployment/llama``."""
        return f"{self.kind}/{self.name}"

    def at(self, *steps: str | int) -> Node | None:
        """What stands at a path inside the object, or None."""
        return child(self.node, *steps)

    def mark(self, *steps: str | int) -> Mark:
        """Where the last step of a path is written, or as deep as the path exists."""
        return mark_at(self.node, steps)

    def near(self, other: Resource) -> bool:
        """Whether both may be in one namespace: equal, or one of them not written."""
        return not self.namespace or not other.namespace or self.namespace == other.namespace


def resources(documents: Iterable[Document]) -> Iterator[Resource]:
    """The objects of documents, lists unwrapped; what has no kind is none."""
    for document in documents:
        yield from _objects(document, document.root, 0)


def _objects(document: Document, node: Node, depth: int) -> Iterator[Resource]:
    kind = raw(node, "kind")
    if not isinstance(node, Mapping) or not kind:
        return
    if kind.endswith("List") and depth < 3 and mapping(node, "spec") is None:
        for item in items(node, "items"):
            yield from _objects(document, item, depth + 1)
        return
    group, _, version = (raw(node, "apiVersion") or "").rpartition("/")
    name = raw(node, "metadata", "name") or "?"
    namespace = raw(node, "metadata", "namespace") or ""
    yield Resource(document.source, node, kind, group, version, name, namespace, document)
