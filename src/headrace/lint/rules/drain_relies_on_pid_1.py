"""A container relies on being PID 1, and is not.

``shareProcessNamespace: true`` in a pod where a hook, probe or script signals PID 1, or a container is started by an
init that must be PID 1 (s6, systemd, tini without ``-s``).

Why:
    With a shared process namespace PID 1 is the pause container: a signal to 1 reaches nothing, and such an init
    refuses to start or reaps nothing.

Bad:
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
                exec: {command: ["sh", "-c", "sleep 20; kill -TERM 1"]}

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
    Let the kubelet send SIGTERM; tini with -s; or no shared namespace.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headrace.documents import Mapping, Node, Scalar
from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.stopping import kills
from headrace.manifest.tree import items, mapping, truth, walk

INITS = re.compile(r"/init|(?:.*/)?(?:systemd|s6-svscan)|/sbin/init")


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each container that needs to be PID 1 and is not."""
    for pod in bundle.served_pods:
        if pod.ownership != "native" or not truth(pod.spec, "shareProcessNamespace"):
            continue
        for steps, container in pod.containers:
            if node := _reliance(container):
                server = next((each for each in bundle.servers_of(pod) if each.path == steps), None)
                yield Hit(
                    server or pod,
                    "this relies on being PID 1, which is the pause container where "
                    "shareProcessNamespace is true",
                    node,
                    help="signal the server by its own pid, or leave SIGTERM to the kubelet",
                )


def _reliance(container: Mapping) -> Node | None:
    words = [
        item for key in ("command", "args") for item in items(container, key) if isinstance(item, Scalar)
    ]
    if words and INITS.fullmatch(words[0].text):
        return words[0]
    if words and words[0].text.endswith("tini") and "-s" not in [word.text for word in words[:4]]:
        return words[0]
    scripts = [node for _, node in walk(mapping(container, "lifecycle")) if isinstance(node, Scalar)]
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        scripts += [node for _, node in walk(mapping(container, probe, "exec")) if isinstance(node, Scalar)]
    for node in (*words, *scripts):
        if any(kill.target == "1" and not kill.by_name for kill in kills(node.text)):
            return node
    joined = [
        item.text
        for item in items(container, "lifecycle", "preStop", "exec", "command")
        if isinstance(item, Scalar)
    ]
    if any(kill.target == "1" for kill in kills(" ".join(joined))):
        return mapping(container, "lifecycle", "preStop")
    return None


RULE = Rule("error", "high", check, __doc__ or "")
