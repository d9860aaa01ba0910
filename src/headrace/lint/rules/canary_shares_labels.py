"""A canary takes part in production.

A Service, an InferencePool or a router's model label that covers the pods of two model servers of which one is told
as a canary by its name or labels, or which serve the same model from different images.

Why:
    Production traffic goes to it from its first ready second. Some gateway controllers create a model's route when
    a labelled Deployment appears and delete it by name when any labelled one is deleted: removing the canary
    removes the route.

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
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama-canary}
    spec:
      selector: {matchLabels: {app: llama, track: canary}}
      template:
        metadata: {labels: {app: llama, track: canary}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.20.0
            args: ["--model=/models/llama"]
    ---
    apiVersion: v1
    kind: Service
    metadata: {name: llama}
    spec:
      selector: {app: llama}
      ports: [{port: 80, targetPort: 8000}]

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
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama-canary}
    spec:
      selector: {matchLabels: {app: llama-canary}}
      template:
        metadata: {labels: {app: llama-canary}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.20.0
            args: ["--model=/models/llama"]
    ---
    apiVersion: v1
    kind: Service
    metadata: {name: llama}
    spec:
      selector: {app: llama}
      ports: [{port: 80, targetPort: 8000}]

Fix:
    Labels of its own for the canary, and a Service or weight of its own.

Others:
    Canary guides for web services share the label on purpose, so that a share of traffic goes there by replica
    count.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.pod import Pod

CANARY = re.compile(
    r"canary|experiment|candidate|preview|(?:^|[-_.])(?:test|next|new|green|blue|v[0-9]+)(?:$|[-_.])",
    re.IGNORECASE,
)
PARTS = re.compile(r"prefill|decode|leader|worker|entry", re.IGNORECASE)
ROUTER_LABELS = ("model.aibrix.ai/name",)


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each canary that is not on its own."""
    told: set[int] = set()
    for resource in bundle.of_kind("Service", "InferencePool"):
        for odd, other in _pairs(
            [pod for pod in bundle.selected_by(resource) if pod in bundle.served_pods], bundle
        ):
            if id(odd) not in told:
                told.add(id(odd))
                yield _hit(odd, f"{resource.title} selects this and {other.resource.title} alike")
    for label in ROUTER_LABELS:
        names = {pod.labels[label] for pod in bundle.served_pods if label in pod.labels}
        for name in sorted(names):
            pods = [pod for pod in bundle.served_pods if pod.labels.get(label) == name]
            for odd, other in _pairs(pods, bundle):
                if id(odd) not in told:
                    told.add(id(odd))
                    yield _hit(odd, f"it shares {label}: {name} with {other.resource.title}")


def _hit(odd: Pod, how: str) -> Hit:
    return Hit(
        odd.resource,
        f"{how}: production traffic goes to it, and deleting it may delete the production route",
        help="labels of its own for a canary",
    )


def _pairs(pods: list[Pod], bundle: Bundle) -> Iterator[tuple[Pod, Pod]]:
    """Each pod that is a canary of another."""
    for other in pods:
        for odd in pods:
            if odd.resource is other.resource or PARTS.search(odd.resource.name + odd.role):
                continue
            marks = {key: value for key, value in odd.labels.items() if other.labels.get(key) != value}
            if (
                (CANARY.search(odd.resource.name) and not CANARY.search(other.resource.name))
                or (
                    any(CANARY.search(value) for value in marks.values())
                    and not any(CANARY.search(value) for value in other.labels.values())
                )
                or (bundle.pods.index(odd) > bundle.pods.index(other) and _versions(odd, other, bundle))
            ):
                yield odd, other


def _versions(odd: Pod, other: Pod, bundle: Bundle) -> bool:
    """Whether both serve one model from different images."""
    mine, theirs = bundle.servers_of(odd)[0], bundle.servers_of(other)[0]
    same = mine.model_name is not None and mine.model_name == theirs.model_name
    return (
        same and mine.image is not None and theirs.image is not None and mine.image.text != theirs.image.text
    )


RULE = Rule("error", "medium", check, __doc__ or "")
