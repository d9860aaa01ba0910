"""Liveness restarts a server that is still loading.

A server without a startup probe whose liveness probe gives up before 2.5 times its start-up (600 s where none has
been measured).

Why:
    The kubelet kills a healthy server that is still loading, and restarts it for ever: it never serves. It happens
    on the day when weights come slowly, to all replicas at once.

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
            livenessProbe:
              httpGet: {path: /health, port: 8000}
              initialDelaySeconds: 120
            readinessProbe:
              httpGet: {path: /health, port: 8000}

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
            livenessProbe:
              httpGet: {path: /health, port: 8000}
              failureThreshold: 6
            readinessProbe:
              httpGet: {path: /health, port: 8000}

Fix:
    A startup probe; until it has succeeded, liveness does not begin.

Others:
    Raising initialDelaySeconds is the usual advice; it delays every later check of a fast start as well.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.startup import kills_loading, startup_changes
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each probe that kills."""
    for server in bundle.servers:
        probe = kills_loading(server, known)
        if not server.native or probe is None:
            continue
        yield Hit(
            server,
            f"liveness gives up {probe.budget_s} s after the start, and start-up may take "
            f"{known.budget_s(server):.0f} s: "
            "a pod that loads is killed, again and again",
            probe.node,
            mark=server.mark("livenessProbe"),
            help=f"a startupProbe with a budget of {known.budget_s(server):.0f} s",
            changes=startup_changes(server, known),
        )


RULE = Rule("error", "high", check, __doc__ or "")
