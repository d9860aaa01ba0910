"""Node autoscalers do not wait for so long.

A grace period above 600 s.

Why:
    The cluster autoscaler waits at most 600 s for a pod by default, the kubelet's graceful shutdown and Karpenter
    have limits of their own: a drain that is longer is cut when a node goes, whatever the pod asks for.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          terminationGracePeriodSeconds: 950
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--shutdown-timeout=900"]

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          terminationGracePeriodSeconds: 350
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--shutdown-timeout=300"]

Fix:
    Raise their limits (--max-graceful-termination-sec, terminationGracePeriod of the node pool), or choose a
    shorter N.

Source:
    Kubernetes cluster-autoscaler, Karpenter: documentation of their flags.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar

NODE_DRAIN_S = 600


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each pod whose grace period is longer than that."""
    for pod in bundle.served_pods:
        if pod.ownership == "native" and pod.grace_s is not None and pod.grace_s > NODE_DRAIN_S:
            yield Hit(
                pod,
                f"terminationGracePeriodSeconds {pod.grace_s} is above the {NODE_DRAIN_S} s that "
                f"node autoscalers wait "
                "by default: streams are cut when a node goes",
                scalar(pod.spec, "terminationGracePeriodSeconds"),
                help="raise their limit too, or choose a shorter N",
            )


RULE = Rule("info", "medium", check, __doc__ or "")
