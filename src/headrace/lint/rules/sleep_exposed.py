"""Whoever reaches the port can end all requests.

A server with ``VLLM_SERVER_DEV_MODE=1`` that a Service, an Ingress or a route of the run leads to.

Why:
    The development endpoints come without any key: POST /sleep ends every request in flight with `abort`,
    /server_info shows the configuration. Through a Service every pod of the cluster can send it; through a load
    balancer everybody can.

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
            env: [{name: VLLM_SERVER_DEV_MODE, value: "1"}]
    ---
    apiVersion: v1
    kind: Service
    metadata: {name: llama}
    spec:
      selector: {app: llama}
      ports: [{port: 80, targetPort: 8000}]

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
            args: ["--model=/models/llama"]
    ---
    apiVersion: v1
    kind: Service
    metadata: {name: llama}
    spec:
      selector: {app: llama}
      ports: [{port: 80, targetPort: 8000}]

Fix:
    No development mode on a served port; or a NetworkPolicy and a gateway that passes only /v1.

Source:
    Measured on vLLM 0.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import text


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each such server."""
    for server in bundle.servers:
        launch = server.engine.launch
        if not (server.is_vllm and launch and launch.sleep_environment):
            continue
        name, value = launch.sleep_environment
        if server.environment.get(name) != value:
            continue
        services = bundle.selecting(server.pod, "Service")
        if services and not bundle.selecting_policies(server.pod):
            open_to = text(services[0].node, "spec", "type") in ("LoadBalancer", "NodePort")
            yield Hit(
                server,
                f"{name}={value} and {services[0].title} leads here: "
                f"{'everybody' if open_to else 'every pod of the cluster'} "
                "can POST /sleep, which aborts all requests",
                help="no development mode on a served port",
            )


RULE = Rule("error", "high", check, __doc__ or "")
