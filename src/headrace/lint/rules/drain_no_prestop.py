"""Nothing holds SIGTERM back until routers have dropped the pod.

A model server without a ``preStop`` hook.

Why:
    On deletion the container gets SIGTERM at once, while routers and the Service still send to it. vLLM then aborts
    every request in flight: streams stop without a finish reason, and a proxy can't retry once bytes were sent.

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
    A hook that looks whether the server listens: if it does, it waits 20 s; if it is still starting, it ends
    everything in the pod at once, since there is nothing to drain. ``headrace render`` writes one, and ``--fix``
    adds it.

Others:
    Linters for web services are content with `sleep 5`, or say nothing: they assume a server that ends its requests
    on SIGTERM by itself.

Source:
    headrace: rollouts and scaling of model servers. Measured on vLLM 0.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.hooks import hook_changes
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server without a hook."""
    for server in bundle.servers:
        if server.native and server.pre_stop is None:
            yield Hit(
                server,
                "no preStop hook: SIGTERM comes while routers still send requests here, and streams are cut",
                help=(
                    "a preStop that waits 20 s where the server listens, and ends a pod that is "
                    "still starting"
                ),
                changes=hook_changes(server, known),
            )


RULE = Rule("error", "high", check, __doc__ or "")
