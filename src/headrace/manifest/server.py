"""A model server inside a pod template."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from headrace.documents import Mapping, Mark, Node, Steps, mark_at
from headrace.engine import Engine, Release
from headrace.manifest.image import Image, image
from headrace.manifest.pod import Pod
from headrace.manifest.probe import Probe, probe
from headrace.manifest.start import Flag, Start, Unknown, bare, flags, start
from headrace.manifest.stopping import PreStop, pre_stop
from headrace.manifest.tree import child, is_known, items, mapping, number, raw, scalar
from headrace.manifest.volumes import Mount, mounts
from headrace.manifest.words import Arg, line

CARDS: Final = re.compile(
    r"(?:nvidia\.com/(?:gpu|mig-.*)|amd\.com/gpu|gpu\.intel\.com/.*|google\.com/tpu|habana\.ai/gaudi|aws\.amazon\.com/neuron.*|huawei\.com/.*)"
)
"""Names of accelerators among a container's resources."""


_RAY: Final = ("RayService", "RayCluster")


@dataclass(frozen=True, eq=False)
class Server:
    """A container that runs a model server, or may well do so (`unknown`)."""

    pod: Pod
    path: Steps
    """Of the container inside the pod's spec."""
    node: Mapping
    """The container."""
    engine: Engine
    start: Start | None
    """None: what starts it can't be known, and `unknown` says why."""
    unknown: str

    @property
    def name(self) -> str:
        """The container's name as findings show it."""
        return self.pod.title(raw(self.node, "name") or "?")

    @property
    def native(self) -> bool:
        """Whether the pod is taken as it is written, so that what is missing is missing."""
        return self.pod.ownership == "native"

    @property
    def is_vllm(self) -> bool:
        """Whether it is vLLM, whose drain is known best."""
        return self.engine.name == "vllm"

    def at(self, *steps: str | int) -> Node | None:
        """What stands at a path inside the container."""
        return child(self.node, *steps)

    def mark(self, *steps: str | int) -> Mark:
        """Where the last step of a path inside the container is written, or as deep as it exists."""
        return mark_at(self.node, steps)

    @cached_property
    def image(self) -> Image | None:
        """The container's image."""
        written = raw(self.node, "image")
        return image(written) if written else None

    @cached_property
    def release(self) -> Release | None:
        """The engine's release, where the image's tag is one; None: not known."""
        launch = self.engine.launch
        if self.image is None or launch is None:
            return None
        numbered = any(re.search(pattern, self.image.repository) for pattern in launch.numbered)
        return self.image.release if numbered else None

    @cached_property
    def environment(self) -> dict[str, str | None]:
        """Variables with their values; None: from a secret, a field, or not known."""
        return _environment(self.node)

    @cached_property
    def flags(self) -> dict[str, Flag]:
        """Flags by the first of their names."""
        return flags(self.start) if self.start else {}

    def flag(self, names: tuple[str, ...]) -> Flag | None:
        """A flag by the names an engine's `Launch` gives it."""
        return self.flags.get(names[0]) if names else None

    def number(self, names: tuple[str, ...]) -> int | None:
        """A flag's value as a whole number; None: not written, or not known."""
        flag = self.flag(names)
        return flag.number if flag else None

    def may_have(self, names: tuple[str, ...]) -> bool:
        """Whether a flag is written, or may hide in a word that is not known (``$EXTRA_ARGS``)."""
        if self.start is None or self.flag(names) is not None:
            return True
        values = {id(flag.value) for flag in self.flags.values()}
        return any(
            not arg.known and id(arg) not in values and not arg.text.startswith("-") for arg in self._extra
        )

    @property
    def _extra(self) -> tuple[Arg, ...]:
        model = self.model
        return tuple(arg for arg in self.start.args if arg is not model) if self.start else ()

    @cached_property
    def model(self) -> Arg | None:
        """The word that names the model: a hub's name, an address or a folder."""
        if self.start is None or self.engine.launch is None:
            return None
        flag = self.flag(self.engine.launch.model_flags)
        if flag is not None:
            return flag.value
        return bare(self.start) if self.engine.launch.model_is_bare else None

    @property
    def model_name(self) -> str | None:
        """The model as it is named, None where that is not known."""
        if self.model is None:
            return None
        flag = self.flag(self.engine.launch.model_flags) if self.engine.launch else None
        name = flag.text if flag else self.model.text
        return name if name and is_known(name) else None

    @cached_property
    def port(self) -> int | None:
        """The port it listens on; None: not known."""
        launch = self.engine.launch
        if launch is None or self.start is None:
            return None
        flag = self.flag(launch.port_flags)
        return flag.number if flag else launch.port

    @cached_property
    def cards(self) -> int:
        """Accelerators that it holds; 0: none are written, or not known."""
        for kind in ("limits", "requests"):
            node = mapping(self.node, "resources", kind)
            if node is not None:
                found = [number(e.value) or 0 for e in node.entries if CARDS.fullmatch(e.key.text)]
                if found:
                    return sum(found)
        return 0

    @cached_property
    def slots(self) -> int | None:
        """max-num-seqs, where the flag says it."""
        return self.number(self.engine.launch.slots) if self.engine.launch else None

    def probe(self, name: str) -> Probe | None:
        """``startupProbe``, ``livenessProbe`` or ``readinessProbe``."""
        return probe(self.node, name)

    @cached_property
    def pre_stop(self) -> PreStop | None:
        """Its preStop hook."""
        return pre_stop(self.node)

    @cached_property
    def drain_s(self) -> int | None:
        """N: the shutdown timeout where it is above 0, else for how long the preStop waits until it is idle."""
        launch = self.engine.launch
        timeout = self.number(launch.shutdown_timeout) if launch else None
        if timeout:
            return timeout
        return self.pre_stop.polls_s if self.pre_stop else None

    @cached_property
    def mounts(self) -> tuple[Mount, ...]:
        """Its volumes, and which of them outlive the pod."""
        return mounts(self.pod, self.node)

    @cached_property
    def home(self) -> str:
        """The user's home: HOME where it is written, else root's."""
        return self.environment.get("HOME") or "/root"

    def kept(self, folder: str) -> bool:
        """Whether a volume that outlives the pod holds a folder (``~`` is the home)."""
        mount = self.mount_of(folder)
        return mount is not None and mount.outlives

    def mount_of(self, folder: str) -> Mount | None:
        """The mount that holds a folder, the deepest."""
        whole = re.sub(r"^~", self.home, folder).rstrip("/") + "/"
        found = [mount for mount in self.mounts if whole.startswith(mount.path.rstrip("/") + "/")]
        return max(found, key=lambda mount: len(mount.path), default=None)


