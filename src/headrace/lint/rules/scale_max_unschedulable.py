"""The ceiling is above what can be scheduled.

An autoscaler's maximum whose replicas need more accelerators than can be scheduled (``--accelerators``).

Why:
    Replicas above it stay Pending. Autoscalers that count them as capacity wait for ever; those that do not ask for
    more at every sync; and the alarm that the model is at its ceiling never comes.

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
            resources: {limits: {nvidia.com/gpu: 1}}
    ---
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: {name: llama}
    spec:
      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}
      minReplicas: 2
      maxReplicas: 80
      metrics:
      - type: Pods
        pods:
          metric: {name: "vllm:num_requests_running"}
          target: {type: AverageValue, averageValue: "38"}

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
            resources: {limits: {nvidia.com/gpu: 1}}
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

Fix:
    A maximum that the quota and the nodes can give.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each ceiling out of reach."""
    if known.accelerators is None:
        return
    for scaler, _ in scaled_servers(bundle):
        workload = bundle.target_of(scaler)
        cards = sum(server.cards for server in bundle.servers_of(workload)) if workload else 0
        if scaler.highest is not None and cards and scaler.highest * cards > known.accelerators:
            yield Hit(
                scaler.resource,
                f"{scaler.highest} replicas of {cards} need {scaler.highest * cards} accelerators, "
                f"and {known.accelerators} can be scheduled",
                scaler.highest_node,
                help=f"at most {known.accelerators // cards}",
            )


RULE = Rule("warning", "high", check, __doc__ or "")
