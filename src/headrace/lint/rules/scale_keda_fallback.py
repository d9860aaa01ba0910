"""The fallback does not act, or lowers the floor.

A KEDA ``fallback`` without ``failureThreshold``, or with fewer replicas than the minimum.

Why:
    A fallback takes over after failureThreshold failed reads; without one KEDA refuses the object. Fewer replicas
    than the minimum is a scale-down at the moment when nothing is known.

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
      fallback: {replicas: 4}
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
      fallback: {failureThreshold: 3, replicas: 4}
      triggers:
      - type: prometheus
        metadata:
          serverAddress: http://prometheus:9090
          query: 'sum(vllm:num_requests_running{model_name="llama"})'
          threshold: "38"
          ignoreNullValues: "false"

Fix:
    failureThreshold: 3 and as many replicas as a busy hour needs.

Source:
    KEDA documentation: ScaledObject.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import AddKey
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import has, mapping, number, scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each fallback that does not hold."""
    for scaler, _ in scaled_servers(bundle):
        fallback = mapping(scaler.resource.node, "spec", "fallback")
        if scaler.kind != "ScaledObject" or fallback is None:
            continue
        replicas = number(fallback, "replicas")
        if not has(fallback, "failureThreshold"):
            yield Hit(
                scaler.resource,
                "a fallback without failureThreshold never acts",
                fallback,
                help="failureThreshold: 3",
                changes=(AddKey(fallback, "failureThreshold", "3"),),
            )
        elif replicas is not None and scaler.lowest is not None and replicas < scaler.lowest:
            yield Hit(
                scaler.resource,
                f"the fallback of {replicas} replicas is below the minimum of {scaler.lowest}: it "
                f"scales down when nothing is known",
                scalar(fallback, "replicas"),
                help="as many replicas as a busy hour needs",
            )


RULE = Rule("error", "high", check, __doc__ or "")
