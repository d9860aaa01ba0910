"""`Value` divides a growing total by nothing.

A target of type `Value` on a queue or a count of requests (HPA External or Object metrics, KEDA metricType).

Why:
    With Value the ratio of the whole to the target multiplies the present count at every sync: as long as new
    replicas load and the queue does not shrink, the count runs away to its ceiling.

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
      - type: External
        external:
          metric: {name: "vllm:num_requests_waiting"}
          target: {type: Value, value: "10"}
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
      - type: External
        external:
          metric: {name: "vllm:num_requests_running"}
          target: {type: AverageValue, averageValue: "38"}

Fix:
    AverageValue, which divides the total by the replicas.

Source:
    Kubernetes: Horizontal Pod Autoscaling, algorithm details. One public worked example reached 22,745 pods.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import is_about, is_queue, scaled_servers
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each such target."""
    for scaler, server in scaled_servers(bundle):
        for metric in scaler.metrics:
            if metric.target_type == "Value" and (
                is_queue(server.engine, metric) or is_about(server.engine.running, metric)
            ):
                yield Hit(
                    scaler.resource,
                    "a target of type Value on a count of requests multiplies replicas at every "
                    "sync while they load",
                    metric.target or metric.node,
                    help="type AverageValue",
                )


RULE = Rule("error", "high", check, __doc__ or "")
