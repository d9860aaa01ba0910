"""A signal to the whole group loses the drain.

A preStop, trap or wrapper script that signals every process, a process group or processes by name with anything but
the KILL of a pod that is still starting: ``kill -TERM -1``, ``kill 0``, ``pkill``, ``killall``.

Why:
    vLLM drains when its main process gets SIGTERM and the workers do not. Sent to all of them, the workers die at
    once, and every stream ends with an error. An unconditional kill -KILL -1 cuts everything without any drain.

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
                exec: {command: ["sh", "-c", "sleep 20; pkill -f vllm"]}

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          shareProcessNamespace: true
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
            lifecycle:
              preStop:
                exec:
                  command: ["sh", "-c", "if grep -q :1F40 /proc/net/tcp; then sleep 20; else kill -KILL -1; fi"]

Fix:
    Leave SIGTERM to the kubelet, which sends it to the main process alone.

Source:
    Measured on vLLM 0.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.documents import Node
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.server import Server
from headrace.manifest.stopping import Kill, kills


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each such signal."""
    for server in bundle.servers:
        if not server.native:
            continue
        hook = server.pre_stop
        for kill in hook.kills if hook else ():
            if _is_wrong(kill, hook is not None and hook.checks_listening):
                yield _hit(
                    server, kill, (hook.script_node if hook else None) or (hook.node if hook else None)
                )
                break
        script = server.start.script if server.start else None
        for kill in kills(script.text) if script else ():
            if script and _is_wrong(kill, False) and not kill.target.startswith("$"):
                yield _hit(server, kill, script.node)
                break


def _is_wrong(kill: Kill, looks: bool) -> bool:
    if kill.by_name:
        return kill.signal in ("TERM", "INT", "QUIT", "HUP")
    if kill.target == "-1" and kill.signal == "KILL":
        return not (looks and kill.guarded)
    return kill.target in ("-1", "0") or kill.target.startswith("-")


def _hit(server: Server, kill: Kill, node: Node | None) -> Hit:
    how = (
        f"SIG{kill.signal} by name ({kill.target})" if kill.by_name else f"SIG{kill.signal} to {kill.target}"
    )
    return Hit(
        server,
        f"{how} reaches the workers too: they die at once, and the drain is lost",
        node,
        help="leave SIGTERM to the kubelet; KILL only a pod in which nothing listens yet",
    )


RULE = Rule("error", "high", check, __doc__ or "")
