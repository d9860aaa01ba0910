"""A rollout counts as stuck before its pods can be up.

``progressDeadlineSeconds`` below the budget of the startup probe, or below 2.5 times the start-up that has been
measured.

Why:
    Every rollout is reported as failed, so that nobody looks when one is; tools that undo failed rollouts undo good
    ones.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      progressDeadlineSeconds: 300
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
            startupProbe:
              httpGet: {path: /health, port: 8000}
              failureThreshold: 120

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      progressDeadlineSeconds: 1800
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
            startupProbe:
              httpGet: {path: /health, port: 8000}
              failureThreshold: 120

Fix:
    More than the startup probe allows, and a few minutes for a node and an image.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import SetScalar
from headrace.lint.known import ELSEWHERE_S, Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.server import Server
from headrace.manifest.tree import number, scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each Deployment whose deadline is too short."""
    for workload in bundle.workloads:
        written = scalar(workload.node, "spec", "progressDeadlineSeconds")
        deadline = number(workload.node, "spec", "progressDeadlineSeconds")
        if workload.kind != "Deployment" or written is None or deadline is None:
            continue
        needed = max((_needed_s(server, known) for server in bundle.servers_of(workload)), default=0.0)
        if deadline < needed:
            yield Hit(
                workload,
                f"progressDeadlineSeconds {deadline} is below the {needed:.0f} s that start-up may take: "
                "good rollouts are reported as stuck",
                written,
                help=f"progressDeadlineSeconds: {needed + ELSEWHERE_S:.0f}",
                changes=(SetScalar(written, f"{needed + ELSEWHERE_S:.0f}"),),
            )


def _needed_s(server: Server, known: Known) -> float:
    probe = server.probe("startupProbe")
    budget_s = float(probe.budget_s or 0) if probe else 0.0
    return max(budget_s, known.deadline_s(server))


RULE = Rule("warning", "high", check, __doc__ or "")
