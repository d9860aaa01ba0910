"""The PromQL holds what was chosen everywhere it belongs, and asks for all engines and names in one question."""

from __future__ import annotations

import re

import pytest

from headrace.engine import Engine
from headrace.engines.sglang import ENGINE as SGLANG
from headrace.engines.vllm import ENGINE as VLLM
from headrace.observe.prometheus.queries import (
    Query,
    duration_queries,
    falls_query,
    scrapes_query,
    step_queries,
)
from headrace.observe.prometheus.source import Selection

BOTH = (SGLANG, VLLM)
CHOSEN = Selection(selector='{namespace="prod"}', by=("cluster", "model_name"), unit="requests")


def asked(engines: tuple[Engine, ...] = BOTH, selection: Selection = CHOSEN) -> list[Query]:
    return step_queries(engines, selection, 60, 30.0) + duration_queries(engines, selection, 3_600, 30.0)


def text_of(about: str, engines: tuple[Engine, ...] = BOTH, selection: Selection = CHOSEN) -> str:
    (text,) = (query.text for query in asked(engines, selection) if query.about == about)
    return text


def test_every_series_is_selected_and_every_answer_grouped() -> None:
    texts = [*(query.text for query in asked()), scrapes_query(BOTH, CHOSEN, 86_400)]
    for text in texts:
        series = re.findall(r"(?:vllm|sglang):\w+(\{[^}]*\})?", text)
        assert series
        assert set(series) == {'{namespace="prod"}'}
    for query in asked():
        by = "cluster, model_name, le" if query.about == "buckets" else "cluster, model_name"
        assert re.match(rf"(sum|count|avg) by \({by}\) \(", query.text)


def test_every_name_of_every_engine_is_asked_for() -> None:
    names = {
        "running": ("vllm:num_requests_running", "sglang:num_running_reqs"),
        "waiting": ("vllm:num_requests_waiting", "sglang:num_queue_reqs"),
        "kv_usage": ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage"),
        "finished": ("vllm:request_success_total", "sglang:num_requests_total"),
        "buckets": ("vllm:e2e_request_latency_seconds_bucket", "sglang:e2e_request_latency_seconds_bucket"),
        "total": ("vllm:e2e_request_latency_seconds_sum", "sglang:e2e_request_latency_seconds_sum"),
    }
    for about, meant in names.items():
        assert set(re.findall(r"(?:vllm|sglang):\w+", text_of(about))) == set(meant)


def test_a_step_is_read_from_its_beginning_up_to_its_end() -> None:
    assert text_of("running", (VLLM,), Selection()) == (
        "sum by (namespace, model_name) (max by (namespace, model_name, cluster, pod, instance, engine) "
        "(avg_over_time(vllm:num_requests_running[60s] offset 1ms)))"
    )


def test_a_rate_reaches_one_scrape_further() -> None:
    assert "[90s] offset 1ms" in text_of("finished")
    assert "[3630s] offset 1ms" in text_of("buckets")
    assert text_of("buckets").endswith(" * 3600")


def test_finished_requests_are_asked_for_only_where_they_are_the_demand() -> None:
    assert "finished" not in [query.about for query in asked(selection=Selection())]
    own = Selection(query="my_load", unit="requests")
    abouts = [query.about for query in asked(selection=own)]
    assert "finished" not in abouts
    assert text_of("demand", selection=own) == "my_load"


@pytest.mark.parametrize("label", ["job", "pod"])
def test_a_label_that_parts_models_is_kept(label: str) -> None:
    text = text_of("finished", selection=Selection(by=(label, "model_name"), unit="requests"))
    without = re.search(r"without \(([^)]*)\)", text)
    assert without
    assert label not in without[1].split(", ")


def test_a_days_falls_are_asked_for_as_a_share() -> None:
    assert falls_query("x", Selection(selector='a="b"')) == (
        'sum(resets(x{a="b"}[1d])) / (sum(changes(x{a="b"}[1d])) >= 20)'
    )
