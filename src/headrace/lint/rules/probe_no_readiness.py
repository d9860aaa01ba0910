"""Requests are sent to a server that is still loading.

A server without a readiness probe.

Why:
    A container without one counts as ready as soon as it runs: Services and routers send requests to a pod that
    will refuse them for minutes, and a rollout counts it as done and removes the old pod.

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
            startupProbe:
              httpGet: {path: /health, port: 8000}
              failureThreshold: 90

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
            startupProbe:
              httpGet: {path: /health, port: 8000}
              failureThreshold: 90
            readinessProbe:
              httpGet: {path: /health, port: 8000}

Fix:
    A readiness probe on /health.

Source:
    Kubernetes API reference, apps/v1 Deployment.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.startup import readiness_changes
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import has


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server without one."""
    for server in bundle.servers:
        if server.native and not has(server.node, "readinessProbe"):
            yield Hit(
                server,
                "no readinessProbe: requests come while the model loads, and a rollout removes the "
                "old pod too early",
                help="a readinessProbe on /health",
                changes=readiness_changes(server),
            )


RULE = Rule("error", "high", check, __doc__ or "")
