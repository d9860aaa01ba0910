"""Which folders of a container are volumes, and which volumes outlive the pod."""

from __future__ import annotations

from typing import Final, NamedTuple

from headrace.documents import Mapping, Node
from headrace.manifest.pod import Pod
from headrace.manifest.tree import child, is_known, items, mapping, raw

_TEMPORARY: Final = ("emptyDir", "ephemeral", "configMap", "secret", "downwardAPI", "projected")


class Mount(NamedTuple):
    """One volume in a container."""

    path: str
    name: str
    volume: Node | None
    """The volume as the pod writes it; None: it is not there."""
    outlives: bool
    """It is there for the next pod too. True also for kinds not known to us, and for claims of a StatefulSet."""
    in_memory: bool
    size: str | None
    """sizeLimit of an emptyDir."""


def mounts(pod: Pod, container: Node) -> tuple[Mount, ...]:
    """The volumes of a container."""
    volumes = {raw(item, "name"): item for item in items(pod.spec, "volumes")}
    claims = {
        raw(item, "metadata", "name") for item in items(pod.resource.node, "spec", "volumeClaimTemplates")
    }
    found = []
    for item in items(container, "volumeMounts"):
        path, name = raw(item, "mountPath"), raw(item, "name")
        if path and name:
            volume = volumes.get(name)
            found.append(_mount(path, name, volume, name in claims))
    return tuple(found)


def _mount(path: str, name: str, volume: Node | None, claimed: bool) -> Mount:
    temporary = any(child(volume, kind) is not None for kind in _TEMPORARY)
    empty = mapping(volume, "emptyDir")
    return Mount(
        path,
        name,
        volume,
        claimed or not temporary,
        empty is not None and raw(empty, "medium") == "Memory",
        raw(empty, "sizeLimit") if isinstance(empty, Mapping) else None,
    )


def bytes_of(quantity: str | None) -> float | None:
    """``2Gi`` in bytes; None: not known."""
    if not quantity or not is_known(quantity):
        return None
    units = {
        "Ki": 2**10,
        "Mi": 2**20,
        "Gi": 2**30,
        "Ti": 2**40,
        "k": 1e3,
        "M": 1e6,
        "G": 1e9,
        "T": 1e12,
        "": 1.0,
    }
    number = quantity.rstrip("KMGTkimb")
    try:
        return float(number) * units[quantity[len(number) :]]
    except (ValueError, KeyError):
        return None
