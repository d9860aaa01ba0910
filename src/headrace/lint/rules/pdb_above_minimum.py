"""At its floor the model blocks every node drain.

minAvailable at or above the minimum of the autoscaler that scales the same pods.

Why:
    When the autoscaler has gone down to its minimum, no pod may be evicted any more; nodes can be drained by day
    and not by night.

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
            args: ["--model=/models/llama", "--max-num-seqs=64"]
    ---
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: {name: llama}
    spec:
      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}
      minReplicas: 2
      maxReplicas: 8
      metrics:
      - type: Pods
        pods:
          metric: {name: "vllm:num_requests_running"}
          target: {type: AverageValue, averageValue: "38"}
    ---
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: {name: llama}
    spec:
      minAvailable: 2
      selector: {matchLabels: {app: llama}}

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
            args: ["--model=/models/llama", "--max-num-seqs=64"]
    ---
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: {name: llama}
    spec:
      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}
      minReplicas: 2
      maxReplicas: 8
      metrics:
      - type: Pods
        pods:
          metric: {name: "vllm:num_requests_running"}
          target: {type: AverageValue, averageValue: "38"}
    ---
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: {name: llama}
    spec:
      maxUnavailable: 1
      selector: {matchLabels: {app: llama}}

Fix:
    maxUnavailable: 1, which follows the count.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import AddKey, DeleteKey
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import mapping, number, scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each budget that the floor can't meet."""
    for budget in bundle.of_kind("PodDisruptionBudget"):
        least = scalar(budget.node, "spec", "minAvailable")
        wanted = number(budget.node, "spec", "minAvailable")
        if least is None or wanted is None:
            continue
        for workload in dict.fromkeys(
            pod.resource for pod in bundle.selected_by(budget) if pod in bundle.served_pods
        ):
            for scaler in bundle.autoscalers_of(workload):
                if scaler.lowest and wanted >= scaler.lowest:
                    spec = mapping(budget.node, "spec")
                    yield Hit(
                        budget,
                        f"minAvailable {wanted} with a minimum of {scaler.lowest} in "
                        f"{scaler.resource.title}: "
                        "at its floor the model blocks every node drain",
                        least,
                        help="maxUnavailable: 1",
                        changes=(AddKey(spec, "maxUnavailable", "1"), DeleteKey(spec, "minAvailable"))
                        if spec
                        else (),
                    )


RULE = Rule("error", "high", check, __doc__ or "")
