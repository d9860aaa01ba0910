"""This release has no metric of that name.

A metric of the engine that its release does not have (where the release is not known: that no release has), in an
autoscaler, a PrometheusRule or a dashboard.

Why:
    A name that is gone reads as no data: the autoscaler holds or takes it as zero, the alert never fires, the panel
    is empty. Names changed between releases: gpu_cache_usage_perc until 0.11, time_per_output_token_seconds until
    0.15.

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
          metric: {name: "vllm:gpu_cache_usage_perc"}
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
    The name that the release has; during a rollout over such a change, both by `or`.

Source:
    Sources of 26 releases of vLLM, and pages of 0.5 to 0.32.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.metrics import instead, missing, names
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each name that is not there."""
    for engine in bundle.engines:
        releases = {server.release for server in bundle.servers if server.engine is engine}
        release = next(iter(releases)) if len(releases) == 1 else None
        if not engine.prefix.endswith(":") or not engine.families:
            continue
        for resource, node, name in names(bundle, engine.prefix):
            why = missing(engine, name, release)
            if why:
                yield Hit(
                    resource, f"{name} {why}: it reads as no data", node, help=instead(engine, name, release)
                )


RULE = Rule("error", "high", check, __doc__ or "")
