"""Every pod downloads the weights.

A model that comes from a hub or an object store without a streaming loader, and no volume that outlives the pod where
it is kept.

Why:
    Weights are most of a cold start: 141 GB at 1 GB/s are two and a half minutes, and several pods that start at
    once share that rate. From a disk of the node it is well under one.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=meta-llama/Llama-3.1-70B-Instruct"]

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          volumes: [{name: cache, persistentVolumeClaim: {claimName: cache}}]
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=meta-llama/Llama-3.1-70B-Instruct"]
            volumeMounts: [{name: cache, mountPath: /root/.cache/huggingface}]

Fix:
    A claim or a folder of the node at the hub's cache, weights staged on nodes, or a streaming loader.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.server import Server
from headrace.manifest.tree import items, raw
from headrace.manifest.volumes import Mount

REMOTE = re.compile(r"(?:s3|gs|oci|https?|hf|tos|az)://.+")
HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server whose pods all download."""
    for server in bundle.servers:
        launch = server.engine.launch
        if not (server.native and server.start and launch):
            continue
        loader = server.flag(launch.load_format)
        if loader is not None and (loader.text is None or loader.text in launch.streaming_formats):
            continue
        name = model(server)
        if name is None:
            continue
        if REMOTE.fullmatch(name) or HUB.fullmatch(name):
            folder = kept_in(server)
            if folder is not None and not server.kept(folder):
                where = "is new with each pod" if server.mount_of(folder) else "is no volume"
                yield _hit(server, f"{name} is downloaded into {folder}, which {where}")
        elif name.startswith("/") and (mount := server.mount_of(name)) and _filled(server, mount):
            yield _hit(server, f"an init container downloads {name} into a volume that is new with each pod")


def _hit(server: Server, what: str) -> Hit:
    node = (
        server.model.node
        if server.model is not None and server.start and server.start.script is None
        else None
    )
    return Hit(
        server,
        f"{what}: every start downloads the weights",
        node,
        help="a volume that outlives the pod, weights staged on nodes, or a streaming loader",
    )


def model(server: Server) -> str | None:
    """The model, from the flag or the variable that TGI reads."""
    if server.engine.name == "tgi" and server.model_name is None:
        return server.environment.get("MODEL_ID")
    return server.model_name


def kept_in(server: Server) -> str | None:
    """The folder of downloaded weights; None: not known."""
    launch = server.engine.launch
    if launch is None:
        return None
    flag = server.flag(launch.download_dir)
    if flag is not None:
        return flag.text
    for name in launch.hub_variables:
        if name in server.environment:
            return server.environment[name]
    base = server.environment.get("XDG_CACHE_HOME")
    return (
        f"{base}/huggingface" if base and launch.hub_homes[0].startswith("~/.cache") else launch.hub_homes[0]
    )


def _filled(server: Server, volume: Mount) -> bool:
    """Whether the volume is new with each pod, and an init container mounts it too."""
    return not volume.outlives and any(
        raw(mount, "name") == volume.name
        for container in items(server.pod.spec, "initContainers")
        for mount in items(container, "volumeMounts")
    )


RULE = Rule("warning", "high", check, __doc__ or "")
