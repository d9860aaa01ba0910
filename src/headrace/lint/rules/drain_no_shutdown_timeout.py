"""On SIGTERM vLLM aborts what is in flight.

A vLLM server of release 0.18 or later (or not known) with one API server process, without ``--shutdown-timeout`` or
with 0, and without a preStop that waits until nothing is running.

Why:
    The shutdown timeout defaults to 0, which means abort: on SIGTERM every request in flight ends with `abort` or
    without any finish reason, although HTTP said 200. With N seconds the engine takes no new requests and lets the
    others finish.

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
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama", "--shutdown-timeout=300"]
            lifecycle:
              preStop:
                exec:
                  command: ["sh", "-c", "if grep -q :1F40 /proc/net/tcp; then sleep 20; else kill -KILL -1; fi"]

Fix:
    --shutdown-timeout N, N from the durations of the model's own requests (`headrace plan` finds it; 300 s until
    then).

Source:
    headrace: rollouts and scaling of model servers. Measured on vLLM 0.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.hooks import timeout_changes
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server that aborts."""
    for server in bundle.servers:
        launch = server.engine.launch
        if not (server.native and server.is_vllm and launch and server.start and launch.shutdown_since):
            continue
        old = server.release is not None and server.release < launch.shutdown_since
        if old or (server.number(launch.api_servers) or 1) > 1:
            continue
        flag = server.flag(launch.shutdown_timeout)
        if (flag is not None and flag.number != 0) or (
            flag is None and server.may_have(launch.shutdown_timeout)
        ):
            continue
        if server.pre_stop is not None and (server.pre_stop.polls_until_idle or not server.pre_stop.is_known):
            continue
        yield Hit(
            server,
            "--shutdown-timeout is 0: SIGTERM aborts every request in flight"
            if flag
            else "no --shutdown-timeout: SIGTERM aborts every request in flight",
            flag.arg.node if flag else None,
            help="--shutdown-timeout N, for so long requests may finish",
            changes=timeout_changes(server, known) if server.release else (),
            confidence=None if server.release else "medium",
        )


RULE = Rule("error", "high", check, __doc__ or "")
