"""Rules on autoscalers: what fires, what is near it and must not, what a fix leaves."""

from __future__ import annotations

import pytest
from tests.lint.manifests import after, deployment, fires, indented

from headrace.lint.known import Known
from headrace.spec import Capacity, ModelFleet

SERVER = deployment(
    args="--model=/models/llama|--max-num-seqs=64", container="resources: {limits: {nvidia.com/gpu: 2}}"
)
RUNNING = "vllm:num_requests_running"
WAITING = "vllm:num_requests_waiting"


def pods(target: str, name: str = RUNNING) -> str:
    goal = f'{{type: AverageValue, averageValue: "{target}"}}'
    return f'- type: Pods\n  pods:\n    metric: {{name: "{name}"}}\n    target: {goal}'


def hpa(
    metrics: str = pods("38"),
    more: str = "",
    low: int = 2,
    high: int = 8,
    name: str = "llama",
    server: str = SERVER,
) -> str:
    return (
        f"{server}---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: {name}}}\nspec:\n"
        "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}\n"
        f"  minReplicas: {low}\n  maxReplicas: {high}\n"
        + ("  metrics:\n" + indented(metrics, 2) if metrics else "")
        + indented(more, 2)
    )


def trigger(
    query: str = f"sum({RUNNING})",
    threshold: str = "38",
    metadata: str = 'ignoreNullValues: "false"',
    more: str = "",
) -> str:
    return (
        f"- type: prometheus\n{indented(more, 2)}  metadata:\n    serverAddress: http://prometheus:9090\n"
        f"    query: '{query}'\n    threshold: \"{threshold}\"\n{indented(metadata, 4)}"
    )


def keda(
    triggers: str | None = None, more: str = "", low: str = "minReplicaCount: 2", server: str = SERVER
) -> str:
    return (
        f"{server}---\napiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: llama}}\nspec:\n"
        f"  scaleTargetRef: {{name: llama}}\n{indented(low, 2)}  maxReplicaCount: 8\n{indented(more, 2)}"
        f"  triggers:\n{indented(triggers or trigger(), 2)}"
    )


def test_replicas_with_two_owners() -> None:
    rule = "scale-replicas-owned"
    counted = SERVER.replace("spec:\n  selector", "spec:\n  replicas: 3\n  selector", 1)
    for text in (hpa(server=counted), keda(server=counted)):
        (one,) = fires(rule, text)
        assert one.resource == "Deployment/llama"
        assert one.mark.line == 6
    assert not fires(rule, counted)
    assert not fires(rule, hpa())
    assert not fires(rule, hpa(server=counted.replace("name: llama\n", "name: other\n", 1)))


@pytest.mark.parametrize(
    ("target", "expected"),
    [("38", 0), ("58", 0), ("59", 1), ("64", 1), ("100", 1), ("38k", 1), ("${T}", 0), ("58500m", 1)],
)
def test_a_target_out_of_reach(target: str, expected: int) -> None:
    assert len(fires("scale-target-unreachable", hpa(pods(target)))) == expected
    assert len(fires("scale-target-unreachable", keda(trigger(threshold=target)))) == expected


def test_a_target_is_not_judged_without_slots() -> None:
    unknown = deployment()
    assert not fires("scale-target-unreachable", hpa(pods("500"), server=unknown))
    fleet = ModelFleet(name="llama", capacity=Capacity(slots=64))
    assert fires("scale-target-unreachable", hpa(pods("60"), server=unknown), Known(fleets={"llama": fleet}))
    assert not fires("scale-target-unreachable", hpa(pods("500", WAITING)))


def test_a_target_above_what_the_cache_holds() -> None:
    fleet = ModelFleet(name="llama", capacity=Capacity(slots=64, kv_tokens=100_000))
    fleets = {"llama": fleet}
    assert not fires("scale-target-unreachable", hpa(pods("38")), Known(fleets=fleets))
    (one,) = fires(
        "scale-target-unreachable", hpa(pods("38")), Known(fleets=fleets, tokens_per_request=2_500.0)
    )
    assert "a replica runs 40 at most" in one.message
    assert not fires(
        "scale-target-unreachable", hpa(pods("36")), Known(fleets=fleets, tokens_per_request=2_500.0)
    )


