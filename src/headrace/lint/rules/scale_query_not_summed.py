"""The query returns one series for each pod.

A Prometheus query of an autoscaler without an aggregation over pods, or with one by pod.

Why:
    A trigger takes one number: with several series it fails, or takes the first, and which one is first changes.
    Per-pod series also come and go with the pods that the autoscaler itself makes.

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
    apiVersion: keda.sh/v1alpha1
    kind: ScaledObject
    metadata: {name: llama}
    spec:
      scaleTargetRef: {name: llama}
      minReplicaCount: 2
      maxReplicaCount: 8
      triggers:
      - type: prometheus
        metadata:
          serverAddress: http://prometheus:9090
          query: 'vllm:num_requests_running'
          threshold: "38"
          ignoreNullValues: "false"

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
    apiVersion: keda.sh/v1alpha1
    kind: ScaledObject
    metadata: {name: llama}
    spec:
      scaleTargetRef: {name: llama}
      minReplicaCount: 2
      maxReplicaCount: 8
      triggers:
      - type: prometheus
        metadata:
          serverAddress: http://prometheus:9090
          query: 'sum(vllm:num_requests_running{model_name="llama"})'
          threshold: "38"
          ignoreNullValues: "false"

Fix:
    sum(…) over the model's pods; KEDA divides by the replicas with AverageValue.

Source:
    KEDA documentation: Prometheus scaler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import is_known, scalar

AGGREGATES = re.compile(
    r"\b(?:sum|avg|max|min|count|quantile|topk|group|stddev|absent|scalar|histogram_quantile)\b"
)
PER_POD = re.compile(r"\bby\s*\(([^)]*)\)")


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each query that may return several series."""
    for scaler, _ in scaled_servers(bundle):
        for metric in scaler.metrics:
            query = metric.query
            if not query or not is_known(query):
                continue
            parted = any(re.search(r"pod|instance|replica", labels) for labels in PER_POD.findall(query))
            if parted or not AGGREGATES.search(query):
                yield Hit(
                    scaler.resource,
                    "this query returns a series for each pod, and a trigger takes one number",
                    scalar(metric.node, "metadata", "query"),
                    help="sum(…) over the model's pods",
                )


RULE = Rule("warning", "high", check, __doc__ or "")
