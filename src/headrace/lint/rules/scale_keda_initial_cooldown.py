"""A model that has just been deployed is scaled to zero while it loads.

A ScaledObject that may go to zero, with initialCooldownPeriod missing or below the start-up time.

Why:
    Until the first request KEDA sees no demand, and after its cooldown, which begins at once, removes the pod that
    is still loading. The first request then waits for a whole start-up.

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
      minReplicaCount: 0
      maxReplicaCount: 8
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
      minReplicaCount: 0
      maxReplicaCount: 8
      initialCooldownPeriod: 900
      triggers:
      - type: prometheus
        metadata:
          serverAddress: http://prometheus:9090
          query: 'sum(vllm:num_requests_running{model_name="llama"})'
          threshold: "38"
          ignoreNullValues: "false"

Fix:
    initialCooldownPeriod of at least the start-up time.

Source:
    KEDA documentation: ScaledObject.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import AddKey, SetScalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import mapping, number, scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each ScaledObject that may remove what loads."""
    for scaler, server in scaled_servers(bundle):
        if scaler.kind != "ScaledObject":
            continue
        idle = number(scaler.resource.node, "spec", "idleReplicaCount")
        if scaler.lowest != 0 and idle != 0:
            continue
        written = scalar(scaler.resource.node, "spec", "initialCooldownPeriod")
        value = number(scaler.resource.node, "spec", "initialCooldownPeriod") if written else 0
        needed = known.start_up_s(server)
        spec = mapping(scaler.resource.node, "spec")
        if value is None or value >= needed or spec is None:
            continue
        wanted = f"{known.budget_s(server):.0f}"
        yield Hit(
            scaler.resource,
            f"initialCooldownPeriod {value} is below the {needed:.0f} s of start-up: a new pod may "
            f"be removed while it loads",
            written,
            mark=None if written else scaler.resource.mark("spec"),
            help=f"initialCooldownPeriod: {wanted}",
            changes=(
                SetScalar(written, wanted) if written else AddKey(spec, "initialCooldownPeriod", wanted),
            ),
        )


RULE = Rule("warning", "high", check, __doc__ or "")
