"""The PrometheusRule: who is told what, and when. Each alert's reason stands in its comment and its description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from headrace.decide.startup import overdue_s, total
from headrace.render import queries
from headrace.render.noted import Noted, Tree
from headrace.render.setting import Setting
from headrace.units import duration_text, number_text, ratio_text, span_text

QUANTILE: Final = 0.95
"""Of queue time."""
WINDOW: Final = "5m"
"""Over which rates are taken: several scrapes, and less than an alert waits."""
CUT_WINDOW: Final = "15m"
"""Over which ended requests are counted: a few streams in five minutes say little about one percent."""
_PAGE: Final = "critical"
_TICKET: Final = "warning"


class Alert(NamedTuple):
    """One rule."""

    name: str
    expr: str
    for_s: float
    severity: str
    summary: str
    description: str
    note: str
    """Where its numbers come from."""


def prometheus_rule(setting: Setting) -> dict[str, Tree]:
    """monitoring.coreos.com/v1 PrometheusRule; its spec alone is a rule file of Prometheus."""
    rules: list[Tree] = [_rule(setting, alert) for alert in alerts(setting)]
    spec: dict[str, Tree] = {"groups": [{"name": f"headrace-{setting.name}", "rules": rules}]}
    labels: Tree = dict(setting.fleet.alerts.rule_labels)
    return setting.object("monitoring.coreos.com/v1", "PrometheusRule", spec, more=labels)


def alerts(setting: Setting) -> Iterator[Alert]:
    """All alerts of a fleet."""
    yield from _queue(setting)
    yield from _replicas(setting)
    yield from _starts(setting)
    yield from _cuts(setting)


def _queue(setting: Setting) -> Iterator[Alert]:
    told, name = setting.fleet.alerts, setting.name
    limit = duration_text(told.queue_time_s)
    yield Alert(
        "HeadraceQueueTime",
        f"{queries.queue_quantile(setting, QUANTILE, WINDOW)} > {number_text(told.queue_time_s)}",
        told.queue_for_s,
        _PAGE,
        f"{name}: requests wait longer than {limit}",
        "Of the requests that ended, one in twenty had waited {{ $value | humanizeDuration }} or "
        "longer. More replicas are needed than there are, or a replica queues while others are idle.",
        f"{limit}: spec.alerts.queueTime, for spec.alerts.queueFor. Running requests end at the slots, so "
        "queue time says what an autoscaler on them can't see.",
    )
    yield Alert(
        "HeadraceWaiting",
        f"{queries.waiting(setting)} > 0",
        told.waiting_for_s,
        _TICKET,
        f"{name}: a queue that never empties",
        f"{{{{ $value }}}} requests wait, and some have waited all of {duration_text(told.waiting_for_s)}: a "
        "backlog, not a burst.",
        "At no moment of spec.alerts.waitingFor was the queue empty.",
    )
    full = ratio_text(told.full_ratio)
    yield Alert(
        "HeadraceFull",
        f"{queries.running(setting)} / {queries.slots(setting)} > {number_text(told.full_ratio)}",
        told.full_for_s,
        _TICKET,
        f"{name}: {full} of its slots are in use",
        "{{ $value | humanizePercentage }} of what the ready replicas run at once is in use: the next request waits.",
        f"Slots: ready replicas × {setting.slots} (spec.capacity.slots × dataParallel), so they move with "
        "the autoscaler. Share: spec.alerts.full, for spec.alerts.fullFor.",
    )


def _replicas(setting: Setting) -> Iterator[Alert]:
    told, name, scale = setting.fleet.alerts, setting.name, setting.fleet.scale
    count = f"kube_deployment_spec_replicas{{{queries.of_object(setting, 'deployment')}}}"
    if setting.is_scaled:
        yield Alert(
            "HeadracePinned",
            f"{queries.wanted(setting)} >= {scale.max_replicas}",
            told.pinned_for_s,
            _TICKET,
            f"{name}: at its ceiling of {scale.max_replicas} replicas",
            "At its ceiling an autoscaler looks stable whether 10 or 1000 requests wait. Raise "
            "spec.scale.max if that many accelerators can be scheduled, or shed load.",
            "The ceiling: spec.scale.max, for spec.alerts.pinnedFor.",
        )
    rises, falls = f"changes({count}[1h]) - resets({count}[1h])", f"resets({count}[1h])"
    yield Alert(
        "HeadraceFlapping",
        f"max({rises}) >= {told.turns}\nand\nmax({falls}) >= {told.turns}",
        0.0,
        _TICKET,
        f"{name}: replicas are added and removed again",
        f"Within an hour the count rose {{{{ $value }}}} times and fell at least {told.turns} times: each "
        "rise pays a cold start, each fall a drain.",
        "Rises and falls within an hour, each: spec.alerts.turns.",
    )
    yield Alert(
        "HeadraceReplicaChanges",
        f"max(changes({count}[1h])) > {told.changes}",
        0.0,
        _TICKET,
        f"{name}: the replica count changes too often",
        "It changed {{ $value }} times within an hour. Each new pod is a new series in every exporter "
        "beside the cold start.",
        "Changes within an hour: spec.alerts.changes.",
    )


def _starts(setting: Setting) -> Iterator[Alert]:
    name, late_s = setting.name, overdue_s(setting.fleet.start.phases)
    stuck = 'condition="Progressing",status="false"'
    yield Alert(
        "HeadraceStuckRollout",
        f"max(kube_deployment_status_condition{{{queries.of_object(setting, 'deployment')},{stuck}}}) == 1",
        0.0,
        _PAGE,
        f"{name}: its rollout is stuck",
        "No progress within progressDeadlineSeconds: the new pods can't start, and old and new ones hold "
        f"accelerators until somebody looks. kubectl get rs -l headrace.dev/fleet={name}",
        "The deadline stands in the Deployment: progressDeadlineSeconds, spec.rollout.deadline.",
    )
    late = max(60.0, late_s)
    yield Alert(
        "HeadraceOverdueStart",
        queries.starting_age(setting, late),
        0.0,
        _TICKET,
        f"{name}: {{{{ $labels.pod }}}} is not ready after {duration_text(round(late))}",
        "It was made {{ $value | humanizeDuration }} ago; a start takes "
        f"{span_text(total(setting.fleet.start.phases).median_s)}.",
        f"{late:.0f} s: two to three times the measured start-up, node and image included (spec.start), at "
        "least a minute.",
    )


def _cuts(setting: Setting) -> Iterator[Alert]:
    told, name = setting.fleet.alerts, setting.name
    if cut := queries.cut_ratio(setting, CUT_WINDOW):
        yield Alert(
            "HeadraceCutStreams",
            f"{cut} > {number_text(told.cut_ratio)}",
            300.0,
            _PAGE,
            f"{name}: streams are cut",
            "{{ $value | humanizePercentage }} of the requests that ended did so by abort or error. If "
            "pods were removed at that time, they did not drain: look for the drain in their last log "
            "lines.",
            f"{ratio_text(told.cut_ratio)}: spec.alerts.cut. HTTP says 200 for these, so only the reason tells them.",
        )
    if told.resets:
        yield Alert(
            "HeadraceGatewayResets",
            f"({told.resets}) > 0",
            300.0,
            _PAGE,
            f"{name}: the gateway saw responses cut after they had begun",
            "{{ $value }} a second. A proxy can't repeat a request whose first bytes were sent: each is a "
            "failed request.",
            "The query: spec.alerts.resets.",
        )


def _rule(setting: Setting, alert: Alert) -> dict[str, Tree]:
    made: dict[str, Tree] = {"alert": Noted(alert.name, alert.note), "expr": alert.expr}
    if alert.for_s:
        made["for"] = _span(alert.for_s)
    made["labels"] = {**dict(setting.fleet.alerts.labels), "severity": alert.severity, "fleet": setting.name}
    made["annotations"] = {"summary": alert.summary, "description": alert.description}
    return made


def _span(seconds: float) -> str:
    """A duration as Prometheus writes it: whole seconds at least, ``90s``, ``1h30m``."""
    return duration_text(max(1.0, round(seconds)))
