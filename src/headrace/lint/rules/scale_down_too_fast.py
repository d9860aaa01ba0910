"""Scale-down is quicker than a start-up is cheap.

An HPA (or KEDA's) whose scale-down waits less than 600 s, takes more than one pod at a time, or is as quick as its
scale-up.

Why:
    A replica kept ten minutes too long costs minutes of an accelerator; one removed too early costs a drain and a
    cold start under load. The defaults, 300 s and then all at once, are made for servers that start in seconds.

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
      behavior:
        scaleDown:
          stabilizationWindowSeconds: 900
          policies:
          - {type: Pods, value: 1, periodSeconds: 120}

Fix:
    stabilizationWindowSeconds of 600 to 900, and one policy: one pod in 120 s.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.documents import Mapping
from headrace.lint.change import Change, SetScalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import has, items, mapping, number, scalar, text

LEAST_S = 600


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each scale-down that is too fast."""
    for scaler, _ in scaled_servers(bundle):
        if scaler.kind == "PodAutoscaler":
            continue
        down = mapping(scaler.behavior, "scaleDown")
        if down is not None and text(down, "selectPolicy") == "Disabled":
            continue
        why = _why(scaler.behavior, down)
        if why:
            place = down or scaler.behavior
            yield Hit(
                scaler.resource,
                f"scale-down {why}: a dip costs a drain and a cold start",
                place,
                mark=None if place else scaler.resource.mark("spec"),
                help="scaleDown: stabilizationWindowSeconds 900, one policy of 1 pod in 120 s",
                changes=_changes(scaler.behavior, down),
            )


def _why(behavior: Mapping | None, down: Mapping | None) -> str:
    window = (
        number(down, "stabilizationWindowSeconds") if has(down, "stabilizationWindowSeconds") else DEFAULT_S
    )
    if window is not None and window < LEAST_S:
        return f"waits {window} s" + ("" if has(down, "stabilizationWindowSeconds") else " (the default)")
    up = number(behavior, "scaleUp", "stabilizationWindowSeconds")
    if window is not None and window == up:
        return f"and scale-up wait alike, {window} s"
    policies = items(down, "policies")
    ones = [p for p in policies if text(p, "type") == "Pods" and number(p, "value") == 1]
    unknown = [
        p
        for p in policies
        if text(p, "type") is None or (text(p, "type") == "Pods" and number(p, "value") is None)
    ]
    if unknown:
        return ""
    if not ones:
        return "takes more than one pod at a time" + ("" if policies else " (the default: all at once)")
    if len(policies) > len(ones) and text(down, "selectPolicy") != "Min":
        return "takes the largest of its policies, more than one pod at a time"
    return ""


DEFAULT_S = 300


def _changes(behavior: Mapping | None, down: Mapping | None) -> tuple[Change, ...]:
    """Only the window, and only where one is written: how many at a time is for a person to weigh."""
    written = scalar(down, "stabilizationWindowSeconds")
    value = number(down, "stabilizationWindowSeconds")
    one = [p for p in items(down, "policies") if text(p, "type") == "Pods" and number(p, "value") == 1]
    if (
        written is None
        or value is None
        or value >= LEAST_S
        or len(one) != len(items(down, "policies"))
        or not one
    ):
        return ()
    return (SetScalar(written, "900"),)


RULE = Rule("warning", "high", check, __doc__ or "")