def test_engines_of_a_replica_count_together() -> None:
    two = SERVER.replace("--max-num-seqs=64", "--max-num-seqs=64\n        - --data-parallel-size=2")
    assert not fires("scale-target-unreachable", hpa(pods("100"), server=two))
    assert fires("scale-target-unreachable", hpa(pods("120"), server=two))


def resource(name: str) -> str:
    return f"- type: Resource\n  resource:\n    name: {name}\n    target: {{type: Utilization, averageUtilization: 80}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (hpa(resource("cpu")), 1),
        (hpa(resource("memory")), 1),
        (hpa(pods("80", "DCGM_FI_DEV_GPU_UTIL")), 1),
        (hpa(pods("38") + "\n" + resource("cpu")), 1),
        (hpa(pods("38")), 0),
        (keda(trigger("avg(DCGM_FI_DEV_GPU_UTIL)")), 1),
        (keda("- type: cpu\n  metricType: Utilization\n  metadata: {value: '80'}"), 1),
        (keda(), 0),
        (hpa(pods("0.8", "vllm:kv_cache_usage_perc")), 0),
        (hpa(resource("cpu"), server=deployment(image="nginx:1.27", args="")), 0),
    ],
)
def test_utilisation(text: str, expected: int) -> None:
    assert len(fires("scale-on-utilisation", text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (hpa(pods("5", WAITING)), 1),
        (hpa(pods("5", "vllm_num_requests_waiting")), 1),
        (keda(trigger(f"sum({WAITING})")), 1),
        (hpa(pods("5", WAITING) + "\n" + pods("38")), 0),
        (keda(trigger(f"sum({RUNNING}) + sum({WAITING})")), 0),
        (hpa(pods("38")), 0),
        (hpa(pods("0.8", "vllm:kv_cache_usage_perc")), 0),
    ],
)
def test_waiting_only(text: str, expected: int) -> None:
    assert len(fires("scale-on-waiting-only", text)) == expected


def external(kind: str, name: str) -> str:
    key = "value" if kind == "Value" else "averageValue"
    return f'- type: External\n  external:\n    metric: {{name: "{name}"}}\n    target: {{type: {kind}, {key}: "10"}}'


def test_value_on_a_queue() -> None:
    rule = "scale-value-on-queue"
    assert fires(rule, hpa(external("Value", WAITING)))
    assert fires(rule, hpa(external("Value", RUNNING)))
    assert fires(rule, keda(trigger(more="metricType: Value")))
    assert not fires(rule, hpa(external("AverageValue", WAITING)))
    assert not fires(rule, hpa(external("Value", "slo_burn_rate")))
    assert not fires(rule, keda())


@pytest.mark.parametrize(
    ("name", "release", "expected"),
    [
        ("vllm:gpu_cache_usage_perc", "v0.19.0", 1),
        ("vllm:gpu_cache_usage_perc", "v0.11.0", 0),
        ("vllm:kv_cache_usage_perc", "v0.9.1", 1),
        ("vllm:kv_cache_usage_perc", "v0.9.2", 0),
        ("vllm:gpu_cache_usage_perc", "latest", 0),
        ("vllm:num_request_running", "latest", 1),
        (RUNNING, "v0.19.0", 0),
        ("vllm:time_per_output_token_seconds_bucket", "v0.16.0", 1),
        ("vllm:time_per_output_token_seconds_bucket", "v0.15.1", 0),
        ("vllm:model:occupancy", "v0.19.0", 0),
    ],
)
def test_metric_names(name: str, release: str, expected: int) -> None:
    server = SERVER.replace("v0.19.0", release)
    assert len(fires("scale-metric-unknown", hpa(pods("38", name), server=server))) == expected
    rules = (
        f"{server}---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: llama}}\n"
        "spec:\n  groups:\n"
        f"  - name: a\n    rules:\n    - {{alert: A, expr: 'sum(rate({name}[5m])) > 1'}}\n"
    )
    assert len(fires("scale-metric-unknown", rules)) == expected


