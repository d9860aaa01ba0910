"""Which release starts depends on the day.

A server's image without a tag or digest, or with a floating tag: latest, nightly, main, master, dev, edge.

Why:
    A pod that is replaced tonight may run another release than its neighbours: other flags, other metric names,
    another drain. And without a fixed tag every start asks the registry.

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
            image: vllm/vllm-openai:latest
            args: ["--model=/models/llama"]

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

Fix:
    A release's tag, or a digest.

Source:
    Kubernetes documentation: images.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each image that floats."""
    for server in bundle.servers:
        image = server.image
        if image is not None and image.known and image.floats:
            yield Hit(
                server,
                f"the image {'is tagged ' + image.tag if image.tag else 'has no tag'}: a pod that "
                f"starts tonight may run another release",
                scalar(server.node, "image"),
                help="the tag of a release, or a digest",
            )


RULE = Rule("warning", "high", check, __doc__ or "")
