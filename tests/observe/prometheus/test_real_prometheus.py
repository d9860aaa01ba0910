"""Debian's real Prometheus, with history made by promtool: what our queries mean there, and fleets read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.observe.prometheus.fake_server import MONDAY_S

from headrace.durations import Buckets
from headrace.errors import InputError
from headrace.observe.prometheus.read import read_past
from headrace.observe.prometheus.source import Selection, Source
from headrace.past import Past

Serving = Callable[[str], AbstractContextManager[str]]
LATER_S = MONDAY_S + 30.0 * 86_400
SIX_HOURS = 360


def lines(
    name: str, labels: str, values: Iterable[float], every_s: int = 60, skip: Iterable[int] = ()
) -> str:
    """One series from Monday on, one sample each `every_s`."""
    skipped = set(skip)
    return "".join(
        f"{name}{{{labels}}} {value} {MONDAY_S + every_s * index}\n"
        for index, value in enumerate(values)
        if index not in skipped
    )


def pod(name: str, more: str = "") -> str:
    return f'namespace="prod",model_name="llama",pod="{name}",instance="{name}:8000",job="vllm"{more}'


def selected(hours: float = 6.0, **more: object) -> Selection:
    return Selection(start_s=MONDAY_S, end_s=MONDAY_S + hours * 3_600, **more)  # type: ignore[arg-type]


def one(url: str, selection: Selection | None = None) -> Past:
    (past,) = read_past(Source(url=url), selection or selected(), now_s=LATER_S).values()
    return past


def test_a_small_fleet_is_read_back_exactly(
    weeks: ModuleType, prometheus_programs: Path, tmp_path: Path
) -> None:
    found = weeks.figures(2, 3, tmp_path, prometheus_programs)
    assert found.twice == 0
    assert 0 < found.first_questions < found.questions
    assert found.first_questions + found.resumed_questions == found.questions
    assert found.exact_steps > 7_000
    assert found.inexact_steps < 60
    assert found.worst_steady_buckets < 1e-9
    assert found.worst_buckets < 0.005
    assert found.peak_bytes < 300 * 2**20


def test_a_dead_servers_last_value_is_not_carried_on(real_prometheus: Serving) -> None:
    text = lines("vllm:num_requests_running", pod("a"), [5.0] * SIX_HOURS)
    text += lines("vllm:num_requests_running", pod("b"), [7.0] * 100)
    text += lines("vllm:num_requests_waiting", pod("a"), [0.0] * SIX_HOURS)
    text += lines("vllm:num_requests_waiting", pod("b"), [0.0] * 100)
    with real_prometheus(text) as url:
        past = one(url)
    assert past.demand.values.tolist() == [12.0] * 100 + [5.0] * 260
    assert past.replicas is not None
    assert past.replicas.values.tolist() == [2.0] * 100 + [1.0] * 260


def test_an_outage_is_a_gap_and_one_missed_scrape_is_not_idleness(real_prometheus: Serving) -> None:
    gone = range(200, 230)
    text = ""
    for name in ("running", "waiting"):
        for index in range(3):
            skip = [*gone, *([50] if index == 0 else [])]
            text += lines(f"vllm:num_requests_{name}", pod(f"p{index}"), [4.0] * SIX_HOURS, skip=skip)
    with real_prometheus(text) as url:
        past = one(url)
    assert np.flatnonzero(np.isnan(past.demand.values)).tolist() == list(gone)
    assert set(past.demand.values[~np.isnan(past.demand.values)].tolist()) == {24.0}
    assert any("In 1 steps some replicas did not answer" in note for note in past.notes)
    assert any("Gap of 30 min" in note for note in past.notes)


def test_what_two_scrapers_saw_counts_once_and_two_engines_of_a_server_add_up(
    real_prometheus: Serving,
) -> None:
    text = ""
    for scraper in ("prometheus-0", "prometheus-1"):
        for engine in "01":
            labels = pod("a", f',engine="{engine}",prometheus_replica="{scraper}"')
            text += lines("vllm:num_requests_running", labels, [10.0] * SIX_HOURS)
            text += lines("vllm:num_requests_waiting", labels, [1.0] * SIX_HOURS)
            text += lines("vllm:request_success_total", labels + ',finished_reason="stop"', range(SIX_HOURS))
            text += lines(
                "vllm:request_success_total", labels + ',finished_reason="abort"', range(0, 2 * SIX_HOURS, 2)
            )
    with real_prometheus(text) as url:
        slots = one(url)
        requests = one(url, selected(unit="requests"))
    assert set(slots.demand.values.tolist()) == {22.0}
    assert slots.replicas is not None
    assert set(slots.replicas.values.tolist()) == {1.0}
    assert np.allclose(requests.demand.values[1:] * 60, 2 * (1 + 2))


def test_both_names_of_one_gauge_are_one(real_prometheus: Serving) -> None:
    text = ""
    for name, values in (("num_requests_running", 3.0), ("num_requests_waiting", 0.0)):
        text += lines(f"vllm:{name}", pod("a"), [values] * SIX_HOURS)
    for name in ("kv_cache_usage_perc", "gpu_cache_usage_perc"):
        text += lines(f"vllm:{name}", pod("a"), [0.5] * 100 + [0.99] * 260)
    with real_prometheus(text) as url:
        past = one(url)
    assert past.lower_bound is not None
    assert past.lower_bound.tolist() == [False] * 100 + [True] * 260


def test_sglang_is_read_by_its_own_names(real_prometheus: Serving) -> None:
    text = ""
    for rank in "01":
        for tensor in "01":  # each tensor-parallel rank shows the same requests
            labels = pod("a", f',dp_rank="{rank}",tp_rank="{tensor}"')
            text += lines("sglang:num_running_reqs", labels + ',priority=""', [6.0] * SIX_HOURS)
            text += lines("sglang:num_running_reqs", labels + ',priority="1"', [2.0] * SIX_HOURS)
            text += lines("sglang:num_queue_reqs", labels, [1.0] * SIX_HOURS)
            text += lines("sglang:token_usage", labels, [0.3] * SIX_HOURS)
    text += lines("sglang:num_requests_total", pod("a"), range(0, 3 * SIX_HOURS, 3))
    for bound, share in (("1.0", 1), ("10.0", 2), ("+Inf", 3)):
        bucket = pod("a", f',le="{bound}"')
        text += lines("sglang:e2e_request_latency_seconds_bucket", bucket, range(0, share * SIX_HOURS, share))
    with real_prometheus(text) as url:
        past = one(url)
        requests = one(url, selected(unit="requests", engines=("sglang",)))
        with pytest.raises(InputError, match="it has no vllm:num_requests_running between"):
            one(url, selected(engines=("vllm",)))
    assert set(past.demand.values.tolist()) == {14.0}
    assert np.allclose(requests.demand.values[1:] * 60, 3.0)
    assert isinstance(past.durations, Buckets)
    assert past.durations.bounds_s == (1.0, 10.0)
    assert np.allclose(np.array(past.durations.counts) / past.durations.count, 1 / 3)


def test_counters_that_begin_again_are_summed_over_the_restart(real_prometheus: Serving) -> None:
    begins_again = [*range(0, 2_000, 10), *range(0, 1_600, 10)]
    text = lines("vllm:num_requests_running", pod("a"), [1.0] * SIX_HOURS)
    text += lines("vllm:num_requests_waiting", pod("a"), [0.0] * SIX_HOURS)
    text += lines("vllm:request_success_total", pod("a", ',finished_reason="stop"'), begins_again)
    with real_prometheus(text) as url:
        past = one(url, selected(unit="requests"))
    growth = past.demand.values * 60
    assert past.demand.start_s == MONDAY_S + 60  # of the first scrape nothing is known
    assert np.allclose(np.delete(growth, 199)[1:], 10.0)
    assert growth[199] == pytest.approx(0.0, abs=1e-9)  # the first scrape after the restart shows 0


def test_a_step_of_several_scrapes_is_their_mean(real_prometheus: Serving) -> None:
    values = [float(index % 4) for index in range(4 * SIX_HOURS)]
    text = lines("vllm:num_requests_running", pod("a"), values, every_s=15)
    text += lines("vllm:num_requests_waiting", pod("a"), [0.0] * len(values), every_s=15)
    with real_prometheus(text) as url:
        past = one(url)
        coarse = one(url, selected(step_s=600.0))
    assert set(past.demand.values.tolist()) == {1.5}
    assert (coarse.demand.step_s, len(coarse.demand)) == (600.0, 36)
    assert coarse.demand.values == pytest.approx(1.5)


def test_a_selector_and_labels_choose_and_part_the_models(real_prometheus: Serving) -> None:
    text = ""
    for name in ("running", "waiting"):
        for space, model, value in (("prod", "a", 1.0), ("prod", "b", 2.0), ("test", "a", 4.0)):
            labels = f'namespace="{space}",model_name="{model}",instance="{space}{model}"'
            text += lines(f"vllm:num_requests_{name}", labels, [value] * SIX_HOURS)
    with real_prometheus(text) as url:
        every = read_past(Source(url=url), selected(), now_s=LATER_S)
        prod = read_past(Source(url=url), selected(selector='{namespace="prod"}'), now_s=LATER_S)
        merged = read_past(Source(url=url), selected(by=("model_name",)), now_s=LATER_S)
        with pytest.raises(
            InputError, match=r'it has no .* with {namespace="none"} between 2024-01-01T00:00:00Z'
        ):
            read_past(Source(url=url), selected(selector='namespace="none"'), now_s=LATER_S)
        with pytest.raises(InputError, match=r"so it can't work with the query: .*parse error"):
            read_past(Source(url=url), selected(query="sum by ("), now_s=LATER_S)
    assert {name: past.demand.values[0] for name, past in every.items()} == {
        "prod/a": 2,
        "prod/b": 4,
        "test/a": 8,
    }
    assert list(prod) == ["prod/a", "prod/b"]
    assert {name: past.demand.values[0] for name, past in merged.items()} == {"a": 10, "b": 4}


def test_a_metric_of_the_wrong_kind_is_refused(real_prometheus: Serving) -> None:
    day = 1_440
    text = lines("up_and_down", pod("a"), [float(index % 3) for index in range(day)])
    text += lines("only_up_total", pod("a"), range(day))
    text += lines("vllm:num_requests_running", pod("a"), [1.0] * day)
    whole = 24.0
    with real_prometheus(text) as url:
        with pytest.raises(InputError, match="only goes up, as a counter does"):
            one(url, selected(whole, names=(("running", "only_up_total"),)))
        with pytest.raises(InputError, match="go down: it is a gauge"):
            one(url, selected(whole, names=(("finished", "up_and_down"),), unit="requests"))
        with pytest.raises(InputError, match="take rate"):
            one(url, selected(whole, query="only_up_total"))
        own = one(url, selected(whole, names=(("running", "up_and_down"),)))
    assert own.demand.values[:3].tolist() == [0.0, 1.0, 2.0]


def test_steps_coarser_than_what_prometheus_gives_at_once_are_asked_for_in_parts(
    real_prometheus: Serving,
) -> None:
    seconds = 6 * 3_600
    text = lines("vllm:num_requests_running", pod("a"), range(seconds), every_s=1)
    text += lines("vllm:num_requests_waiting", pod("a"), [0.0] * seconds, every_s=1)
    with real_prometheus(text) as url:
        past = one(url, selected(step_s=1.0))
    assert past.demand.values.tolist() == list(range(seconds))