def test_the_name_that_the_release_has_is_said() -> None:
    (one,) = fires("scale-metric-unknown", hpa(pods("0.9", "vllm:gpu_cache_usage_perc")))
    assert one.help == "vllm:kv_cache_usage_perc"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (RUNNING, 1),
        (f'{RUNNING}{{model_name="a"}}', 1),
        (f"rate({RUNNING}[1m])", 1),
        (f"sum by (pod) ({RUNNING})", 1),
        (f"sum({RUNNING})", 0),
        (f"avg({RUNNING})", 0),
        (f"sum({RUNNING}) by (model_name)", 0),
        ("${QUERY}", 0),
    ],
)
def test_queries_are_summed(query: str, expected: int) -> None:
    assert len(fires("scale-query-not-summed", keda(trigger(query)))) == expected


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("", 1),
        ('ignoreNullValues: "true"', 1),
        ('ignoreNullValues: "false"', 0),
        ("ignoreNullValues: ${I}", 0),
    ],
)
def test_no_data_is_not_zero(metadata: str, expected: int) -> None:
    text = keda(trigger(metadata=metadata))
    assert len(fires("scale-keda-nulls-are-zero", text)) == expected
    if expected:
        assert 'ignoreNullValues: "false"\n' in after("scale-keda-nulls-are-zero", text)


def test_a_plain_truth_value_becomes_a_text() -> None:
    # KEDA's metadata are texts: a plain false would be refused.
    now = after("scale-keda-nulls-are-zero", keda(trigger(metadata="ignoreNullValues: true")))
    assert 'ignoreNullValues: "false"\n' in now


SLOW = "scaleDown:\n  stabilizationWindowSeconds: 900\n  policies:\n  - {type: Pods, value: 1, periodSeconds: 120}"


def advanced(behavior: str) -> str:
    return f"advanced:\n  horizontalPodAutoscalerConfig:\n    behavior:\n{indented(behavior, 6)}"


def test_cooldown() -> None:
    rule = "scale-keda-cooldown"
    assert fires(rule, keda(more="cooldownPeriod: 900"))
    assert not fires(rule, keda(more="cooldownPeriod: 900", low="minReplicaCount: 0"))
    assert not fires(rule, keda(more="cooldownPeriod: 900", low=""))
    assert not fires(rule, keda(more="cooldownPeriod: 900\n" + advanced(SLOW)))
    assert not fires(rule, keda())


@pytest.mark.parametrize(
    ("low", "more", "expected"),
    [
        ("minReplicaCount: 0", "", 1),
        ("", "", 1),
        ("minReplicaCount: 0", "initialCooldownPeriod: 239", 1),
        ("minReplicaCount: 0", "initialCooldownPeriod: 240", 0),
        ("minReplicaCount: 1", "", 0),
        ("minReplicaCount: 2", "idleReplicaCount: 0", 1),
        ("minReplicaCount: ${MIN}", "", 0),
    ],
)
def test_the_first_cooldown(low: str, more: str, expected: int) -> None:
    text = keda(low=low, more=more)
    assert len(fires("scale-keda-initial-cooldown", text)) == expected
    if expected:
        assert "  initialCooldownPeriod: 600\n" in after("scale-keda-initial-cooldown", text)


def test_the_fallback() -> None:
    rule = "scale-keda-fallback"
    assert fires(rule, keda(more="fallback: {replicas: 4}"))
    assert fires(rule, keda(more="fallback: {failureThreshold: 3, replicas: 1}"))
    assert not fires(rule, keda(more="fallback: {failureThreshold: 3, replicas: 2}"))
    assert not fires(rule, keda())
    assert "fallback: {failureThreshold: 3, replicas: 4}" in after(rule, keda(more="fallback: {replicas: 4}"))


@pytest.mark.parametrize(
    ("more", "high", "severity"),
    [
        ("", 10, None),
        ("", 11, "info"),
        ("behavior:\n  tolerance: '0.05'", 8, "warning"),
        ("tolerance: '0.05'", 8, "warning"),
        ("behavior:\n  scaleUp: {tolerance: '0.05'}", 40, None),
        ("behavior:\n  scaleDown: {tolerance: '0.05'}", 40, None),
    ],
)
def test_tolerance(more: str, high: int, severity: str | None) -> None:
    found = fires("scale-tolerance", hpa(more=more, high=high))
    assert [each.severity for each in found] == ([severity] if severity else [])


