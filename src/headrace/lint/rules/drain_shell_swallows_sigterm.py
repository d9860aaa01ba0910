"""A shell is the first process and keeps SIGTERM to itself.

A server that runs under a shell which stays the container's first process: ``sh -c`` without ``exec``, or ``bash -c``
where the server is not the last plain command.

Why:
    The kubelet sends SIGTERM to the container's first process. A shell as PID 1 ignores it (or ends and leaves the
    server behind): no drain begins, and SIGKILL cuts every stream when the grace period ends. Measured: bash 5.2
    gives its process to the last plain command of -c, dash 0.5.12 (Debian's and Ubuntu's sh) never does.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      template:
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            command: ["sh", "-c"]
            args: ["vllm serve /models/llama --port 8000"]

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      template:
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            command: ["sh", "-c"]
            args: ["exec vllm serve /models/llama --port 8000"]

Fix:
    exec in front of the server, or no shell at all.

Source:
    Measured with bash 5.2.15 and dash 0.5.12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headrace.lint.change import Change, ReplaceInScript
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.server import Server


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server that SIGTERM does not reach."""
    for server in bundle.servers:
        start = server.start
        if not server.native or start is None or start.script is None or start.command is None:
            continue
        if not start.shell_stays or _forwards(start.script.text) or _signals_itself(server):
            continue
        first = start.command.words[0] if start.command.words else None
        plain = (
            not start.command.redirected
            and start.command.after in ("", "\n", ";")
            and not start.command.depth
        )
        changes: tuple[Change, ...] = ()
        if (
            first is not None
            and plain
            and start.command.before not in ("|", "|&")
            and not start.command.assigned
        ):
            at_end = start.command is start.script.commands[-1]
            changes = (ReplaceInScript(start.script.node, first.at, first.at, "exec "),) if at_end else ()
        yield Hit(
            server,
            f"{start.script.shell} stays the container's first process and does not pass SIGTERM "
            f"on: no drain ever begins",
            start.script.node,
            help="exec in front of the server's command, as the script's last",
            changes=changes,
        )


def _forwards(script: str) -> bool:
    """Whether a trap for TERM passes it on."""
    return bool(re.search(r"\btrap\b[^\n]*\b(?:SIG)?TERM\b", script))


def _signals_itself(server: Server) -> bool:
    """Whether the preStop signals the server by its pid."""
    hook = server.pre_stop
    return hook is not None and any(
        kill.signal in ("TERM", "INT") and not kill.by_name and kill.target not in ("1", "-1", "0")
        for kill in hook.kills
    )


RULE = Rule("error", "high", check, __doc__ or "")
