"""Nothing says when a rollout counts as stuck.

A Deployment with a model server without ``progressDeadlineSeconds``, unless a startup probe is known to be satisfied
within the 600 s that Kubernetes then takes.

Why:
    If new pods can't pass start-up the old ReplicaSet is never scaled down, and the model holds old and new
    accelerators without end. The deadline is what reports that; left at 600 s it reports slow but healthy starts
    instead.

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

Fix:
    The start-up probe's budget and a few minutes for a node and an image.

Source:
    headrace: rollouts and scaling of model servers. Kubernetes API reference, apps/v1 Deployment.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import AddKey
from headrace.lint.known import ELSEWHERE_S, Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import has, mapping

DEFAULT_S = 600


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each Deployment without a deadline of its own."""
    for workload in bundle.workloads:
        if workload.kind != "Deployment" or has(workload.node, "spec", "progressDeadlineSeconds"):
            continue
        budgets = [
            found.budget_s if (found := server.probe("startupProbe")) else None
            for server in bundle.servers_of(workload)
        ]
        if all(budget is not None and budget <= DEFAULT_S for budget in budgets):
            continue
        longest = max(known.budget_s(server) for server in bundle.servers_of(workload))
        deadline = max([longest, *(budget for budget in budgets if budget is not None)]) + ELSEWHERE_S
        spec = mapping(workload.node, "spec")
        yield Hit(
            workload,
            f"no progressDeadlineSeconds: a rollout counts as stuck after {DEFAULT_S} s, whatever "
            f"its start-up takes",
            mark=workload.mark("spec"),
            help=f"progressDeadlineSeconds: {deadline:.0f}, start-up and what stands before it",
            changes=(AddKey(spec, "progressDeadlineSeconds", f"{deadline:.0f}"),) if spec else (),
        )


RULE = Rule("info", "high", check, __doc__ or "")
