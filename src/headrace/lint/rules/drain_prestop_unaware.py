"""The preStop waits also where there is nothing to wait for.

A ``preStop`` that does not look whether the server listens: a plain sleep, a sleep action, an HTTP call.

Why:
    A pod that is deleted while it loads then holds its accelerators for the whole sleep, and after that SIGTERM is
    lost on an engine that is still starting, so that it stays for the whole grace period.

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
                sleep: {seconds: 20}

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
    Look at /proc/net/tcp for the server's port: listening, wait 20 s; else end the pod.

Others:
    The sleep action (`preStop.sleep`) is advised for web services, which are ready in seconds.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each hook that doesn't look."""
    for server in bundle.servers:
        hook = server.pre_stop
        if server.native and hook is not None and hook.is_known and not hook.checks_listening:
            yield Hit(
                server,
                "the preStop does not look whether the server listens: a pod that is still "
                "starting is held for nothing",
                hook.node,
                help="where nothing listens on the port yet, end the pod at once",
            )


RULE = Rule("warning", "high", check, __doc__ or "")
