"""cooldownPeriod does not slow ordinary scale-down.

``cooldownPeriod`` where minReplicaCount is 1 or more, without a scaleDown behavior.

Why:
    KEDA's cooldownPeriod acts only on the way to zero. Between the minimum and the maximum the HPA scales, by
    default down to its recommendation after 300 s, all at once.

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
      cooldownPeriod: 900
      triggers:
      - type: prometheus
        metadata:
          serverAddress: http://prometheus:9090
          query: 'sum(vllm:num_requests_running{model_name="llama"})'
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
      advanced:
        horizontalPodAutoscalerConfig:
          behavior:
            scaleDown:
              stabilizationWindowSeconds: 900
              policies:
              - {type: Pods, value: 1, periodSeconds: 120}
      triggers:
      - type: prometheus
        metadata:
          serverAddress: http://prometheus:9090
          query: 'sum(vllm:num_requests_running{model_name="llama"})'
          threshold: "38"
          ignoreNullValues: "false"

Fix:
    advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.

Source:
    headrace: rollouts and scaling of model servers. KEDA documentation: ScaledObject.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import has, scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each cooldown that does nothing."""
    for scaler, _ in scaled_servers(bundle):
        written = scalar(scaler.resource.node, "spec", "cooldownPeriod")
        if (
            scaler.kind == "ScaledObject"
            and written is not None
            and scaler.lowest
            and not has(scaler.behavior, "scaleDown")
        ):
            yield Hit(
                scaler.resource,
                f"cooldownPeriod {written.text} acts only on the way to zero, and the minimum is "
                f"{scaler.lowest}: "
                "scale-down is as fast as without it",
                written,
                help="advanced.horizontalPodAutoscalerConfig.behavior.scaleDown",
            )


RULE = Rule("info", "high", check, __doc__ or "")
