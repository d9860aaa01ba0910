"""A flag that this release does not know ends the server at start.

``--shutdown-timeout`` on a vLLM release older than 0.18.

Why:
    An unknown flag is an error: the container exits at once and crash-loops. Nothing is served.

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
            image: vllm/vllm-openai:v0.17.1
            args: ["--model=/models/llama", "--shutdown-timeout=300"]

Good:
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
            image: vllm/vllm-openai:v0.18.0
            args: ["--model=/models/llama", "--shutdown-timeout=300"]

Fix:
    Take 0.18 or later, or drain in the preStop.

Source:
    Sources of 26 releases of vLLM, 0.8.5 to 0.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each flag that is too new."""
    for server in bundle.servers:
        launch = server.engine.launch
        if not (server.is_vllm and launch and launch.shutdown_since and server.release):
            continue
        flag = server.flag(launch.shutdown_timeout)
        if flag is not None and server.release < launch.shutdown_since:
            yield Hit(
                server,
                f"{flag.name} is not known to vLLM {'.'.join(map(str, server.release))} (first in 0.18.0): "
                "the container crash-loops",
                flag.arg.node,
                help="vLLM 0.18 or later, or a preStop that waits until nothing is running",
            )


RULE = Rule("error", "high", check, __doc__ or "")
