"""In AIBrix a longer scale-down window cuts deeper.

A PodAutoscaler of AIBrix whose scale-down window is longer than its scale-up window.

Why:
    AIBrix takes the window's minimum on the way down and its maximum on the way up, the reverse of an HPA: with a
    long scale-down window one idle moment within it is enough to remove replicas that are busy now.

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
    apiVersion: autoscaling.aibrix.ai/v1alpha1
    kind: PodAutoscaler
    metadata:
      name: llama
      annotations: {autoscaling.aibrix.ai/scale-down-stabilization-window: 900s}
    spec:
      scalingStrategy: APA
      minReplicas: 2
      maxReplicas: 8
      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}

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
            args: ["--model=/models/llama"]
    ---
    apiVersion: autoscaling.aibrix.ai/v1alpha1
    kind: PodAutoscaler
    metadata:
      name: llama
      annotations:
        autoscaling.aibrix.ai/scale-down-cooldown-window: 60s
        autoscaling.aibrix.ai/scale-up-cooldown-window: 900s
    spec:
      scalingStrategy: APA
      minReplicas: 2
      maxReplicas: 8
      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}

Fix:
    A short scale-down window and a long scale-up one: what is held is then the highest of the window.

Source:
    Source of AIBrix' PodAutoscaler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headrace.documents import Scalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.resource import Resource
from headrace.manifest.tree import scalar, walk


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each window that cuts deeper than meant."""
    for scaler, _ in scaled_servers(bundle):
        if scaler.kind != "PodAutoscaler":
            continue
        down, up = _window(scaler.resource, "down"), _window(scaler.resource, "up")
        if down is not None and down[1] > (up[1] if up else 0.0) and down[1] > SHORT_S:
            yield Hit(
                scaler.resource,
                f"a scale-down window of {down[1]:g} s: AIBrix takes the lowest recommendation in "
                f"it, so that it cuts deeper, not later",
                down[0],
                help="a short scale-down window, a long scale-up window",
            )


SHORT_S = 60.0
"""Up to this long a window only smooths."""


def _window(resource: Resource, way: str) -> tuple[Scalar, float] | None:
    for path, node in walk(resource.node):
        key = str(path[-1]).lower() if path else ""
        if isinstance(node, Scalar) and way in key.replace("_", "-").split("/")[-1] and "window" in key:
            seconds = _seconds(node.text)
            if seconds is not None:
                return node, seconds
    behavior = scalar(
        resource.node, "spec", "behavior", f"scale{way.capitalize()}", "stabilizationWindowSeconds"
    )
    seconds = _seconds(behavior.text) if behavior else None
    return (behavior, seconds) if behavior and seconds is not None else None


def _seconds(text: str) -> float | None:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(s|m|h|)", text)
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600, "": 1}[match[2]] if match else None


RULE = Rule("warning", "medium", check, __doc__ or "")
