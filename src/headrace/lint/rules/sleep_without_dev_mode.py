"""Sleep mode can't be reached.

``--enable-sleep-mode`` without ``VLLM_SERVER_DEV_MODE=1``.

Why:
    The endpoints /sleep, /wake_up and /is_sleeping answer 404 without it, so that the server never sleeps.

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
            args: ["--model=/models/llama", "--enable-sleep-mode"]

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
            args: ["--model=/models/llama", "--enable-sleep-mode"]
            env: [{name: VLLM_SERVER_DEV_MODE, value: "1"}]

Fix:
    VLLM_SERVER_DEV_MODE=1, and a port that only the controller reaches.

Source:
    Measured on vLLM 0.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import has


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server that can't be put to sleep."""
    for server in bundle.servers:
        launch = server.engine.launch
        flag = server.flag(launch.sleep) if launch else None
        if not (server.is_vllm and launch and launch.sleep_environment and flag):
            continue
        name, value = launch.sleep_environment
        if (name in server.environment and server.environment[name] in (None, value)) or has(
            server.node, "envFrom"
        ):
            continue
        yield Hit(
            server,
            f"--enable-sleep-mode without {name}={value}: its endpoints answer 404",
            flag.arg.node,
            help=f"{name}={value}",
        )


RULE = Rule("warning", "high", check, __doc__ or "")
