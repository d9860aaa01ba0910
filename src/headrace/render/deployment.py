"""The Deployment, or what a strategic-merge patch must bring to one that stands already."""

from __future__ import annotations

import math

from headrace.decide.rollout import progress_deadline_s
from headrace.render import pod
from headrace.render.command import arguments, command
from headrace.render.noted import Noted, Tree, given
from headrace.render.setting import Setting
from headrace.units import duration_text

_REPLACE: dict[str, Tree] = {"$patch": "replace"}
"""Of a strategic merge: what stood there goes, instead of being mixed with what comes."""


def deployment(setting: Setting) -> dict[str, Tree]:
    """apps/v1 Deployment."""
    labels = setting.labels
    if setting.fleet.autoscaler.kind == "aibrix" and setting.engine.name != "vllm":
        labels = {**labels, "model.aibrix.ai/engine": setting.engine.name}
    made = {**_replicas(setting), **_rollout(setting), "selector": {"matchLabels": setting.selector}}
    made["template"] = {"metadata": {"labels": labels}, "spec": pod.pod_spec(setting)}
    return setting.object("apps/v1", "Deployment", made, _owner_note(setting))


def patch(setting: Setting) -> dict[str, Tree]:
    """What an existing Deployment of that name, with a container of `Server.container`'s name, must be given.

    Image, resources and selector stay as they are. Probes, hook and strategy take the place of what stood there.
    """
    container = given(
        {
            "name": setting.server.container,
            "command": Noted(
                list(command(setting)), "Lists of words are replaced whole by a strategic merge."
            ),
            "args": arguments(setting),
            "env": pod.environment(setting),
            "ports": [{"name": "http", "containerPort": setting.port}],
            "volumeMounts": pod.mounts(setting),
        }
    )
    for key, value in pod.lifecycle(setting).items():
        container[key] = _replaced(value, "preStop" if key == "lifecycle" else "")
    template: dict[str, Tree] = {
        "metadata": {"labels": setting.labels},
        "spec": {
            "terminationGracePeriodSeconds": pod.grace(setting),
            "shareProcessNamespace": pod.SHARED_PID,
            "containers": [container],
            "volumes": pod.volumes(setting),
        },
    }
    rollout = _rollout(setting)
    spec = {
        **_replicas_of_patch(setting),
        "progressDeadlineSeconds": rollout["progressDeadlineSeconds"],
        "strategy": _replaced(rollout["strategy"]),
        "template": template,
    }
    metadata = setting.metadata()
    del metadata["labels"]
    if setting.asked.form == "kustomize":
        metadata.pop("namespace", None)
    head = Noted("apps/v1", f"Strategic-merge patch of the Deployment {setting.name}. {_owner_note(setting)}")
    return {"apiVersion": head, "kind": "Deployment", "metadata": metadata, "spec": spec}


def _rollout(setting: Setting) -> dict[str, Tree]:
    chosen, fleet = setting.strategy, setting.fleet
    deadline_s = fleet.rollout.deadline_s
    note = "Without progress for so long the rollout is reported as stuck: an overdue start"
    note += ", after the drain of the pod that makes room" if chosen.max_surge == 0 else ""
    note += ". A surge that can't start holds old and new accelerators until somebody looks. "
    note += "From spec.start; set it by spec.rollout.deadline."
    value = (
        progress_deadline_s(fleet.start.phases, setting.drain_s, chosen)
        if deadline_s is None
        else math.ceil(deadline_s)
    )
    if deadline_s is not None:
        note = f"Without progress for so long the rollout is reported as stuck: {duration_text(deadline_s)}, "
        note += "spec.rollout.deadline."
    why = f"{chosen.why[0].upper()}{chosen.why[1:]}. From scale.min, capacity.accelerators, rollout.spareAccelerators."
    return {
        "progressDeadlineSeconds": Noted(value, note),
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": Noted(
                {"maxSurge": chosen.max_surge, "maxUnavailable": chosen.max_unavailable}, why
            ),
        },
    }


def _replicas(setting: Setting) -> dict[str, Tree]:
    if setting.is_scaled:
        return {}
    return {
        "replicas": Noted(setting.fleet.scale.min_replicas, "spec.scale.min: no autoscaler owns the count.")
    }


def _replicas_of_patch(setting: Setting) -> dict[str, Tree]:
    """A build (kustomize) drops a null; sent to a cluster as it is, it would set the count to 1."""
    if setting.is_scaled and setting.asked.form == "kustomize":
        note = "Out of the built manifest: the autoscaler owns it. Hand the field over first: docs/render.md."
        return {"replicas": Noted(None, note)}
    return _replicas(setting)


def _owner_note(setting: Setting) -> str:
    if not setting.is_scaled:
        return "Made by headrace render."
    return (
        "Made by headrace render. No replicas: the autoscaler owns the count, and applying a manifest that "
        "sets it resets the fleet."
    )


def _replaced(value: Tree, inner: str = "") -> dict[str, Tree]:
    assert isinstance(value, dict)
    if inner:
        return {**value, inner: _replaced(value[inner])}
    return {**_REPLACE, **value}
