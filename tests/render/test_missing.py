"""What a file lacks for a rendering is told by its key; what is not asked for is not missed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.render.given import fleet

from headrace.render import Asked, missing
from headrace.spec import Rollout, Server, Start

ALL = Asked()


def told(of: object) -> str:
    lack = missing(of, ALL)  # type: ignore[arg-type]
    assert lack is not None
    return f"{'.'.join(map(str, lack.path))}: {lack.problem}"


def test_a_plan_has_no_server() -> None:
    assert told(replace(fleet(), server=None)) == (
        "spec.server: is missing; write what runs in a replica, at least image, model and cache (docs/config.md)"
    )


def test_a_pod_needs_a_cache_and_alerts_do_not() -> None:
    bare = replace(fleet(), server=Server(image="vllm/vllm-openai:v0.18.0", model="llama"))
    assert told(bare).startswith("spec.server.cache: is missing; write claim")
    assert missing(bare, Asked(only=("rules", "dashboard"))) is None


@pytest.mark.parametrize(
    ("image", "server", "why"),
    [
        ("vllm/vllm-openai:v0.17.1", "", "vLLM has it since 0.18.0"),
        (
            "team/vllm:2026-10",
            "",
            "the release of vLLM is not known, and one before 0.18.0 ends at an unknown flag",
        ),
        (
            "vllm/vllm-openai:v0.18.0",
            "apiServers: 2",
            "with 2 API servers it is broken: streams freeze at SIGTERM",
        ),
    ],
)
def test_native_where_it_is_not_possible(image: str, server: str, why: str) -> None:
    of = fleet(image=image, server=server, spec="drain: {mode: native}")
    assert told(of) == f"spec.drain.mode: native is not possible: {why}; write idle or auto"
    assert missing(fleet(image=image, server=server), ALL) is None


def test_keda_needs_a_prometheus() -> None:
    assert told(fleet(spec="autoscaler: {kind: keda}")).startswith("spec.autoscaler.prometheus: is missing")


def test_a_probe_needs_a_phase_inside_the_container() -> None:
    outside = fleet(start="[{name: node, median: 2m}, {name: image, median: 1m}]")
    assert told(outside).startswith("spec.start: holds no phase inside the container")
    assert isinstance(outside.start, Start)


def test_a_deadline_below_a_start() -> None:
    of = replace(fleet(start="30m"), rollout=Rollout(deadline_s=600.0))
    assert told(of) == (
        "spec.rollout.deadline: 10m is below the 1h20m that a start may take (spec.start), so that good rollouts "
        "would be reported as stuck"
    )
