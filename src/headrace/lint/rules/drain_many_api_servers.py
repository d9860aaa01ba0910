"""With several API server processes a native drain freezes every stream.

``--api-server-count`` above 1 together with ``--shutdown-timeout`` above 0.

Why:
    Each API process closes its engine client on SIGTERM: no byte comes any more, and streams are cut in mid-chunk
    when the timeout ends. Waiting is then worse than aborting.

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
            args: ["--model=/models/llama", "--api-server-count=2", "--shutdown-timeout=300"]

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
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--shutdown-timeout=300"]

Fix:
    One API server process, or no --shutdown-timeout and a preStop that waits until nothing is running.

Source:
    Measured on vLLM 0.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each such pair of flags."""
    for server in bundle.servers:
        launch = server.engine.launch
        if not (server.is_vllm and launch):
            continue
        flag = server.flag(launch.shutdown_timeout)
        count = server.number(launch.api_servers) or 1
        if flag is not None and flag.number and count > 1:
            yield Hit(
                server,
                f"--api-server-count {count} with {flag.name} {flag.number}: the drain freezes "
                f"every stream until it cuts it",
                flag.arg.node,
                help="one API server process, or drain in the preStop",
            )


RULE = Rule("error", "high", check, __doc__ or "")
