"""The tolerance stands where nothing reads it, or swallows a replica.

``tolerance`` anywhere but under behavior.scaleUp or behavior.scaleDown; or a maximum above ten replicas with the
default tolerance (for your information).

Why:
    An HPA leaves differences within 10 % alone: from ten replicas up that is a whole replica, which is then never
    added or removed. A tolerance of its own stands in behavior (Kubernetes 1.33 and later by feature gate, 1.35 by
    default).

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
      behavior:
        tolerance: "0.05"

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
      maxReplicas: 20
      metrics:
      - type: Pods
        pods:
          metric: {name: "vllm:num_requests_running"}
          target: {type: AverageValue, averageValue: "38"}
      behavior:
        scaleUp: {tolerance: "0.02"}
        scaleDown: {stabilizationWindowSeconds: 900, tolerance: "0.02"}

Fix:
    behavior.scaleUp.tolerance and behavior.scaleDown.tolerance.

Source:
    Kubernetes: HPA configurable tolerance (alpha 1.33, beta 1.35, stable 1.37).
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import walk

SWALLOWS_FROM = 10


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each tolerance out of place, and each that is missed."""
    for scaler, _ in scaled_servers(bundle):
        if scaler.kind == "PodAutoscaler":
            continue
        right = {(*scaler.behavior_path, way, "tolerance") for way in ("scaleUp", "scaleDown")}
        found = [
            (path, node) for path, node in walk(scaler.resource.node) if path and path[-1] == "tolerance"
        ]
        wrong = next((node for path, node in found if path not in right and path[0] == "spec"), None)
        if wrong is not None:
            yield Hit(
                scaler.resource,
                "tolerance is read only under behavior.scaleUp and behavior.scaleDown: here it does nothing",
                wrong,
                help="behavior.scaleUp.tolerance, behavior.scaleDown.tolerance",
            )
        elif not found and scaler.highest is not None and scaler.highest > SWALLOWS_FROM:
            yield Hit(
                scaler.resource,
                f"up to {scaler.highest} replicas with the default tolerance of 10 %: from ten up "
                f"it swallows a whole replica",
                scaler.highest_node,
                mark=None if scaler.highest_node else scaler.resource.mark("spec"),
                help="behavior.scaleUp.tolerance and scaleDown.tolerance, where the cluster has them",
                severity="info",
            )


RULE = Rule("warning", "high", check, __doc__ or "")
