"""The pod template's spec: one container that serves, drains and is judged by its probes."""

from __future__ import annotations

import math
from typing import Final

from headrace.decide.cures import phase_kind
from headrace.decide.grace import GRACE_AFTER_S, GRACE_BEFORE_S, grace_s
from headrace.decide.probes import LIVENESS, READINESS, Probe
from headrace.decide.startup import BEFORE_CONTAINER, probe_budget, total
from headrace.render import draining
from headrace.render.command import arguments, command
from headrace.render.ignored import NODE_DRAIN_S, TYPICAL_BUDGET_S, ignored
from headrace.render.noted import Noted, Tree, given
from headrace.render.setting import Setting
from headrace.units import number_text, span_text

CACHE: Final = "/cache"
"""Where the cache volume is mounted, wherever the image has its home."""
_HEALTH: Final = "/health"
"""Answered by every engine once its model is loaded, and refused before."""
_GIB: Final = 2**30
_LEAST_SHARED_BYTES: Final = 2 * _GIB


def pod_spec(setting: Setting) -> dict[str, Tree]:
    """The whole spec of a pod."""
    server = setting.server
    return given(
        {
            "serviceAccountName": server.service_account,
            "terminationGracePeriodSeconds": grace(setting),
            "shareProcessNamespace": SHARED_PID,
            "nodeSelector": dict(server.node_selector),
            "tolerations": [{"key": key, "operator": "Exists"} for key in server.tolerations],
            "containers": [container(setting)],
            "volumes": volumes(setting),
        }
    )


SHARED_PID: Final = Noted(
    True,
    "The pause container is PID 1, so that the hook can end a pod that is still starting, which would else "
    "hold its accelerators for the whole grace period.",
)


def grace(setting: Setting) -> Tree:
    """The pod's ``terminationGracePeriodSeconds``."""
    value = math.ceil(grace_s(setting.drain_s))
    note = (
        f"{GRACE_BEFORE_S:g} s for the routers + N {setting.drain_s} s + {GRACE_AFTER_S:g} s to end; the "
        "hook counts inside it. N is spec.scale.drain."
    )
    wait_s = setting.fleet.drain.node_wait_s
    if value > wait_s:
        note += (
            f"\nLonger than the {wait_s:g} s that node drains wait (spec.drain.nodeWait): raise "
            "cluster-autoscaler's --max-graceful-termination-sec, Karpenter's terminationGracePeriod, or a "
            "drained node cuts streams."
        )
    if value > NODE_DRAIN_S:
        note += "\n" + ignored(
            "drain-grace-above-node-drain",
            f"N is {setting.drain_s} s by spec.scale.drain, and the nodes must wait for it",
        )
    return Noted(value, note)


def container(setting: Setting) -> dict[str, Tree]:
    """The server."""
    server = setting.server
    return given(
        {
            "name": server.container,
            "image": server.image,
            "command": list(command(setting)),
            "args": arguments(setting),
            "env": environment(setting),
            "envFrom": [{"secretRef": {"name": name}} for name in server.secrets],
            "ports": [{"name": "http", "containerPort": setting.port}],
            "resources": _resources(setting),
            "volumeMounts": mounts(setting),
            **lifecycle(setting),
        }
    )


def lifecycle(setting: Setting) -> dict[str, Tree]:
    """The hook and the probes."""
    return {
        "lifecycle": {"preStop": draining.pre_stop(setting)},
        "startupProbe": startup_probe(setting),
        "readinessProbe": _steady_probe(
            READINESS,
            f"Out of the routers after {READINESS.patience_s} s without an answer; costs nothing if it was wrong.",
        ),
        "livenessProbe": _steady_probe(
            LIVENESS,
            f"Restarted only after {LIVENESS.patience_s} s without an answer: a restart costs every stream "
            f"and a start of {span_text(total(setting.fleet.start.phases).median_s)}.",
        ),
    }


