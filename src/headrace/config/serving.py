"""What the keys of form_serving.py become, and how they are written back: only what differs from the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from headrace.config.form_serving import AlertsForm, AutoscalerForm, RolloutForm, ServerForm, release
from headrace.documents import quoted
from headrace.spec import Alerts, Autoscaler, Draining, ModelFleet, Rollout, Server, Texts
from headrace.units import duration_text, number_text, ratio_text, size_text

Tree: TypeAlias = "dict[str, Tree] | list[Tree] | str"


def server(form: ServerForm | None) -> Server | None:
    """What runs in a replica; None where the file does not say it."""
    if form is None:
        return None
    return Server(
        image=form.image,
        model=form.model,
        cache_claim=(form.cache and form.cache.claim) or "",
        cache_path=(form.cache and form.cache.host_path) or "",
        release=release(form.release) if form.release else None,
        served_name=form.name or "",
        namespace=form.namespace or "",
        container=form.container,
        port=form.port,
        api_servers=form.api_servers,
        tensor_parallel=form.tensor_parallel,
        pipeline_parallel=form.pipeline_parallel,
        args=form.args,
        loader=form.loader,
        accelerator=form.accelerator,
        cpu=form.cpu,
        memory_bytes=form.memory,
        shared_memory_bytes=form.shared_memory,
        environment=form.environment,
        secrets=form.secrets,
        labels=form.labels,
        node_selector=form.node_selector,
        tolerations=form.tolerations,
        service_account=form.service_account or "",
    )


def autoscaler(form: AutoscalerForm) -> Autoscaler:
    """Who owns the replica count."""
    return Autoscaler(
        kind=form.kind, target_ratio=form.target, metric=form.metric, prometheus=form.prometheus
    )


def rollout(form: RolloutForm) -> Rollout:
    """How pods are replaced."""
    return Rollout(
        strategy=form.strategy, spare_accelerators=form.spare_accelerators, deadline_s=form.deadline
    )


def alerts(form: AlertsForm) -> Alerts:
    """From when on somebody is told."""
    return Alerts(
        queue_time_s=form.queue_time,
        queue_for_s=form.queue_for,
        waiting_for_s=form.waiting_for,
        pinned_for_s=form.pinned_for,
        full_ratio=form.full,
        full_for_s=form.full_for,
        turns=form.turns,
        changes=form.changes,
        cut_ratio=form.cut,
        labels=form.labels,
        rule_labels=form.rule_labels,
        series=form.series,
        resets=form.resets,
    )


def trees(fleet: ModelFleet) -> dict[str, Tree]:
    """The sections of a fleet's spec, those left out that say nothing."""
    sections = {
        "server": _server_tree(fleet.server) if fleet.server else {},
        "autoscaler": _autoscaler_tree(fleet.autoscaler),
        "drain": _drain_tree(fleet.drain),
        "rollout": _rollout_tree(fleet.rollout),
        "alerts": _alerts_tree(fleet.alerts),
    }
    return {key: tree for key, tree in sections.items() if tree}


def _server_tree(server: Server) -> dict[str, Tree]:
    usual = Server(image="", model="")
    tree: dict[str, Tree] = {"image": quoted(server.image)}
    if server.release is not None:
        tree["release"] = quoted(".".join(map(str, server.release)))
    tree["model"] = quoted(server.model)
    tree |= _words({"name": server.served_name, "namespace": server.namespace})
    if server.container != usual.container:
        tree["container"] = quoted(server.container)
    if server.port is not None:
        tree["port"] = str(server.port)
    if server.api_servers != usual.api_servers:
        tree["apiServers"] = str(server.api_servers)
    if server.tensor_parallel is not None:
        tree["tensorParallel"] = str(server.tensor_parallel)
    if server.pipeline_parallel != usual.pipeline_parallel:
        tree["pipelineParallel"] = str(server.pipeline_parallel)
    tree |= _lists({"args": server.args}) | _words({"loader": server.loader})
    if cache := _words({"claim": server.cache_claim, "hostPath": server.cache_path}):
        tree["cache"] = cache
    if server.accelerator != usual.accelerator:
        tree["accelerator"] = quoted(server.accelerator)
    if server.cpu is not None:
        tree["cpu"] = number_text(server.cpu)
    for key, size_bytes in (("memory", server.memory_bytes), ("sharedMemory", server.shared_memory_bytes)):
        if size_bytes is not None:
            tree[key] = size_text(size_bytes)
    tree |= _maps({"environment": server.environment}) | _lists({"secrets": server.secrets})
    tree |= _maps({"labels": server.labels, "nodeSelector": server.node_selector})
    return (
        tree
        | _lists({"tolerations": server.tolerations})
        | _words({"serviceAccount": server.service_account})
    )


def _autoscaler_tree(autoscaler: Autoscaler) -> dict[str, Tree]:
    tree: dict[str, Tree] = {}
    if autoscaler.kind != Autoscaler().kind:
        tree["kind"] = quoted(autoscaler.kind)
    if autoscaler.target_ratio is not None:
        tree["target"] = ratio_text(autoscaler.target_ratio)
    return tree | _words({"metric": autoscaler.metric, "prometheus": autoscaler.prometheus})


def _drain_tree(drain: Draining) -> dict[str, Tree]:
    tree: dict[str, Tree] = {}
    if drain.mode != Draining().mode:
        tree["mode"] = drain.mode
    if drain.node_wait_s != Draining().node_wait_s:
        tree["nodeWait"] = duration_text(drain.node_wait_s)
    return tree


def _rollout_tree(rollout: Rollout) -> dict[str, Tree]:
    tree: dict[str, Tree] = {}
    if rollout.strategy != Rollout().strategy:
        tree["strategy"] = rollout.strategy
    if rollout.spare_accelerators is not None:
        tree["spareAccelerators"] = str(rollout.spare_accelerators)
    if rollout.deadline_s is not None:
        tree["deadline"] = duration_text(rollout.deadline_s)
    return tree


def _alerts_tree(alerts: Alerts) -> dict[str, Tree]:
    usual = Alerts()
    written = {
        "queueTime": (alerts.queue_time_s, usual.queue_time_s, duration_text),
        "queueFor": (alerts.queue_for_s, usual.queue_for_s, duration_text),
        "waitingFor": (alerts.waiting_for_s, usual.waiting_for_s, duration_text),
        "pinnedFor": (alerts.pinned_for_s, usual.pinned_for_s, duration_text),
        "full": (alerts.full_ratio, usual.full_ratio, ratio_text),
        "fullFor": (alerts.full_for_s, usual.full_for_s, duration_text),
        "turns": (alerts.turns, usual.turns, number_text),
        "changes": (alerts.changes, usual.changes, number_text),
        "cut": (alerts.cut_ratio, usual.cut_ratio, ratio_text),
    }
    tree: dict[str, Tree] = {
        key: text(value) for key, (value, plain, text) in written.items() if value != plain
    }
    tree |= _maps({"labels": alerts.labels, "ruleLabels": alerts.rule_labels})
    return tree | _words({"series": alerts.series, "resets": alerts.resets})


def _words(texts: Mapping[str, str]) -> dict[str, Tree]:
    return {key: quoted(text) for key, text in texts.items() if text}


def _lists(lists: Mapping[str, tuple[str, ...]]) -> dict[str, Tree]:
    return {key: [quoted(item) for item in items] for key, items in lists.items() if items}


def _maps(maps: Mapping[str, Texts]) -> dict[str, Tree]:
    return {key: {quoted(name): quoted(text) for name, text in pairs} for key, pairs in maps.items() if pairs}
