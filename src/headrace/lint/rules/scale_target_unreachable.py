"""The target can never be reached, so the model never scales up.

A target on running requests per replica above max-num-seqs ÷ 1.1 (an autoscaler acts only beyond its tolerance of 10
%), or above what the KV cache holds where a ModelFleet says it.

Why:
    num_requests_running never exceeds max-num-seqs. Above it, and within the tolerance below it, a full fleet looks
    content while the queue grows.

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
          target: {type: AverageValue, averageValue: "64"}

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
    About 0.6 × max-num-seqs to begin with; `headrace plan` finds where backlog really begins. Move it whenever max-
    num-seqs moves.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.decide.capacity import replica_slots
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.scaling import amount, is_about, scaled_servers
from headrace.manifest.bundle import Bundle
from headrace.manifest.server import Server

TOLERANCE = 1.1


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each target out of reach."""
    for scaler, server in scaled_servers(bundle):
        slots = _slots(server, known)
        if slots is None:
            continue
        for metric in scaler.metrics:
            goal = amount(metric.target)
            if (
                goal is None
                or metric.target_type != "AverageValue"
                or not is_about(server.engine.running, metric)
            ):
                continue
            if goal * TOLERANCE > slots:
                yield Hit(
                    scaler.resource,
                    f"a target of {goal:g} running requests a replica is never exceeded by the needed 10 %: "
                    f"a replica runs {slots} at most, so this never scales up",
                    metric.target,
                    help=f"about {0.6 * slots:.0f} (0.6 × {slots})",
                )


def _slots(server: Server, known: Known) -> int | None:
    """Requests that a replica runs at once, all its data-parallel engines together."""
    fleet, launch = known.fleet(server), server.engine.launch
    engines = (server.number(launch.data_parallel) if launch else None) or (
        fleet.capacity.data_parallel if fleet else 1
    )
    one = server.slots or (fleet.capacity.slots if fleet else None)
    if one is None:
        return None
    kv_tokens = fleet.capacity.kv_tokens if fleet else None
    return replica_slots(one, engines, kv_tokens, known.tokens_per_request)


RULE = Rule("error", "high", check, __doc__ or "")
