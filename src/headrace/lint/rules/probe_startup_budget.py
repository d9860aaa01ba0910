"""The startup probe gives up too early.

A startup probe whose budget is below 2.5 times the start-up (600 s where none has been measured).

Why:
    initialDelaySeconds + periodSeconds × failureThreshold is all the time there is for weights, compilation and
    graphs. When it ends the kubelet kills the container and the loading starts again.

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
            startupProbe:
              httpGet: {path: /health, port: 8000}
              failureThreshold: 18
            readinessProbe:
              httpGet: {path: /health, port: 8000}

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
            startupProbe:
              httpGet: {path: /health, port: 8000}
              failureThreshold: 90
            readinessProbe:
              httpGet: {path: /health, port: 8000}

Fix:
    Raise failureThreshold until the budget is two to three times the measured start-up.

Source:
    headrace: rollouts and scaling of model servers. Typical start-up: published measurements of 70B models, 198 to
    375 s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from headrace.lint.change import AddKey, Change, SetScalar
from headrace.lint.known import BUDGET_OF_START, Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.probe import Probe
from headrace.manifest.tree import scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each budget that is too small."""
    for server in bundle.servers:
        probe = server.probe("startupProbe")
        if not server.native or probe is None or probe.budget_s is None:
            continue
        needed = known.budget_s(server)
        if probe.budget_s >= needed:
            continue
        what = "measured" if known.is_measured(server) else "typical"
        yield Hit(
            server,
            f"the startupProbe gives up after {probe.budget_s} s; {BUDGET_OF_START:g} times the "
            f"{what} start-up is {needed:.0f} s",
            scalar(probe.node, "failureThreshold") or probe.node,
            mark=None if scalar(probe.node, "failureThreshold") else server.mark("startupProbe"),
            help=f"failureThreshold: {_failures(probe, needed)}",
            changes=_changes(probe, needed),
        )


def _failures(probe: Probe, needed_s: float) -> int:
    return math.ceil((needed_s - (probe.delay_s or 0)) / max(probe.period_s or 1, 1))


def _changes(probe: Probe, needed_s: float) -> tuple[Change, ...]:
    written = scalar(probe.node, "failureThreshold")
    value = str(_failures(probe, needed_s))
    return (SetScalar(written, value) if written else AddKey(probe.node, "failureThreshold", value),)


RULE = Rule("warning", "high", check, __doc__ or "")
