"""The autoscaler that owns the replica count: an HPA, a KEDA ScaledObject or an AIBrix PodAutoscaler."""

from __future__ import annotations

from typing import Final

from headrace.decide.owner import TOLERANCE
from headrace.render import queries
from headrace.render.behavior import scaling_behavior, tolerance_note
from headrace.render.noted import Noted, Tree
from headrace.render.setting import Setting
from headrace.units import number_text, ratio_text

UNHALVED: Final = 2.0
"""Most times by which AIBrix multiplies at once."""
ONE_LESS: Final = "1.0001"
"""floor(n / 1.0001) is n - 1 for every count up to 10,000: AIBrix then removes one replica a step."""


def autoscaler(setting: Setting) -> dict[str, Tree]:
    """The one of the fleet's kind."""
    made = {"hpa": horizontal_pod_autoscaler, "keda": scaled_object, "aibrix": pod_autoscaler}
    return made[setting.fleet.autoscaler.kind](setting)


def horizontal_pod_autoscaler(setting: Setting) -> dict[str, Tree]:
    """autoscaling/v2, on running requests per pod as a metrics adapter gives them."""
    metric = setting.fleet.autoscaler.metric or setting.metric(setting.engine.running)
    target: dict[str, Tree] = {
        "type": "AverageValue",
        "averageValue": Noted(quantity(setting.target_running), _target_note(setting)),
    }
    name = Noted(
        metric,
        "Requests that execute, per pod: occupancy, which holds replicas through a burst. It ends at the "
        "slots, so the alerts look at the queue. By the name that the metrics adapter gives it: "
        "spec.autoscaler.metric.",
    )
    spec: dict[str, Tree] = {
        "scaleTargetRef": _target(setting),
        **_bounds(setting, "minReplicas", "maxReplicas"),
        "metrics": [{"type": "Pods", "pods": {"metric": {"name": name}, "target": target}}],
        "behavior": scaling_behavior(setting),
    }
    return setting.object("autoscaling/v2", "HorizontalPodAutoscaler", spec)


def scaled_object(setting: Setting) -> dict[str, Tree]:
    """KEDA: the same target, on what runs and waits in the whole fleet, from Prometheus."""
    scale = setting.fleet.scale
    trigger: dict[str, Tree] = {
        "type": "prometheus",
        "metricType": Noted(
            "AverageValue", "Divided by the target to give replicas; Value would multiply a growing queue."
        ),
        "metadata": {
            "serverAddress": setting.fleet.autoscaler.prometheus,
            "query": Noted(
                queries.demand(setting),
                "One number for the whole fleet: requests that execute and that wait. Two sums, so that "
                "one that is missing is missing data and not zero.",
            ),
            "threshold": Noted(quantity(setting.target_running), _target_note(setting)),
            "ignoreNullValues": Noted(
                "false", "No data is an error, and the fallback holds; true would read it as 0."
            ),
        },
    }
    spec: dict[str, Tree] = {
        "scaleTargetRef": _target(setting),
        "pollingInterval": 15,
        **_bounds(setting, "minReplicaCount", "maxReplicaCount"),
        "fallback": {
            "failureThreshold": 3,
            "behavior": Noted(
                "currentReplicasIfHigher",
                "Without data the count stays, and never falls. KEDA before 2.17 doesn't know this and "
                "falls to replicas: write the usual count there.",
            ),
            "replicas": scale.min_replicas,
        },
        "advanced": {"horizontalPodAutoscalerConfig": {"behavior": scaling_behavior(setting)}},
        "triggers": [trigger],
    }
    note = (
        f"No cooldownPeriod: it acts to and from zero only, and the least here is {scale.min_replicas}. How "
        "fast it goes down stands in advanced."
    )
    return setting.object("keda.sh/v1alpha1", "ScaledObject", spec, note)


def pod_autoscaler(setting: Setting) -> dict[str, Tree]:
    """AIBrix, by its own rule for running requests per pod (APA), read in its source of August 2026.

    Its windows are the reverse of an HPA's: on the way down it takes the least of the window, so that a longer one cuts
    deeper. And a pod that doesn't answer yet counts as 0. What keeps a fleet from being cut there is the tolerance:
    after at most a doubling of full replicas the mean is at least half of (1 + tolerance) targets.
    """
    down = 1.0 - 1.0 / UNHALVED
    notes = {
        "scale-up-cooldown-window": Noted("0s", "Up at once."),
        "scale-down-cooldown-window": Noted(
            "0s",
            "The reverse of an HPA: AIBrix takes the lowest want of the window on the way down, so any "
            "window cuts deeper, not later. 0s: the present want alone.",
        ),
        "max-scale-up-rate": Noted(
            f"{UNHALVED:.1f}", "Twice as many at most, so that the tolerance below holds."
        ),
        "max-scale-down-rate": Noted(ONE_LESS, "One replica less at a time: floor(n / 1.0001)."),
        "scale-up-tolerance": Noted(f"{TOLERANCE:.1f}", "As an HPA's."),
        "scale-down-tolerance": Noted(
            f"{down:.1f}",
            "Instead of a window. A pod that still loads is read as 0 requests: right after full replicas "
            "were doubled the mean is half of what it was, and a smaller tolerance would remove the pods "
            "just started. It keeps more than an HPA would; where a metrics adapter runs, "
            "spec.autoscaler.kind hpa is cheaper.",
        ),
    }
    annotations: Tree = {f"autoscaling.aibrix.ai/{key}": noted for key, noted in notes.items()}
    source: dict[str, Tree] = {
        "metricSourceType": "pod",
        "protocolType": "http",
        "port": str(setting.port),
        "path": "metrics",
        "targetMetric": Noted("num_requests_running", "AIBrix's own name; it looks up the engine's."),
        "targetValue": Noted(quantity(setting.target_running), _target_note(setting)),
    }
    spec: dict[str, Tree] = {
        "scaleTargetRef": _target(setting),
        **_bounds(setting, "minReplicas", "maxReplicas"),
        "scalingStrategy": Noted(
            "APA", "Replicas × mean ÷ target. KPA takes mean ÷ target for a count of pods."
        ),
        "metricsSources": [source],
    }
    return setting.object("autoscaling.aibrix.ai/v1alpha1", "PodAutoscaler", spec, annotations=annotations)


def quantity(value: float) -> str:
    """A number of requests as Kubernetes, KEDA and AIBrix read it alike."""
    return number_text(value)


def _target(setting: Setting) -> dict[str, Tree]:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "name": setting.name}


def _bounds(setting: Setting, least: str, most: str) -> dict[str, Tree]:
    scale = setting.fleet.scale
    cards = scale.max_replicas * setting.fleet.capacity.accelerators
    note = f"spec.scale.max: {cards} accelerators in all, which must be schedulable; the brake on overshoot."
    if setting.fleet.autoscaler.kind != "aibrix" and (more := tolerance_note(setting)):
        note += f"\n{more}"
    return {least: Noted(scale.min_replicas, "spec.scale.min."), most: Noted(scale.max_replicas, note)}


def _target_note(setting: Setting) -> str:
    asked, scale = setting.fleet.autoscaler.target_ratio, setting.fleet.scale
    source = "the usual advice, since scale.target is 100%"
    if asked is not None:
        source = "spec.autoscaler.target"
    elif scale.target_ratio < 1.0:
        source = "spec.scale.target"
    share = ratio_text(round(setting.target_ratio, 6))
    return (
        f"{share} ({source}) of {setting.slots} slots per replica. Change it by spec.autoscaler.target; it "
        "follows spec.capacity.slots (max-num-seqs)."
    )
