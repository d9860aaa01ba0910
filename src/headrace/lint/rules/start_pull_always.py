"""Every start asks the registry for an image that does not change.

``imagePullPolicy: Always`` on a server whose image has a fixed tag or a digest.

Why:
    Model server images are 5 to 15 GB. Layers that are there are not pulled again, but each start waits for the
    registry, and no pod starts while it is down.

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
            imagePullPolicy: Always

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
            imagePullPolicy: IfNotPresent

Fix:
    IfNotPresent.

Others:
    Security benchmarks ask for Always, so that credentials are checked at each start; an admission plugin does that
    too.

Source:
    Kubernetes documentation: images.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.change import SetScalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each such policy."""
    for server in bundle.servers:
        image, policy = server.image, scalar(server.node, "imagePullPolicy")
        if image is None or policy is None or policy.text != "Always" or not image.known:
            continue
        if not image.floats:
            yield Hit(
                server,
                f"Always with the fixed image {image.digest[:19] or image.tag}: no pod starts while "
                f"the registry is down",
                policy,
                help="IfNotPresent",
                changes=(SetScalar(policy, "IfNotPresent"),),
            )


RULE = Rule("info", "high", check, __doc__ or "")
