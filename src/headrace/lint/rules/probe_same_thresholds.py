"""A pod is restarted as soon as it is taken out.

Readiness and liveness with the same check, where liveness is no more patient than readiness (period ×
failureThreshold).

Why:
    A server that is slow for some seconds should lose new requests, not its streams. With equal thresholds the
    kubelet kills it at the moment it is taken out, and a surge turns into restarts.

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
            readinessProbe:
              httpGet: {path: /health, port: 8000}
            livenessProbe:
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
            readinessProbe:
              httpGet: {path: /health, port: 8000}
            livenessProbe:
              httpGet: {path: /health, port: 8000}
              failureThreshold: 12

Fix:
    A liveness failureThreshold several times that of readiness.

Others:
    Copying the readiness probe into liveness is what most templates do.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from headrace.lint.change import AddKey, SetScalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar

TIMES = 4
"""How many times as patient liveness is made as readiness."""


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each such pair."""
    for server in bundle.servers:
        ready, live = server.probe("readinessProbe"), server.probe("livenessProbe")
        if not server.native or ready is None or live is None or ready.check != live.check or not live.check:
            continue
        if live.patience_s is None or ready.patience_s is None or live.patience_s > ready.patience_s:
            continue
        written = scalar(live.node, "failureThreshold")
        value = str(math.ceil(TIMES * ready.patience_s / max(live.period_s or 1, 1)))
        yield Hit(
            server,
            f"liveness gives up after {live.patience_s} s and readiness after {ready.patience_s} s "
            f"by the same check: "
            "a slow moment kills streams",
            written or live.node,
            mark=None if written else server.mark("livenessProbe"),
            help=f"failureThreshold: {value} for liveness",
            changes=(SetScalar(written, value) if written else AddKey(live.node, "failureThreshold", value),),
        )


RULE = Rule("warning", "high", check, __doc__ or "")
