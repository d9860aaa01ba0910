"""The budget selects other pods than it is meant for.

A PodDisruptionBudget whose selector selects no pod of the run although it shares a label with a model server's pods,
or one that selects the pods of several model servers.

Why:
    A budget that selects nothing protects nothing. One over several models lets one model's maintenance block
    another's, or takes the only replica of one while it counts those of the other.

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
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: {name: llama}
    spec:
      maxUnavailable: 1
      selector: {matchLabels: {app: llama, tier: gold}}

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
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: {name: llama}
    spec:
      maxUnavailable: 1
      selector: {matchLabels: {app: llama}}

Fix:
    One budget a model, with the selector of its Deployment.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.documents import Node
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import texts


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each budget that selects the wrong set."""
    for budget in bundle.of_kind("PodDisruptionBudget"):
        selector = budget.at("spec", "selector")
        chosen = bundle.selected_by(budget)
        served = list(dict.fromkeys(pod.resource for pod in chosen if pod in bundle.served_pods))
        if len(served) > 1:
            yield Hit(
                budget,
                f"selects the pods of {len(served)} model servers "
                f"({', '.join(each.title for each in served[:3])}): "
                "one's maintenance blocks the other's",
                selector,
                help="one budget a model",
            )
        elif not chosen and any(
            _shares(selector, pod.labels) for pod in bundle.served_pods if budget.near(pod.resource)
        ):
            yield Hit(
                budget,
                "selects no pod that is here, though it shares a label with a model server: it "
                "protects nothing",
                selector,
                help="the selector of the model's Deployment",
                confidence="medium",
            )


def _shares(selector: Node | None, labels: dict[str, str]) -> bool:
    wanted = texts(selector, "matchLabels")
    return any(labels.get(key) == value for key, value in wanted.items())


RULE = Rule("warning", "high", check, __doc__ or "")