def _environment(container: Mapping) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for item in items(container, "env"):
        name = raw(item, "name")
        if name:
            value = scalar(item, "value")
            found[name] = value.text if value is not None and is_known(value.text) else None
    return found


def servers(pod: Pod, engines: Sequence[Engine]) -> Iterator[Server]:
    """The model servers of a pod template; none of a job."""
    if pod.ownership == "job":
        return
    for path, node in pod.containers:
        written = raw(node, "image")
        values = {name: value for name, value in _environment(node).items() if value is not None}
        begun = start(line(node, values), image(written) if written else None, engines, values)
        if isinstance(begun, Start) and not begun.program and pod.resource.kind in _RAY:
            begun = None
        if isinstance(begun, Start):
            yield Server(pod, path, node, begun.engine, begun, "")
        elif begun is None and pod.resource.kind in _RAY and written:
            begun = _by_ray(pod.role, written, engines)
        if isinstance(begun, Unknown):
            yield Server(pod, path, node, begun.engine, None, begun.why)


def _by_ray(role: str, reference: str, engines: Sequence[Engine]) -> Unknown | None:
    """Ray's head with an engine's name in its image runs what the application configures; workers are no servers."""
    if not role.startswith("headGroupSpec"):
        return None
    repository = image(reference).repository
    engine = next((engine for engine in engines if engine.launch and engine.name in repository), None)
    return Unknown(engine, "Ray starts what runs in it") if engine else None
