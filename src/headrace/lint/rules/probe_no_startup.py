"""Nothing tells a server that loads from one that hangs.

A server without a startup probe (and without a liveness probe that would kill it while it loads, which is worse).

Why:
    A model server listens minutes after its container starts. Without a startup probe either a liveness probe is
    missing too, and a start that hangs stays for ever, or it has to be so patient that it is of no use later.

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
    A startup probe on /health whose budget is two to three times the measured start-up.

Others:
    Linters ask for liveness and readiness probes and are content without a startup probe.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.lint.startup import kills_loading, startup_changes
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import has


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server without one."""
    for server in bundle.servers:
        if not server.native or has(server.node, "startupProbe") or kills_loading(server, known):
            continue
        yield Hit(
            server,
            "no startupProbe: a start that hangs is never noticed, and liveness has no safe beginning",
            help=f"a startupProbe with a budget of {known.budget_s(server):.0f} s",
            changes=startup_changes(server, known),
        )


RULE = Rule("warning", "high", check, __doc__ or "")
