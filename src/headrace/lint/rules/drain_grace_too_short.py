"""The grace period ends before the drain.

``terminationGracePeriodSeconds`` (30 where it is not written) below 20 + N + 30 s; N is the shutdown timeout, else
how long the preStop waits, else 60, the smallest N to choose.

Why:
    The preStop counts inside the grace period. When that ends, the kubelet kills the container (exit 137), and
    every stream that would have finished is cut.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          terminationGracePeriodSeconds: 60
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--shutdown-timeout=300"]

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
    20 s for the routers, N, and 30 s to end: 350 for an N of 300.

Others:
    Most guides leave the default of 30 s, which suits requests of milliseconds.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.decide.grace import Limits, grace_s
from headrace.lint.change import AddKey, SetScalar
from headrace.lint.hooks import drain_s
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar

SHORTEST_S = Limits().shortest_s


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each pod whose grace period is too short."""
    for pod in bundle.served_pods:
        if pod.ownership != "native" or pod.grace_s is None:
            continue
        found = [server.drain_s for server in bundle.servers_of(pod)]
        longest = max((n for n in found if n), default=None)
        needed = grace_s(SHORTEST_S if longest is None else longest)
        if pod.grace_s >= needed:
            continue
        written = scalar(pod.spec, "terminationGracePeriodSeconds")
        said = f"{pod.grace_s} s" if written else f"not written, so {pod.grace_s} s"
        n = f"N {longest} s" if longest else f"even the shortest N, {SHORTEST_S:.0f} s,"
        wanted = f"{needed:.0f}" if longest else f"{grace_s(drain_s(bundle.servers_of(pod), known)):.0f}"
        yield Hit(
            pod,
            f"terminationGracePeriodSeconds is {said}; {n} needs 20 + N + 30 = {needed:.0f} s: "
            f"streams are killed",
            written,
            help=f"terminationGracePeriodSeconds: {wanted}",
            changes=(
                SetScalar(written, wanted)
                if written
                else AddKey(pod.spec, "terminationGracePeriodSeconds", wanted),
            ),
        )


RULE = Rule("error", "high", check, __doc__ or "")
