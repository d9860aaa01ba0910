"""Utilisation does not tell load from overload.

GPU, CPU or memory utilisation as a metric of a model server's autoscaler.

Why:
    Continuous batching keeps the GPU busy at almost any load, memory is taken at start by the KV cache, and CPU
    follows neither: the number is near its maximum when the server is comfortable and when it is overloaded.

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
    ---
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: {name: llama}
    spec:
      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}
      minReplicas: 2
      maxReplicas: 8
      metrics:
      - type: Resource
        resource:
          name: cpu
          target: {type: Utilization, averageUtilization: 80}

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
    vllm:num_requests_running per pod, at about 0.6 × max-num-seqs; alert on queue time beside it.

Others:
    HPA examples and most linters take CPU utilisation as the default metric.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers, utilisation
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each such metric."""
    for scaler, _ in scaled_servers(bundle):
        for metric in scaler.metrics:
            what = utilisation(metric)
            if what:
                yield Hit(
                    scaler.resource,
                    f"scales on {what}, which is as high at comfortable load as at overload",
                    metric.node,
                    help="requests running per replica, at about 0.6 × max-num-seqs",
                )


RULE = Rule("error", "high", check, __doc__ or "")
