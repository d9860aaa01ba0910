"""Draws of what a manifest needs: server, autoscaler, drain, rollout, alerts; whole fleets with these."""

from __future__ import annotations

from hypothesis import strategies as st

from headrace.decide.rules import real_demand
from headrace.spec import (
    Alerts,
    Autoscaler,
    Capacity,
    Draining,
    ModelFleet,
    Phase,
    Rollout,
    Scale,
    Server,
    Start,
    Texts,
)

names = st.from_regex(r"[a-z]([-a-z0-9]{0,30}[a-z0-9])?", fullmatch=True)
lines = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=20)
label_values = st.sampled_from(["", "search", "no", "010", "1e3", "a.b_c-d", "2024-01-01"])


def pairs(keys: list[str], values: st.SearchStrategy[str]) -> st.SearchStrategy[Texts]:
    """Some of the keys, each with a value."""
    return st.dictionaries(st.sampled_from(keys), values, max_size=len(keys)).map(lambda d: tuple(d.items()))


releases = st.sampled_from([(0, 9, 1), (0, 12, 0), (0, 17, 1), (0, 18, 0), (0, 32, 0)])
images = {
    "vllm": st.sampled_from(
        [
            *("vllm/vllm-openai:v0.9.1", "vllm/vllm-openai:v0.18.0", "vllm/vllm-openai:v0.32.0"),
            *("registry.example:5000/team/vllm-openai:2024-05", f"vllm/vllm-openai@sha256:{'0' * 64}"),
        ]
    ),
    "sglang": st.sampled_from(["lmsysorg/sglang:v0.5.3", "registry.example/sglang:v0.4.9.post1-cu126"]),
}
models = st.sampled_from(
    [
        "meta-llama/Llama-3.3-70B-Instruct",
        "/models/llama 70b",
        "s3://bucket/llama",
        "gs://bucket/a",
        "./llama:8b",
    ]
)
flags = st.sampled_from(
    ["--enable-prefix-caching", "--max-model-len", "32768", "--seed=1", "no", "a: b", "it's #1"]
)


@st.composite
def servers(draw: st.DrawFn, engine: str, accelerators: int, data_parallel: int) -> Server:
    """A server whose sizes fit the replica's accelerators."""
    stages = draw(st.sampled_from([n for n in (1, 2) if accelerators % (data_parallel * n) == 0]))
    ways = accelerators // (data_parallel * stages)
    claim = draw(st.none() | names)
    image = draw(images[engine])
    return Server(
        image=image,
        model=draw(models),
        cache_claim=claim or "",
        cache_path="" if claim else "/var/cache/headrace",
        release=draw(st.none() | releases) if "2024-05" in image or "sha256" in image else None,
        served_name=draw(st.sampled_from(["", "llama", "org/llama-3.3:70b"])),
        namespace=draw(st.just("") | names),
        container=draw(st.sampled_from(["server", "vllm"])),
        port=draw(st.none() | st.integers(1, 65_535)),
        api_servers=draw(st.sampled_from([1, 1, 2, 16])),
        tensor_parallel=draw(st.sampled_from([None, ways])),
        pipeline_parallel=stages,
        args=tuple(draw(st.lists(flags, max_size=3))),
        loader=draw(st.sampled_from(["", "", "runai_streamer", "dummy"])),
        accelerator=draw(st.sampled_from(["nvidia.com/gpu", "amd.com/gpu"])),
        cpu=draw(st.none() | st.sampled_from([0.5, 8.0, 12.75])),
        memory_bytes=draw(st.none() | st.sampled_from([2.0**36, 1e11, 2.0**30 + 1])),
        shared_memory_bytes=draw(st.none() | st.sampled_from([2.0**30, 16.0 * 2**30])),
        environment=draw(pairs(["VLLM_LOGGING_LEVEL", "A_B"], lines)),
        secrets=tuple(draw(st.lists(names, max_size=2, unique=True))),
        labels=draw(pairs(["team", "app.kubernetes.io/part-of"], label_values)),
        node_selector=draw(pairs(["gpu", "cloud.example/class"], label_values)),
        tolerations=tuple(
            draw(st.lists(st.sampled_from(["nvidia.com/gpu", "spot"]), max_size=2, unique=True))
        ),
        service_account=draw(st.just("") | names),
    )


