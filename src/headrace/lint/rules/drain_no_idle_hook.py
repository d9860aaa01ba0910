"""This server can't drain by itself, and its preStop does not drain for it.

A vLLM server older than 0.18, or with several API server processes, whose preStop does not wait until nothing is
running or waiting.

Why:
    Releases before 0.18 have no --shutdown-timeout, and with several API server processes the drain freezes every
    stream. So the drain must happen in the preStop: after 20 s, ask /metrics until nothing is running or waiting,
    for at most N s.

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
            image: vllm/vllm-openai:v0.11.0
            args: ["--model=/models/llama"]
            lifecycle:
              preStop:
                exec:
                  command: ["sh", "-c", "if grep -q :1F40 /proc/net/tcp; then sleep 20; else kill -KILL -1; fi"]

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
            image: vllm/vllm-openai:v0.11.0
            args: ["--model=/models/llama"]
            lifecycle:
              preStop:
                exec:
                  command:
                  - bash
                  - -c
                  - |
                    if grep -q :1F40 /proc/net/tcp; then
                      sleep 20
                      end=$((SECONDS + 120))
                      while (( SECONDS < end )); do
                        busy=$(curl -sf localhost:8000/metrics |
                        awk '/^vllm:num_requests_(running|waiting)/ {s += $NF} END {print s + 0}') || break
                        [[ $busy == 0 ]] && break
                        sleep 2
                      done
                    fi

Fix:
    Add the wait to the hook (`headrace render` writes it), or move to 0.18 with one API server process.

Source:
    headrace: rollouts and scaling of model servers. Measured on vLLM 0.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each hook that should have waited."""
    for server in bundle.servers:
        launch, hook = server.engine.launch, server.pre_stop
        if not (
            server.native and server.is_vllm and launch and server.start and launch.shutdown_since and hook
        ):
            continue
        old = server.release is not None and server.release < launch.shutdown_since
        several = (server.number(launch.api_servers) or 1) > 1
        if (old or several) and hook.is_known and not hook.polls_until_idle:
            why = f"release {'.'.join(map(str, server.release or ()))} has no --shutdown-timeout"
            yield Hit(
                server,
                f"{why if old else 'with several API server processes a native drain freezes streams'}, "
                "and the preStop does not wait until requests have ended",
                hook.node,
                help="ask /metrics in the preStop until nothing is running or waiting, for at most N s",
            )


RULE = Rule("error", "high", check, __doc__ or "")
