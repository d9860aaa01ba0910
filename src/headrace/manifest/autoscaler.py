"""What scales a workload: an HPA, a KEDA ScaledObject, an AIBrix PodAutoscaler."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from headrace.documents import Mapping, Node, Steps
from headrace.manifest.resource import Resource
from headrace.manifest.tree import child, items, mapping, number, raw

Kind = Literal["HorizontalPodAutoscaler", "ScaledObject", "PodAutoscaler"]
KINDS: Final = ("HorizontalPodAutoscaler", "ScaledObject", "PodAutoscaler")


class ScaleMetric(NamedTuple):
    """One thing that is scaled on."""

    node: Mapping
    path: Steps
    """Inside the autoscaler's object."""
    source: str
    """HPA: Resource, ContainerResource, Pods, Object, External; KEDA: the trigger's type; AIBrix: metricSourceType."""
    name: str
    """Metric or resource name; a KEDA trigger's query stands in `query`."""
    query: str
    """A Prometheus query, or empty."""
    target_type: str
    """Value, AverageValue, Utilization; empty: not written."""
    target: Node | None
    """The scalar that holds the target's number."""


class Autoscaler(NamedTuple):
    """One autoscaler."""

    resource: Resource
    kind: str
    target_kind: str
    target_name: str
    lowest: int | None
    """Fewest replicas, the default filled in (HPA 1, KEDA 0, AIBrix 1); None: a variable."""
    highest: int | None
    highest_node: Node | None
    metrics: tuple[ScaleMetric, ...]
    behavior: Mapping | None
    """The HPA's behavior (KEDA: advanced.horizontalPodAutoscalerConfig.behavior)."""
    behavior_path: Steps


def autoscaler(resource: Resource) -> Autoscaler | None:
    """An autoscaler read from an object; None: it is none."""
    if resource.kind == "HorizontalPodAutoscaler":
        return _hpa(resource)
    if resource.kind == "ScaledObject":
        return _keda(resource)
    return _aibrix(resource) if resource.kind == "PodAutoscaler" else None


def _read(
    resource: Resource, keys: tuple[str, str], default: int, metrics: list[ScaleMetric], behavior: Steps
) -> Autoscaler:
    spec = resource.at("spec")
    low, high = child(spec, keys[0]), child(spec, keys[1])
    return Autoscaler(
        resource,
        resource.kind,
        raw(spec, "scaleTargetRef", "kind") or "Deployment",
        raw(spec, "scaleTargetRef", "name") or "",
        default if low is None else number(low),
        (100 if resource.kind == "ScaledObject" else None) if high is None else number(high),
        high,
        tuple(metrics),
        mapping(resource.node, *behavior),
        behavior,
    )


def _hpa(resource: Resource) -> Autoscaler:
    found: list[ScaleMetric] = []
    for i, item in enumerate(items(resource.node, "spec", "metrics")):
        source = raw(item, "type") or ""
        inner = mapping(item, source[:1].lower() + source[1:])
        if not isinstance(item, Mapping) or inner is None:
            continue
        name = raw(inner, "metric", "name") or raw(inner, "name") or raw(inner, "metricName") or ""
        goal = child(inner, "target")
        kind = raw(goal, "type") or ""
        holder = goal if isinstance(goal, Mapping) and kind else inner
        keys = {
            "Value": ("value",),
            "AverageValue": ("averageValue",),
            "Utilization": ("averageUtilization",),
            "": ("targetAverageValue", "targetValue", "targetAverageUtilization", "value"),
        }.get(kind, ())
        target = next((child(holder, key) for key in keys if child(holder, key) is not None), None)
        if not kind and child(inner, "targetAverageValue") is not None:
            kind = "AverageValue"
        elif not kind and child(inner, "targetValue") is not None:
            kind = "Value"
        found.append(ScaleMetric(item, ("spec", "metrics", i), source, name, "", kind, target))
    return _read(resource, ("minReplicas", "maxReplicas"), 1, found, ("spec", "behavior"))


def _keda(resource: Resource) -> Autoscaler:
    found: list[ScaleMetric] = []
    for i, item in enumerate(items(resource.node, "spec", "triggers")):
        if isinstance(item, Mapping):
            source = raw(item, "type") or ""
            found.append(
                ScaleMetric(
                    item,
                    ("spec", "triggers", i),
                    source,
                    raw(item, "metadata", "metricName") or source,
                    raw(item, "metadata", "query") or "",
                    raw(item, "metricType") or raw(item, "metadata", "type") or "AverageValue",
                    child(item, "metadata", "threshold") or child(item, "metadata", "value"),
                )
            )
    behavior = ("spec", "advanced", "horizontalPodAutoscalerConfig", "behavior")
    return _read(resource, ("minReplicaCount", "maxReplicaCount"), 0, found, behavior)


def _aibrix(resource: Resource) -> Autoscaler:
    found: list[ScaleMetric] = []
    for i, item in enumerate(items(resource.node, "spec", "metricsSources")):
        if isinstance(item, Mapping):
            source = raw(item, "metricSourceType") or ""
            name = raw(item, "targetMetric") or ""
            goal = child(item, "targetValue")
            found.append(
                ScaleMetric(item, ("spec", "metricsSources", i), source, name, "", "AverageValue", goal)
            )
    return _read(resource, ("minReplicas", "maxReplicas"), 1, found, ("spec", "behavior"))
