"""The names of metrics, by release: held against every real page, and against each other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from headrace.engine import Engine, Metric, Release, names_in
from headrace.engines.sglang import ENGINE as SGLANG
from headrace.engines.vllm import ENGINE as VLLM

ROLES = ("running", "waiting", "kv_usage", "finished", "latency", "queue_time")
HISTOGRAMS = ("latency", "queue_time")


class Page(NamedTuple):
    """What is known of one of the real pages."""

    engine: Engine
    release: Release
    held: tuple[str, ...]
    """Roles of which it shows at least one sample (or family); the excerpts show little."""


WHOLE = ROLES
PAGES = {
    "inference-perf_families_v0.26.0.txt": Page(VLLM, (0, 26, 0), WHOLE),
    "sglang-kthena-fixture.txt": Page(SGLANG, (0, 5, 0), ()),
    "vllm-0.10.0-engine-label-both-kv-names.txt": Page(VLLM, (0, 10, 0), ("kv_usage",)),
    "vllm-0.32.0-captured-asc2.txt": Page(VLLM, (0, 32, 0), WHOLE),
    "vllm-0.32.0-captured-busy.txt": Page(VLLM, (0, 32, 0), WHOLE),
    "vllm-0.32.0-captured-idle.txt": Page(VLLM, (0, 32, 0), WHOLE),
    "vllm-0.32.0-captured-sleeping.txt": Page(VLLM, (0, 32, 0), WHOLE),
    "vllm-0.5-style-kubeai.txt": Page(
        VLLM, (0, 5, 5), ("running", "waiting", "kv_usage", "finished", "latency")
    ),
    "vllm-0.6-headers-only-no-samples.txt": Page(VLLM, (0, 6, 0), ()),
    "vllm-0.6.x-aibrix-runtime-doc.txt": Page(
        VLLM, (0, 6, 0), ("running", "waiting", "kv_usage", "finished")
    ),
    "vllm-0.8-V1-no-engine-label.txt": Page(VLLM, (0, 8, 0), ("running", "waiting", "kv_usage")),
}


def shown(text: str) -> set[str]:
    """Names of the samples on a page, and of the families of the list that has no samples."""
    return {match[1] for line in text.splitlines() if (match := re.match(r"([a-zA-Z_:][\w:]*)[{ ]", line))}


@pytest.mark.real_data
@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_the_names_of_its_release(shared_data: Path, name: str) -> None:
    page = PAGES[name]
    found = shown((shared_data / "metrics" / name).read_text())
    for role in ROLES:
        endings = ("_bucket", "_sum", "_count") if role in HISTOGRAMS else ("",)
        names = names_in(getattr(page.engine, role), page.release)
        is_held = any(
            metric in found or all(metric + ending in found for ending in endings) for metric in names
        )
        assert is_held == (role in page.held), f"{role}: {names}"


@pytest.mark.real_data
def test_every_page_is_looked_at(shared_data: Path) -> None:
    assert {path.name for path in (shared_data / "metrics").iterdir()} == set(PAGES)


@pytest.mark.real_data
def test_a_servers_parts_are_told_apart_by_the_label_that_the_pages_have(shared_data: Path) -> None:
    text = (shared_data / "metrics" / "vllm-0.32.0-captured-busy.txt").read_text()
    for metrics in (VLLM.running, VLLM.waiting):
        (labels,) = re.findall(rf"^{metrics[0].name}{{(.*)}}", text, flags=re.MULTILINE)
        assert sorted(pair.partition("=")[0] for pair in labels.split(",")) == ["engine", "model_name"]
    assert VLLM.part_labels == ("engine",)


@pytest.mark.real_data
def test_latency_buckets_begin_and_end_as_the_facts_say(shared_data: Path) -> None:
    text = (shared_data / "metrics" / "vllm-0.32.0-captured-busy.txt").read_text()
    bounds = re.findall(rf'^{VLLM.latency[0].name}_bucket{{.*le="([^"]+)"', text, flags=re.MULTILINE)
    assert (bounds[0], bounds[-2], bounds[-1], len(bounds)) == ("0.3", "7680.0", "+Inf", 22)


@pytest.mark.parametrize(
    ("release", "names"),
    [
        ((0, 8, 5), ("vllm:gpu_cache_usage_perc",)),
        ((0, 9, 1), ("vllm:gpu_cache_usage_perc",)),
        ((0, 9, 2), ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")),
        ((0, 11, 2), ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")),
        ((0, 12, 0), ("vllm:kv_cache_usage_perc",)),
        ((0, 32, 0), ("vllm:kv_cache_usage_perc",)),
    ],
)
def test_kv_usage_changed_its_name(release: Release, names: tuple[str, ...]) -> None:
    assert names_in(VLLM.kv_usage, release) == names


@pytest.mark.parametrize("engine", [VLLM, SGLANG], ids=lambda engine: engine.name)
def test_every_role_has_a_name_of_the_engine_and_no_name_two_roles(engine: Engine) -> None:
    names = [metric.name for role in ROLES for metric in getattr(engine, role)]
    assert len(set(names)) == len(names)
    assert all(name.startswith(f"{engine.name}:") for name in names)
    assert all(getattr(engine, role) for role in ROLES)


def test_a_metric_is_there_from_its_first_release_to_the_one_before_its_last() -> None:
    metric = Metric("x", since=(0, 9, 2), until=(0, 12, 0))
    assert [metric.is_in(release) for release in ((0, 9, 1), (0, 9, 2), (0, 11, 9), (0, 12, 0))] == [
        *(False, True, True, False)
    ]