autoscalers = st.builds(
    Autoscaler,
    kind=st.sampled_from(["hpa", "keda", "aibrix", "none"]),
    target_ratio=st.none() | st.floats(0.05, 0.9),
    metric=st.sampled_from(["", "vllm_num_requests_running"]),
    prometheus=st.just("http://prometheus.monitoring:9090"),
)
drainings = st.builds(
    Draining,
    mode=st.sampled_from(["auto", "auto", "idle"]),
    node_wait_s=st.sampled_from([0.0, 600.0, 1200.5]),
)
rollouts = st.builds(
    Rollout,
    strategy=st.sampled_from(["auto", "surge", "replace"]),
    spare_accelerators=st.none() | st.integers(0, 20),
    deadline_s=st.none() | st.just(86_400.0),
)
alerts = st.builds(
    Alerts,
    queue_time_s=st.floats(0.3, 3600),
    queue_for_s=st.sampled_from([0.0, 0.5, 300.0]),
    waiting_for_s=st.sampled_from([60.0, 61.25, 86_400.0]),
    pinned_for_s=st.sampled_from([0.0, 900.0]),
    full_ratio=st.floats(0.05, 1),
    full_for_s=st.sampled_from([0.0, 900.0]),
    turns=st.integers(1, 1000),
    changes=st.integers(1, 10_000),
    cut_ratio=st.floats(0, 1),
    labels=pairs(["team", "page"], lines.filter(bool)),
    rule_labels=pairs(["release"], label_values),
    series=st.sampled_from(["", 'job="serving/llama"', 'a=~"x|y",b!="z"']),
    resets=st.sampled_from(["", "sum(rate(envoy_cluster_upstream_rq_rx_reset[5m]))"]),
)


@st.composite
def starts(draw: st.DrawFn) -> Start:
    """One figure, or phases of which one at least is inside the container."""
    median_s = draw(st.sampled_from([0.1, 3.0, 20.0, 180.0, 720.0, 5400.5]) | st.floats(0.1, 10_000))
    if draw(st.booleans()):
        return Start(phases=(Phase("start-up", median_s, median_s * (4 / 3)),))
    node = Phase("node", draw(st.floats(0, 600)), 900.0)
    weights = Phase("weights", median_s, median_s * draw(st.floats(1.0, 3.0)))
    return Start(phases=(node, weights))


@st.composite
def served_fleets(draw: st.DrawFn) -> ModelFleet:
    """A fleet of which every object can be rendered."""
    engine = draw(st.sampled_from(["vllm", "vllm", "sglang"]))
    start = draw(starts())
    data_parallel = draw(st.sampled_from([1, 1, 2]))
    accelerators = data_parallel * draw(st.sampled_from([1, 2, 4, 8]))
    low = draw(st.sampled_from([1, 2, 7]))
    interval_s = draw(st.sampled_from([0.0, 30.0, 300.0, 7200.0]))
    return ModelFleet(
        name=draw(names),
        engine=engine,
        capacity=Capacity(
            slots=draw(st.sampled_from([1, 3, 8, 64, 256, 1024]) | st.integers(1, 65_536)),
            data_parallel=data_parallel,
            accelerators=accelerators,
        ),
        scale=Scale(
            min_replicas=low,
            max_replicas=low + draw(st.sampled_from([0, 1, 2, 9, 40, 9000])),
            target_ratio=draw(st.sampled_from([1.0, 0.99, 0.85, 0.05])),
            drain_s=draw(st.sampled_from([1.0, 30.0, 90.5, 300.0, 900.0, 21_600.0])),
            rule=real_demand(sum(phase.median_s for phase in start.phases))._replace(
                down_window_s=draw(st.sampled_from([0.0, 300.0, 900.0, 21_600.0])),
                down_interval_s=interval_s,
                down_step=1.0 if interval_s else float("inf"),
            ),
        ),
        start=start,
        server=draw(servers(engine, accelerators, data_parallel)),
        autoscaler=draw(autoscalers),
        drain=draw(drainings),
        rollout=draw(rollouts),
        alerts=draw(alerts),
    )
