"""Several accelerators share 64 MiB of memory to talk.

A server on several accelerators (tensor parallel above 1, or more than one accelerator) without a memory volume at
/dev/shm, or with one below 1 GiB.

Why:
    A container's /dev/shm is 64 MiB unless said. NCCL and the engine's own message queues between processes live
    there: the start fails, or hangs, in a way that names neither.

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
            args: ["--model=/models/llama", "--tensor-parallel-size=2"]

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}]
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--tensor-parallel-size=2"]
            volumeMounts: [{name: shm, mountPath: /dev/shm}]

Fix:
    An emptyDir with medium Memory at /dev/shm; a few GiB (it counts against the memory limit as it fills).

Source:
    vLLM documentation: deployment; Docker documentation: shm-size.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import AddKey, Change
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.server import Server
from headrace.manifest.tree import has, truth
from headrace.manifest.volumes import bytes_of

LEAST_BYTES = 2**30


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server with too little of it."""
    for server in bundle.servers:
        launch = server.engine.launch
        if not (server.native and launch) or truth(server.pod.spec, "hostIPC"):
            continue
        parts = max(server.number(launch.tensor) or 1, server.cards)
        if parts < 2:
            continue
        mount = next((each for each in server.mounts if each.path.rstrip("/") == "/dev/shm"), None)
        if mount is None:
            yield Hit(
                server,
                f"{parts} accelerators and no volume at /dev/shm: it is 64 MiB, too little for the "
                f"processes to talk",
                help="an emptyDir with medium: Memory at /dev/shm",
                changes=changes(server),
            )
        elif (size := bytes_of(mount.size)) is not None and size < LEAST_BYTES:
            yield Hit(server, f"/dev/shm is limited to {mount.size}", mount.volume, help="a few GiB")
        elif not mount.in_memory and not mount.outlives:
            yield Hit(server, "the volume at /dev/shm is on disk", mount.volume, help="medium: Memory")


def changes(server: Server) -> tuple[Change, ...]:
    """A memory volume and its mount, where neither list is written in a way that can't be added to."""
    spec, container = server.pod.spec, server.node
    if has(spec, "volumes") or has(container, "volumeMounts"):
        return ()
    return (
        AddKey(spec, "volumes", "- name: shm\n  emptyDir:\n    medium: Memory"),
        AddKey(container, "volumeMounts", "- name: shm\n  mountPath: /dev/shm"),
    )


RULE = Rule("warning", "high", check, __doc__ or "")
