"""What autoscalers scale on, as rules judge it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from headrace.documents import Node, Scalar
from headrace.engine import Engine, Metric
from headrace.manifest.autoscaler import Autoscaler, ScaleMetric
from headrace.manifest.bundle import Bundle
from headrace.manifest.server import Server
from headrace.manifest.tree import is_known

_GPU: Final = re.compile(
    r"dcgm_fi|gpu.?util|util.*gpu|gpu_duty_cycle|duty_cycle|nvidia_smi_utilization|tensorcore", re.IGNORECASE
)


def scaled_servers(bundle: Bundle) -> Iterator[tuple[Autoscaler, Server]]:
    """Each autoscaler of a model server, with the first server of what it scales."""
    for scaler in bundle.autoscalers:
        workload = bundle.target_of(scaler)
        if workload is None:
            continue
        servers = bundle.servers_of(workload)
        if servers:
            yield scaler, servers[0]


def amount(node: Node | None) -> float | None:
    """A quantity's number: ``38``, ``38000m``; None: none, or not known."""
    if not isinstance(node, Scalar) or not is_known(node.text):
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(m|k|)", node.text)
    return float(match[1]) * {"m": 0.001, "k": 1000.0, "": 1.0}[match[2]] if match else None


def plain(name: str) -> str:
    """A metric's name as adapters and queries spell it: without case and without what parts its words."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def mentions(metric: ScaleMetric) -> str:
    """What a metric is about: its name and its query, in one plain text."""
    return plain(metric.query or metric.name)


def is_about(metrics: tuple[Metric, ...], metric: ScaleMetric) -> bool:
    """Whether it is one of an engine's metrics, by whatever spelling."""
    return any(plain(each.name.partition(":")[2] or each.name) in mentions(metric) for each in metrics)


def is_queue(engine: Engine, metric: ScaleMetric) -> bool:
    """Whether it counts waiting requests only."""
    words = mentions(metric)
    if is_about(engine.running, metric) or "running" in words or "in_flight" in words or "concurren" in words:
        return False
    return is_about(engine.waiting, metric) or bool(
        re.search(r"waiting|queue_(?:size|depth|length)|queued|pending_requests", words)
    )


def utilisation(metric: ScaleMetric) -> str:
    """``CPU utilisation`` and the like, if that is what it is; else nothing."""
    if metric.source in ("Resource", "ContainerResource", "cpu", "memory"):
        name = metric.name if metric.source.endswith("Resource") else metric.source
        return f"{name.upper() if name == 'cpu' else name} utilisation"
    if _GPU.search(metric.name) or _GPU.search(metric.query):
        return "GPU utilisation"
    words = mentions(metric)
    if re.search(r"container_(?:cpu|memory)|node_(?:cpu|memory)", words):
        return "CPU or memory use"
    return "CPU utilisation" if re.fullmatch(r"(?:node_|pod_)?cpu(?:_util\w*|_usage\w*)?", words) else ""
