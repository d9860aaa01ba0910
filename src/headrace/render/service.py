"""The Service, and the PodDisruptionBudget."""

from __future__ import annotations

from headrace.decide.startup import total
from headrace.render.noted import Noted, Tree
from headrace.render.setting import Setting
from headrace.units import span_text


def service(setting: Setting) -> dict[str, Tree]:
    """v1 Service: port 80 to the server's, for the pods of this fleet alone."""
    note = (
        "Only this fleet's pods carry the label: a canary is another fleet, with a name and a Service of "
        "its own, and never joins this one by sharing labels."
    )
    spec: dict[str, Tree] = {
        "selector": Noted(setting.selector, note),
        "ports": [{"name": "http", "port": 80, "targetPort": "http"}],
    }
    return setting.object("v1", "Service", spec)


def budget(setting: Setting) -> dict[str, Tree]:
    """policy/v1 PodDisruptionBudget."""
    start_s = total(setting.fleet.start.phases).median_s
    note = "One pod at a time leaves for node drains; rollouts and scale-downs are not held up by it."
    if setting.fleet.scale.min_replicas == 1:
        note += (
            "\nDecide: with scale.min 1 a node drain may take the only replica, and the model is down for "
            f"a start of {span_text(start_s)}. minAvailable 1 would block every node drain instead; "
            "scale.min 2 costs a replica."
        )
    spec: dict[str, Tree] = {
        "maxUnavailable": Noted(1, note),
        "selector": {"matchLabels": setting.selector},
        "unhealthyPodEvictionPolicy": Noted(
            "AlwaysAllow", "A pod that never becomes ready must not keep a node from being drained."
        ),
    }
    return setting.object("policy/v1", "PodDisruptionBudget", spec)
