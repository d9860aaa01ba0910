"""A rollout asks for more accelerators than there are.

A Deployment with a model server whose replicas and surge pods together need more accelerators than can be scheduled
(``--accelerators``). Silent where that number is not given.

Why:
    A surge pod that finds no accelerator stays Pending, the old ReplicaSet is never scaled down, and the rollout
    stands still, holding old and new accelerators.

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      replicas: 4
      strategy:
        rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
            resources: {limits: {nvidia.com/gpu: 2}}

Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: llama}
    spec:
      replicas: 4
      strategy:
        rollingUpdate: {maxSurge: 0, maxUnavailable: 1}
      selector: {matchLabels: {app: llama}}
      template:
        metadata: {labels: {app: llama}}
        spec:
          containers:
          - name: server
            image: vllm/vllm-openai:v0.19.0
            args: ["--model=/models/llama"]
            resources: {limits: {nvidia.com/gpu: 2}}

Fix:
    maxSurge 0 and maxUnavailable 1 where there are several replicas, or an accelerator to spare.

Source:
    headrace: rollouts and scaling of model servers.
"""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lint.known import Known
from headrace.lint.rollout import is_rolling, step
from headrace.lint.rule import Hit, Rule
from headrace.manifest.bundle import Bundle
from headrace.manifest.tree import scalar


def check(bundle: Bundle, known: Known) -> Iterator[Hit]:
    """A hit for each Deployment that can't surge."""
    if known.accelerators is None:
        return
    for workload in bundle.workloads:
        replicas = bundle.replicas(workload)
        if replicas is None or not is_rolling(workload):
            continue
        found = step(workload, replicas)
        cards = sum(server.cards for server in bundle.servers_of(workload))
        if found is None or not found.surge or not cards:
            continue
        needed = cards * (replicas + found.surge)
        if needed > known.accelerators >= cards * replicas:
            yield Hit(
                workload,
                f"a rollout needs {needed} accelerators ({replicas} + {found.surge} pods of {cards}), "
                f"and {known.accelerators} can be scheduled: the new pod waits for ever",
                scalar(workload.node, "spec", "strategy", "rollingUpdate", "maxSurge"),
                help="maxSurge: 0, maxUnavailable: 1"
                if replicas > 1
                else "an accelerator to spare during rollouts",
            )


RULE = Rule("warning", "high", check, __doc__ or "")
