"""Nothing limits how many replicas a node drain takes at once.

A Deployment, StatefulSet or LeaderWorkerSet with a model server whose pods no PodDisruptionBudget of the run selects.

Why:
    A node drain, the descheduler and node autoscalers evict as many pods as they like: several replicas drain and
    load at once, and the rest is overloaded.

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
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: {name: llama}
    spec:
      maxUnavailable: 1
      selector: {matchLabels: {app: llama}}

Fix:
    maxUnavailable: 1 per model. It may stand in another file; then lint both together.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle

KINDS = ("Deployment", "StatefulSet", "LeaderWorkerSet")


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each workload without a budget."""
    for workload in bundle.workloads:
        pods = [pod for pod in bundle.served_pods if pod.resource is workload]
        if workload.kind in KINDS and not any(bundle.selecting(pod, "PodDisruptionBudget") for pod in pods):
            yield Hit(
                workload,
                "no PodDisruptionBudget here selects these pods: a node drain may take several "
                "replicas at once",
                help="a PodDisruptionBudget with maxUnavailable: 1",
            )


RULE = Rule("info", "medium", check, __doc__ or "")
