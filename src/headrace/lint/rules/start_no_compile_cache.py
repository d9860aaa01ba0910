"""Every new pod compiles again.

A vLLM server that compiles (release 0.8 or later, no --enforce-eager) without a volume that outlives the pod at or
above its cache folder, ~/.cache/vllm.

Why:
    torch.compile takes a minute and more of every start, and the same graphs come out each time. A new pod with the
    folder of the last one skips it; an emptyDir is new with each pod.

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

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          volumes: [{name: cache, persistentVolumeClaim: {claimName: cache}}]
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
            volumeMounts: [{name: cache, mountPath: /root/.cache/vllm}]

Fix:
    Mount a claim or a folder of the node at ~/.cache/vllm (VLLM_CACHE_ROOT moves it).

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each server that keeps nothing."""
    for server in bundle.servers:
        launch = server.engine.launch
        if not (server.native and server.start and launch and launch.compile_cache) or server.may_have(
            launch.eager
        ):
            continue
        if server.release is not None and launch.compile_since and server.release < launch.compile_since:
            continue
        named = [server.environment[name] for name in launch.compile_variables if name in server.environment]
        if None in named:
            continue
        base = server.environment.get("XDG_CACHE_HOME")
        folder = named[0] if named else f"{base}/vllm" if base else launch.compile_cache
        if folder and not server.kept(folder):
            mount = server.mount_of(folder)
            yield Hit(
                server,
                f"what is compiled is kept in {folder}, "
                f"{'which is new with each pod' if mount else 'which is no volume'}: "
                "every start compiles again",
                help=f"a volume that outlives the pod at {folder}",
            )


RULE = Rule("warning", "high", check, __doc__ or "")
