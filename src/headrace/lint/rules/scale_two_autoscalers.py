"""Two autoscalers own one count.

Two autoscalers of one run that target the same workload.

Why:
    Each sets the count to its own wish at every sync; the fleet swings between them, and every swing is a drain and
    a cold start.

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
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: {name: llama-too}
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
    One of them, with the metrics of both: an HPA takes the largest of what its metrics ask for.

Source:
    Kubernetes: Horizontal Pod Autoscaling. KEDA documentation: troubleshooting.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each autoscaler but the first of a workload."""
    for workload in bundle.workloads:
        owners = bundle.autoscalers_of(workload)
        for second in owners[1:]:
            yield Hit(
                second.resource,
                f"{second.resource.title} and {owners[0].resource.title} both scale "
                f"{workload.title}: each undoes the other",
                mark=second.resource.mark("spec", "scaleTargetRef"),
                help="one autoscaler with the metrics of both",
            )


RULE = Rule("error", "high", check, __doc__ or "")
