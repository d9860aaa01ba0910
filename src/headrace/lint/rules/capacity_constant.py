"""A written number of slots has been left behind.

A number that is meant as slots in a gateway (Envoy circuit breakers, Istio DestinationRules), a PrometheusRule or a
dashboard of the run, and differs from replicas × max-num-seqs (or max-num-seqs, for a replica).

Why:
    A gateway that admits fewer requests than there are slots queues users while pods sit half empty, and an
    autoscaler that looks at occupancy never sees them. An alert against an old number never fires, or always does.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      replicas: 4
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--max-num-seqs=64"]
    ---
    apiVersion: monitoring.coreos.com/v1
    kind: PrometheusRule
    metadata: {name: llama}
    spec:
      groups:
      - name: llama
        rules:
        - alert: Full
          expr: sum(vllm:num_requests_running) > 100

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      replicas: 4
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--max-num-seqs=64"]
    ---
    apiVersion: monitoring.coreos.com/v1
    kind: PrometheusRule
    metadata: {name: llama}
    spec:
      groups:
      - name: llama
        rules:
        - alert: Full
          expr: sum(vllm:num_requests_running) >= 256

Fix:
    Derive slots from ready endpoints × max-num-seqs, so that they follow both.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headrace.documents import Node, Scalar, Steps
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.server import Server
from headrace.manifest.tree import is_known, walk

TOTAL = re.compile(
    r"(sum|avg|max)?\s*(?:by\s*\([^)]*\)\s*)?\(?\s*(?:vllm:num_requests_running|sglang:num_running_reqs)(?:\{[^}]*\})?\s*\)?"
    r"\s*(?:by\s*\([^)]*\)\s*)?(/|>=|>|==)\s*(?:bool\s*)?([0-9]+(?:\.[0-9]+)?)"
)
LIMITS = ("http2MaxRequests", "max_requests", "maxRequests", "maxParallelRequests")


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each number that does not follow."""
    servers = [server for server in bundle.servers if server.slots]
    if not servers:
        return
    for resource in bundle.of_kind(
        "PrometheusRule", "ConfigMap", "DestinationRule", "BackendTrafficPolicy", "EnvoyFilter"
    ):
        near = [server for server in servers if resource.near(server.pod.resource)]
        each, total = _slots(near, bundle)
        if not each:
            continue
        for path, node in walk(resource.node):
            for number, whole in _numbers(path, node):
                right = total if whole else each
                if right and not any(_fits(number, slots) for slots in right):
                    yield Hit(
                        resource,
                        f"{number:g} is written where {'the fleet has' if whole else 'a replica has'} "
                        f"{' or '.join(str(slots) for slots in sorted(right))} slots",
                        node if isinstance(node, Scalar) else None,
                        help="ready endpoints × max-num-seqs",
                    )


def _slots(servers: list[Server], bundle: Bundle) -> tuple[set[int], set[int]]:
    each = {server.slots for server in servers if server.slots}
    total: set[int] = set()
    for server in servers:
        workload = server.pod.resource
        replicas = bundle.replicas(workload)
        if bundle.autoscalers_of(workload) or replicas is None or not server.slots:
            return each, set()
        total.add(replicas * server.slots)
    return each, total | {sum(total)} if len(servers) > 1 else total


def _numbers(path: Steps, node: Node) -> Iterator[tuple[float, bool]]:
    """Numbers meant as slots in a scalar: how many, and whether of the whole fleet."""
    if not isinstance(node, Scalar) or not is_known(node.text.replace("$labels", "").replace("{{", "")):
        return
    key = path[-1] if path else ""
    if key in LIMITS and re.fullmatch(r"[0-9]{1,9}", node.text):
        yield float(node.text), True
        return
    for match in TOTAL.finditer(node.text):
        value = float(match[3])
        if value > SMALL:
            yield value, match[1] == "sum"
    for match in re.finditer(r"\bmax_requests[\"']?\s*:\s*([0-9]{1,9})", node.text):
        yield float(match[1]), True


SMALL = 4.0
"""Up to here a number compared with running requests is a condition, not a capacity."""


def _fits(number: float, slots: int) -> bool:
    """The number itself, or a share of it in tenths or twentieths, as alerts at 90 % are written."""
    return number == slots or any(
        abs(number - slots * share / 20) < 0.51 for share in (12, 14, 15, 16, 17, 18, 19)
    )


RULE = Rule("warning", "medium", check, __doc__ or "")