def startup_probe(setting: Setting) -> dict[str, Tree]:
    """So long that a slow but healthy start passes."""
    phases = setting.fleet.start.phases
    budget = probe_budget(phases)
    inside = total(phase for phase in phases if phase_kind(phase.name) not in BEFORE_CONTAINER)
    most = f"nine of ten within {span_text(inside.p90_s)}"
    start = f"spec.start without node and image: {span_text(inside.median_s)}, {most}"
    note = (
        f"{budget.period_s} s × {budget.failure_threshold} = {budget.budget_s} s, two to three times the measured "
        f"start-up ({start}). Too short, a loading pod is killed for ever."
    )
    if budget.budget_s < TYPICAL_BUDGET_S:
        note += "\n" + ignored("probe-startup-budget", f"measured: {start}")
    return {
        **_check(),
        "periodSeconds": budget.period_s,
        "failureThreshold": Noted(budget.failure_threshold, note),
        "timeoutSeconds": READINESS.timeout_s,
    }


def _steady_probe(probe: Probe, note: str) -> dict[str, Tree]:
    return {
        **_check(),
        "periodSeconds": probe.period_s,
        "failureThreshold": Noted(probe.failures, note),
        "timeoutSeconds": probe.timeout_s,
    }


def _check() -> dict[str, Tree]:
    return {"httpGet": {"path": _HEALTH, "port": "http"}}


def environment(setting: Setting) -> list[Tree]:
    """Where the caches are, then what the file adds."""
    launch = setting.launch
    own = {launch.compile_variables[0]: f"{CACHE}/{setting.engine.name}"} if launch.compile_variables else {}
    if launch.hub_variables:
        own[launch.hub_variables[0]] = f"{CACHE}/hub"
    pairs = {**own, **dict(setting.server.environment)}
    return [{"name": name, "value": value} for name, value in pairs.items()]


def mounts(setting: Setting) -> list[Tree]:
    """The cache, and shared memory where accelerators share a replica."""
    made: list[Tree] = [{"name": "headrace-cache", "mountPath": CACHE}]
    if shared_memory_bytes(setting):
        made.append({"name": "headrace-shm", "mountPath": "/dev/shm"})
    return made


def volumes(setting: Setting) -> list[Tree]:
    """What `mounts` names."""
    server = setting.server
    cache: dict[str, Tree] = {"persistentVolumeClaim": {"claimName": server.cache_claim}}
    if server.cache_path:
        cache = {"hostPath": {"path": server.cache_path, "type": "DirectoryOrCreate"}}
    why = "Compiled code and weights outlive the pod: the next start neither compiles nor downloads."
    why += " From spec.server.cache."
    made: list[Tree] = [{"name": Noted("headrace-cache", why), **cache}]
    if size := shared_memory_bytes(setting):
        why = "Processes of several accelerators pass tensors through it (spec.server.sharedMemory)."
        made.append(
            {
                "name": "headrace-shm",
                "emptyDir": {"medium": "Memory", "sizeLimit": Noted(quantity(size), why)},
            }
        )
    return made


def shared_memory_bytes(setting: Setting) -> float:
    """Of /dev/shm; 0 where one accelerator shares with nobody."""
    accelerators = setting.fleet.capacity.accelerators
    if accelerators < 2 and setting.server.shared_memory_bytes is None:
        return 0.0
    return setting.server.shared_memory_bytes or max(_LEAST_SHARED_BYTES, accelerators * _GIB)


def quantity(size_bytes: float) -> str:
    """A size as Kubernetes writes it: ``64Gi``."""
    for unit, scale in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if size_bytes % scale == 0:
            return f"{size_bytes / scale:.0f}{unit}"
    return f"{math.ceil(size_bytes)}"


def _resources(setting: Setting) -> dict[str, Tree]:
    server = setting.server
    cards: Tree = Noted(setting.fleet.capacity.accelerators, "Of one replica: spec.capacity.accelerators.")
    memory = quantity(server.memory_bytes) if server.memory_bytes else None
    cpu = number_text(math.ceil(server.cpu * 1000) / 1000) if server.cpu else None
    return {
        "requests": given(
            {"cpu": cpu, "memory": memory, server.accelerator: setting.fleet.capacity.accelerators}
        ),
        "limits": given({"memory": memory, server.accelerator: cards}),
    }
