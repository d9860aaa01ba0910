"""Applying this manifest resets the autoscaler's count.

``replicas`` in a workload that an autoscaler of the same run targets.

Why:
    Every apply sets the count back to the number in the file, in the middle of the day too: replicas are deleted
    under load, or a scaled-down model jumps up.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      replicas: 3
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

Fix:
    Leave it out. Where it has been applied with it before by client-side apply, removing it sets the count to 1:
    hand the field over first (`kubectl apply edit-last-applied`, or server-side apply by the autoscaler's owner).

Others:
    Linters ask for at least two or three replicas to be written down.

Source:
    headrace: rollouts and scaling of model servers. Kubernetes documentation: server-side apply, transferring
    ownership.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each count that has two owners."""
    for workload in bundle.workloads:
        written = scalar(workload.node, "spec", "replicas")
        owners = bundle.autoscalers_of(workload)
        if written is not None and owners:
            yield Hit(
                workload,
                f"replicas {written.text} is owned by {owners[0].resource.title}: each apply of "
                f"this file sets it back",
                written,
                help=(
                    "leave replicas out; hand its ownership over before you remove it from an "
                    "applied manifest"
                ),
            )


RULE = Rule("error", "high", check, __doc__ or "")
