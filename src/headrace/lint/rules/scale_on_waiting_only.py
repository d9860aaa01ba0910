"""A queue alone scales down what has just emptied it.

Waiting requests, or queue depth, as the only measure of demand of an autoscaler.

Why:
    num_requests_waiting is 0 whenever the queue is empty, also right after new pods have drained it. The autoscaler
    then removes them, the queue fills again, and the fleet swings.

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
      - type: Pods
        pods:
          metric: {name: "vllm:num_requests_waiting"}
          target: {type: AverageValue, averageValue: "5"}

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
      - type: Pods
        pods:
          metric: {name: "vllm:num_requests_waiting"}
          target: {type: AverageValue, averageValue: "5"}

Fix:
    Scale on requests running (with waiting beside it, if at all).

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import is_queue, scaled_servers
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each autoscaler that sees only the queue."""
    for scaler, server in scaled_servers(bundle):
        about = [
            metric for metric in scaler.metrics if metric.source not in ("cron", "Resource", "cpu", "memory")
        ]
        if about and all(is_queue(server.engine, metric) for metric in about):
            yield Hit(
                scaler.resource,
                "scales on the queue alone: it reads 0 as soon as new replicas have emptied it, "
                "and they are removed again",
                about[0].node,
                help="requests running per replica",
            )


RULE = Rule("warning", "high", check, __doc__ or "")
