"""No node can ever be drained.

A PodDisruptionBudget that allows no disruption: minAvailable of all replicas (1 of 1, 100 %), or maxUnavailable 0.

Why:
    Every eviction is refused: node upgrades, drains and scale-down hang until somebody deletes the pod by hand,
    which then cuts its streams.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      replicas: 1
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
    ---
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: {name: llama}
    spec:
      minAvailable: 1
      selector: {matchLabels: {app: llama}}

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      replicas: 1
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
    ---
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: {name: llama}
    spec:
      maxUnavailable: 1
      selector: {matchLabels: {app: llama}}

Fix:
    maxUnavailable: 1, and decide on purpose whether a single-replica model may go down during maintenance.

Others:
    Linters that ask for a budget often show minAvailable: 1, which is right from two replicas up.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from headrace.lint.change import AddKey, Change, DeleteKey, SetScalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.resource import Resource
from headrace.manifest.tree import mapping, number, percent, scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each budget that allows nothing."""
    for budget in bundle.of_kind("PodDisruptionBudget"):
        pods = [pod for pod in bundle.selected_by(budget) if pod in bundle.served_pods]
        for workload in dict.fromkeys(pod.resource for pod in pods):
            if not bundle.autoscalers_of(workload) and (hit := _hit(budget, bundle.replicas(workload))):
                yield hit
                break
        else:
            if pods and (hit := _hit(budget, None)):
                yield hit


def _hit(budget: Resource, replicas: int | None) -> Hit | None:
    least, most = scalar(budget.node, "spec", "minAvailable"), scalar(budget.node, "spec", "maxUnavailable")
    words, node = "", least or most
    if most is not None and most.text in ("0", "0%"):
        words = f"maxUnavailable {most.text}"
    elif least is not None and least.text == "100%":
        words = "minAvailable 100%"
    elif least is not None and replicas is not None:
        wanted = (
            number(least) if not least.text.endswith("%") else math.ceil((percent(least) or 0) * replicas)
        )
        if wanted is not None and wanted >= replicas > 0:
            words = f"minAvailable {least.text} of {replicas} replica{'s' if replicas > 1 else ''}"
    if not words:
        return None
    spec = mapping(budget.node, "spec")
    changes: tuple[Change, ...] = ()
    if most is not None:
        changes = (SetScalar(most, "1"),)
    elif spec is not None:
        changes = (AddKey(spec, "maxUnavailable", "1"), DeleteKey(spec, "minAvailable"))
    return Hit(
        budget,
        f"{words} allows no disruption: no node with this model can be drained",
        node,
        help="maxUnavailable: 1",
        changes=changes,
    )


RULE = Rule("error", "high", check, __doc__ or "")
