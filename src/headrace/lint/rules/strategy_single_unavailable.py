"""A single replica may be taken away before its successor serves.

A Deployment of one replica with a model server whose rolling update resolves to one unavailable pod: a number of 1 or
more, a share that comes to 1, or both limits coming to 0, which Kubernetes turns into one unavailable pod.

Why:
    With one replica, maxUnavailable 1 deletes the only pod at the start of the rollout, whatever maxSurge says: the
    model is down for a whole cold start.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      replicas: 1
      strategy:
        rollingUpdate: {maxSurge: 1, maxUnavailable: 1}
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
      replicas: 1
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
    maxSurge 1 and maxUnavailable 0. The surge pod needs an accelerator to spare while it loads.

Others:
    Guides for GPU services that are out of accelerators advise maxSurge 0: right for several replicas, an outage
    for one.

Source:
    headrace: rollouts and scaling of model servers. Kubernetes API reference, apps/v1 Deployment.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.documents import Mapping, Node, Scalar
from headrace.lint.change import AddKey, Change, SetScalar
from headrace.lint.known import Known
from headrace.lint.rollout import is_rolling, step
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import child, scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each Deployment of one replica that may lose it."""
    for workload in bundle.workloads:
        if not is_rolling(workload) or bundle.replicas(workload) != 1:
            continue
        found = step(workload, 1)
        if found is None or found.unavailable < 1:
            continue
        node = child(workload.node, "spec", "strategy", "rollingUpdate")
        written = scalar(node, "maxUnavailable") or scalar(node, "maxSurge")
        yield Hit(
            workload,
            "the only replica may be deleted before its successor serves (maxUnavailable comes to 1): "
            "down for a whole cold start",
            written,
            help="maxSurge: 1, maxUnavailable: 0",
            changes=_changes(node),
        )


def _changes(node: Node | None) -> tuple[Change, ...]:
    if not isinstance(node, Mapping):
        return ()
    changes: list[Change] = []
    for key, value in (("maxSurge", "1"), ("maxUnavailable", "0")):
        written = child(node, key)
        if written is None:
            changes.append(AddKey(node, key, value))
        elif isinstance(written, Scalar) and not (key == "maxSurge" and written.text not in ("0", "0%")):
            changes.append(SetScalar(written, value))
    return tuple(changes)


RULE = Rule("error", "high", check, __doc__ or "")
