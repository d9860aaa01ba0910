"""Every query of the dashboard is taken by a real Prometheus, and shows what a fleet of recorded pages holds."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.render.recorded_fleet import EVERY_S, LASTS_S, START_S, holding, pod_series, series

from headrace.config import fleets
from headrace.render import Asked, objects, plain
from headrace.units import shown

PODS = ("llama-5d4f-aaaaa", "llama-5d4f-bbbbb", "llama-5d4f-ccccc")
STARTING = "llama-5d4f-zzzzz"
SERVED = "team/llama"
FLEET = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata: {{name: llama}}
spec:
  engine: {engine}
  capacity: {{slots: 100}}
  scale: {{min: 2, max: 6}}
  start: 3m
  server:
    image: {image}
    model: meta-llama/Llama-3.1-8B
    name: team/llama
    namespace: prod
    cache: {{claim: cache}}
  alerts: {{resets: 'sum(rate(envoy_reset_total[5m]))'}}
"""
RECORDED = {
    "vllm-0.32.0-captured-busy": ("vllm", "vllm/vllm-openai:v0.32.0"),
    "vllm, as 0.9": ("vllm", "vllm/vllm-openai:v0.9.2"),
    "sglang": ("sglang", "lmsysorg/sglang:v0.5.4"),
}
"""Pages, and the engine and image that they are of. One is recorded under load and whole; the others are ours."""
WRITTEN = {
    "vllm, as 0.9": """\
vllm:num_requests_running{model_name="tiny"} 2
vllm:num_requests_waiting{model_name="tiny"} 4
vllm:kv_cache_usage_perc{model_name="tiny"} 0.25
vllm:request_success_total{finished_reason="stop",model_name="tiny"} 60
vllm:request_success_total{finished_reason="abort",model_name="tiny"} 0
vllm:request_queue_time_seconds_bucket{le="0.3",model_name="tiny"} 30
vllm:request_queue_time_seconds_bucket{le="1.0",model_name="tiny"} 60
vllm:request_queue_time_seconds_bucket{le="+Inf",model_name="tiny"} 60
""",
    "sglang": """\
sglang:num_running_reqs{model_name="tiny",tp_rank="0"} 2
sglang:num_queue_reqs{model_name="tiny",tp_rank="0"} 4
sglang:token_usage{model_name="tiny",tp_rank="0"} 0.25
sglang:num_requests_total{model_name="tiny"} 60
sglang:queue_time_seconds_bucket{le="0.5",model_name="tiny",tp_rank="0"} 30
sglang:queue_time_seconds_bucket{le="1.0",model_name="tiny",tp_rank="0"} 60
sglang:queue_time_seconds_bucket{le="+Inf",model_name="tiny",tp_rank="0"} 60
""",
}


class Query(NamedTuple):
    """One line of a panel."""

    panel: str
    legend: str
    expr: str


def queries(text: str) -> list[Query]:
    """All lines of the dashboard of a fleet."""
    asked = Asked(only=("dashboard",))
    (fleet,) = fleets(text, "fleet.yaml")
    (made,) = objects(fleet, asked)
    (dashboard,) = plain(made.tree)["data"].values()
    return [
        Query(panel["title"], target["legendFormat"], target["expr"])
        for panel in json.loads(dashboard)["panels"]
        for target in panel["targets"]
    ]


def kube_state() -> str:
    """What kube-state-metrics says: three of four wanted replicas are ready, the fourth is starting."""
    steps = LASTS_S // EVERY_S
    deployment = {"namespace": "prod", "deployment": "llama"}
    text = series("kube_deployment_spec_replicas", deployment, [4] * steps)
    text += series("kube_deployment_status_replicas_ready", deployment, [3] * steps)
    for number, pod in enumerate((*PODS, STARTING)):
        labels = {"namespace": "prod", "pod": pod}
        text += series("kube_pod_created", labels, [START_S] * steps)
        ready = labels | {"condition": "true"}
        text += series("kube_pod_status_ready", ready, [0 if pod == STARTING else 1] * steps)
        address = {"namespace": "prod", "endpoint": "llama", "ip": f"10.0.0.{number}"}
        shown_ready = address | {"ready": "false" if pod == STARTING else "true"}
        text += series("kube_endpoint_address", shown_ready, [1] * steps)
    return text + series("envoy_reset_total", {"job": "envoy"}, [step * 0.25 for step in range(steps)])


@pytest.fixture(scope="module", params=RECORDED)
def recorded(
    request: pytest.FixtureRequest,
    shared_data: Path,
    prometheus_programs: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, list[Query]]]:
    """Address of a Prometheus that has scraped three pods of a recorded page, and the fleet's queries."""
    page = WRITTEN.get(request.param) or (shared_data / "metrics" / f"{request.param}.txt").read_text()
    engine, image = RECORDED[request.param]
    text = kube_state()
    for pod in PODS:
        text += pod_series(
            page, SERVED, {"namespace": "prod", "pod": pod, "instance": f"{pod}:8000", "job": "engine"}
        )
    folder = tmp_path_factory.mktemp("prometheus")
    with holding(text, folder, prometheus_programs) as url:
        yield url, queries(FLEET.format(engine=engine, image=image))


def answer(url: str, expr: str) -> list[dict[str, Any]]:
    """What a panel would draw: a query over the last hour of the recording."""
    end = START_S + LASTS_S - EVERY_S
    asked = {"query": expr, "start": end - 3600, "end": end, "step": 60}
    with urllib.request.urlopen(
        f"{url}/api/v1/query_range?{urllib.parse.urlencode(asked)}", timeout=30
    ) as reply:
        found = json.load(reply)
    assert found["status"] == "success"
    result: list[dict[str, Any]] = found["data"]["result"]
    return result


def numbers(series: dict[str, Any]) -> list[float]:
    """What a line shows, holes left out."""
    return [float(value) for _, value in series["values"] if value not in ("NaN", "+Inf", "-Inf")]


def test_every_line_has_data(recorded: tuple[str, list[Query]]) -> None:
    url, asked = recorded
    assert len(asked) >= 12
    empty = [
        f"{query.panel}: {query.legend}: {shown(query.expr)}"
        for query in asked
        if not any(len(numbers(each)) > 50 for each in answer(url, query.expr))
    ]
    assert empty == []


SEEN = {
    "slots": 300,
    "target": 180,
    "running": 6,
    "running + waiting": 18,
    "running / slots": 0.02,
    "waiting": 12,
    "wanted": 4,
    "ready": 3,
    "starting": 1,
    "least": 2,
    "most": 6,
    "resets": 0.25 / EVERY_S,
}
"""By legend, for three ready pods of 100 slots with 2 running and 4 waiting each, and a fourth that is starting."""


def test_lines_show_what_the_fleet_does(recorded: tuple[str, list[Query]]) -> None:
    url, asked = recorded
    drawn = {query.legend: answer(url, query.expr) for query in asked}
    last = {legend: round(numbers(drawn[legend][0])[-1], 6) for legend in SEEN}
    assert last == pytest.approx(SEEN, abs=1e-5)
    (age,) = drawn["{{pod}}"]
    assert age["metric"]["pod"] == STARTING
    assert numbers(age)[-1] == pytest.approx(LASTS_S, abs=2 * EVERY_S)
    for quantile in ("median", "95 %", "99 %"):
        assert 0 < numbers(drawn[quantile][0])[-1] < 60
