"""Recreate takes every pod away before a new one loads.

A Deployment with a model server and ``strategy.type: Recreate``.

Why:
    The outage of each rollout is the drain of the old pods plus a whole cold start of the new ones: minutes, for
    every model, at every change of the template.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      strategy: {type: Recreate}
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
      strategy:
        rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]

Fix:
    With a spare accelerator: RollingUpdate with maxSurge 1 and maxUnavailable 0. Without one and with several
    replicas: maxSurge 0 and maxUnavailable 1. With one replica and no spare accelerator the outage is a decision:
    write it down.

Others:
    Guides for one-GPU services advise Recreate, since a surge pod would wait for the accelerator that the old pod
    holds. That is true, and it is why such a service should have one accelerator to spare during a rollout.

Source:
    headrace: rollouts and scaling of model servers. Kubernetes API reference, apps/v1 Deployment.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each Deployment that is recreated."""
    for workload in bundle.workloads:
        kind = scalar(workload.node, "spec", "strategy", "type")
        if workload.kind == "Deployment" and kind is not None and kind.text == "Recreate":
            yield Hit(
                workload,
                "Recreate: every rollout is an outage of the drain and a whole cold start",
                kind,
                help=(
                    "RollingUpdate with maxSurge 1, maxUnavailable 0 (or 0 and 1 with several "
                    "replicas and no spare card)"
                ),
            )


RULE = Rule("warning", "high", check, __doc__ or "")