def test_two_autoscalers() -> None:
    rule = "scale-two-autoscalers"
    (one,) = fires(rule, hpa() + hpa(name="too", server=""))
    assert one.resource == "HorizontalPodAutoscaler/too"
    assert fires(rule, hpa() + keda(server=""))
    assert not fires(rule, hpa())
    other = hpa(name="too", server="").replace("name: llama}", "name: other}")
    assert not fires(rule, hpa() + other)


def behavior(down: str, up: str = "") -> str:
    return (
        "behavior:\n"
        + indented(f"scaleUp:\n{indented(up, 2)}" if up else "", 2)
        + "  scaleDown:\n"
        + indented(down, 4)
    )


ONE = "policies:\n- {type: Pods, value: 1, periodSeconds: 120}"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", 1),
        (behavior(ONE), 1),
        (behavior(f"stabilizationWindowSeconds: 599\n{ONE}"), 1),
        (behavior(f"stabilizationWindowSeconds: 600\n{ONE}"), 0),
        (behavior("stabilizationWindowSeconds: 900"), 1),
        (
            behavior(
                "stabilizationWindowSeconds: 900\npolicies:\n- {type: Percent, value: 10, periodSeconds: 60}"
            ),
            1,
        ),
        (
            behavior(
                "stabilizationWindowSeconds: 900\npolicies:\n- {type: Pods, value: 2, periodSeconds: 60}"
            ),
            1,
        ),
        (
            behavior(
                f"stabilizationWindowSeconds: 900\n{ONE}\n- {{type: Percent, value: 50, periodSeconds: 60}}"
            ),
            1,
        ),
        (
            behavior(
                f"stabilizationWindowSeconds: 900\nselectPolicy: Min\n{ONE}\n"
                "- {type: Percent, value: 50, periodSeconds: 60}"
            ),
            0,
        ),
        (behavior(f"stabilizationWindowSeconds: 900\n{ONE}", up="stabilizationWindowSeconds: 900"), 1),
        (behavior("selectPolicy: Disabled"), 0),
        (behavior(f"stabilizationWindowSeconds: ${{W}}\n{ONE}"), 0),
    ],
)
def test_scale_down(more: str, expected: int) -> None:
    assert len(fires("scale-down-too-fast", hpa(more=more))) == expected


def test_scale_down_of_keda() -> None:
    assert fires("scale-down-too-fast", keda())
    assert not fires("scale-down-too-fast", keda(more=advanced(SLOW)))


def test_only_a_written_window_is_mended() -> None:
    text = hpa(more=behavior(f"stabilizationWindowSeconds: 60\n{ONE}"))
    assert after("scale-down-too-fast", text) == text.replace("Seconds: 60\n", "Seconds: 900\n")
    assert not fires("scale-down-too-fast", hpa())[0].changes


def aibrix(annotations: str) -> str:
    return (
        f"{SERVER}---\napiVersion: autoscaling.aibrix.ai/v1alpha1\nkind: PodAutoscaler\nmetadata:\n  name: llama\n"
        f"  annotations:\n{indented(annotations, 4) or '    a: b'}\nspec:\n"
        "  scalingStrategy: APA\n  minReplicas: 1\n  maxReplicas: 8\n"
        "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}\n"
    )


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ("autoscaling.aibrix.ai/scale-down-stabilization-window: 900s", 1),
        ("autoscaling.aibrix.ai/scale-down-cooldown-window: 15m", 1),
        ("autoscaling.aibrix.ai/scale-down-cooldown-window: 60s", 0),
        ("autoscaling.aibrix.ai/scale-up-cooldown-window: 900s", 0),
        (
            "autoscaling.aibrix.ai/scale-down-cooldown-window: 5m\nautoscaling.aibrix.ai/scale-up-cooldown-window: 10m",
            0,
        ),
        ("", 0),
    ],
)
def test_windows_of_aibrix(annotations: str, expected: int) -> None:
    assert len(fires("scale-aibrix-window", aibrix(annotations))) == expected


@pytest.mark.parametrize(("accelerators", "expected"), [(16, 0), (15, 1), (None, 0)])
def test_a_ceiling_out_of_reach(accelerators: int | None, expected: int) -> None:
    assert len(fires("scale-max-unschedulable", hpa(), Known(accelerators=accelerators))) == expected
