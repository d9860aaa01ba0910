"""The Grafana dashboard: how much is asked for, how much there is, how long it takes, what was cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from headrace.decide.startup import overdue_s, total
from headrace.render import queries
from headrace.render.noted import Noted, Tree
from headrace.render.setting import Setting
from headrace.units import span_text

SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_WIDTH: Final = 24
"""Columns of Grafana's grid."""
_HEIGHT: Final = 8


class Panel(NamedTuple):
    """One chart: its lines by legend."""

    title: str
    about: str
    unit: str
    lines: tuple[tuple[str, str], ...]
    """Legend and query."""


def dashboard(setting: Setting) -> dict[str, Tree]:
    """v1 ConfigMap with the label by which Grafana's sidecar finds it."""
    metadata = setting.metadata(
        {"grafana_dashboard": Noted("1", "Grafana's sidecar loads the ConfigMaps that carry this label.")}
    )
    metadata["name"] = f"{setting.name}-dashboard"
    data: Tree = {f"{setting.name}.json": dashboard_json(setting)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def dashboard_json(setting: Setting) -> str:
    """What Grafana imports, with a data source to choose."""
    return json.dumps(_document(setting), indent=2, ensure_ascii=False) + "\n"


def panels(setting: Setting) -> Iterator[Panel]:
    """From left to right, two in a row."""
    slots = queries.slots(setting)
    yield Panel(
        "Slots: what is asked for and what there is",
        f"Slots are ready replicas × {setting.slots} (max-num-seqs × data-parallel engines): they move with "
        "the autoscaler.",
        "short",
        (
            ("slots", slots),
            ("running", queries.running(setting)),
            ("running + waiting", f"{queries.demand(setting)}"),
            ("target", f"{queries.ready(setting)} * {setting.target_running:g}"),
        ),
    )
    yield Panel(
        "Occupancy",
        "Share of the slots in use. It ends at 100 %, however many wait.",
        "percentunit",
        (("running / slots", f"{queries.running(setting)} / {slots}"),),
    )
    yield Panel(
        "Waiting", "Requests in the engines' queues.", "short", (("waiting", queries.waiting(setting)),)
    )
    yield Panel(
        "Queue time",
        "Of the requests that ended; seen only then, so that a queue shows late here and at once under Waiting.",
        "s",
        (
            ("median", queries.queue_quantile(setting, 0.5, "5m")),
            ("95 %", queries.queue_quantile(setting, 0.95, "5m")),
            ("99 %", queries.queue_quantile(setting, 0.99, "5m")),
        ),
    )
    yield from _replica_panels(setting)
    yield from _ending_panels(setting)


def _replica_panels(setting: Setting) -> Iterator[Panel]:
    wanted, ready = queries.wanted(setting), queries.ready(setting)
    scale = setting.fleet.scale
    yield Panel(
        "Replicas",
        "Starting: wanted and not ready yet.",
        "short",
        (
            ("wanted", wanted),
            ("ready", ready),
            ("starting", f"clamp_min({wanted} - {ready}, 0)"),
            ("least", f"vector({scale.min_replicas})"),
            ("most", f"vector({scale.max_replicas})"),
        ),
    )
    phases = setting.fleet.start.phases
    yield Panel(
        "Start-up: age of pods that are not ready",
        f"Measured: {span_text(total(phases).median_s)}; overdue after {overdue_s(phases):.0f} s (spec.start).",
        "s",
        (
            ("{{pod}}", queries.starting_age(setting)),
            ("overdue", f"vector({overdue_s(phases):.0f})"),
        ),
    )


def _ending_panels(setting: Setting) -> Iterator[Panel]:
    matchers, finished = queries.series(setting), setting.metric(setting.engine.finished)
    if queries.has_reasons(setting):
        per_s = f"sum by (finished_reason) (rate({finished}{{{matchers}}}[5m]))"
        yield Panel(
            "Requests by how they ended",
            "abort and error are cut streams, though HTTP said 200; a client that hangs up can count as an abort.",
            "reqps",
            (("{{finished_reason}}", per_s),),
        )
        yield Panel(
            "Cut streams",
            "Share of the requests that ended by abort or error.",
            "percentunit",
            (("cut", queries.cut_ratio(setting, "15m")),),
        )
    else:
        per_s = f"sum(rate({finished}{{{matchers}}}[5m]))"
        yield Panel("Requests that ended", "Per second.", "reqps", (("requests", per_s),))
    if resets := setting.fleet.alerts.resets:
        yield Panel(
            "Resets at the gateway", "Responses cut after they had begun.", "reqps", (("resets", resets),)
        )
    if usage := setting.metric(setting.engine.kv_usage):
        yield Panel(
            "KV cache in use",
            "Full before the slots are: fewer requests run at once than max-num-seqs says.",
            "percentunit",
            (("mean", f"avg({usage}{{{matchers}}})"), ("fullest", f"max({usage}{{{matchers}}})")),
        )


def _document(setting: Setting) -> dict[str, Any]:
    made = [_panel(place, panel) for place, panel in enumerate(panels(setting))]
    return {
        "uid": f"headrace-{setting.name}"[:40],
        "title": f"headrace: {setting.name}",
        "description": "Made by headrace render: change the ModelFleet file and render again.",
        "tags": ["headrace", setting.engine.name],
        "timezone": "browser",
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {
            "list": [
                {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
            ]
        },
        "annotations": {"list": []},
        "panels": made,
    }


def _panel(place: int, panel: Panel) -> dict[str, Any]:
    width = _WIDTH // 2
    grid = {"x": place % 2 * width, "y": place // 2 * _HEIGHT, "w": width, "h": _HEIGHT}
    targets = [
        {
            "refId": chr(ord("A") + at),
            "datasource": SOURCE,
            "expr": query,
            "legendFormat": legend,
            "range": True,
        }
        for at, (legend, query) in enumerate(panel.lines)
    ]
    defaults = {
        "unit": panel.unit,
        "min": 0,
        "custom": {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 0},
    }
    return {
        "id": place + 1,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.about,
        "datasource": SOURCE,
        "gridPos": grid,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "targets": targets,
    }
