"""The hook can't end a pod that is still starting.

A preStop that ends everything (``kill -KILL -1``) in a pod without ``shareProcessNamespace: true``.

Why:
    Without it the container's first process is PID 1 of its namespace, which no signal from inside can kill, so
    that a pod deleted during engine init stays for the whole grace period, and its accelerators with it.

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
            args: ["--model=/models/llama"]
            lifecycle:
              preStop:
                exec:
                  command: ["sh", "-c", "if grep -q :1F40 /proc/net/tcp; then sleep 20; else kill -KILL -1; fi"]

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          shareProcessNamespace: true
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
            lifecycle:
              preStop:
                exec:
                  command: ["sh", "-c", "if grep -q :1F40 /proc/net/tcp; then sleep 20; else kill -KILL -1; fi"]

Fix:
    shareProcessNamespace: true, where no container relies on being PID 1.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import AddKey, SetScalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar, truth


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each pod whose hook needs it."""
    for server in bundle.servers:
        hook = server.pre_stop
        if not server.native or hook is None or truth(server.pod.spec, "shareProcessNamespace"):
            continue
        if any(kill.target == "-1" and kill.signal == "KILL" for kill in hook.kills):
            written = scalar(server.pod.spec, "shareProcessNamespace")
            change = (
                SetScalar(written, "true")
                if written
                else AddKey(server.pod.spec, "shareProcessNamespace", "true")
            )
            yield Hit(
                server,
                "the preStop ends a starting pod by kill -1, and without shareProcessNamespace "
                "that can't reach PID 1",
                written or hook.script_node or hook.node,
                help="shareProcessNamespace: true",
                changes=(change,),
            )


RULE = Rule("error", "high", check, __doc__ or "")
