"""The three autoscalers: up at once, down slowly, each with its own traps stepped around."""

from __future__ import annotations

import math

from tests.render.given import fleet, part, rendered

from headrace.render import Asked

KEDA = "autoscaler: {kind: keda, prometheus: 'http://prometheus:9090'}"
AIBRIX = "autoscaler: {kind: aibrix}"


def test_an_hpa_looks_at_running_requests_per_pod() -> None:
    spec = part("autoscaler", fleet())["spec"]
    (metric,) = spec["metrics"]
    assert metric["pods"]["metric"]["name"] == "vllm:num_requests_running"
    assert metric["pods"]["target"] == {"type": "AverageValue", "averageValue": "153"}
    assert spec["behavior"]["scaleUp"]["stabilizationWindowSeconds"] == 0
    assert spec["behavior"]["scaleDown"]["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 120}]
    named = part("autoscaler", fleet(spec="autoscaler: {metric: vllm_running}"))["spec"]
    assert named["metrics"][0]["pods"]["metric"]["name"] == "vllm_running"


def test_keda_asks_for_one_sum_and_holds_without_data() -> None:
    spec = part("autoscaler", fleet(spec=KEDA))["spec"]
    (trigger,) = spec["triggers"]
    matchers = '{namespace="serving",model_name="llama"}'
    assert trigger["metricType"] == "AverageValue"
    assert trigger["metadata"]["query"] == (
        f"sum(vllm:num_requests_running{matchers}) + sum(vllm:num_requests_waiting{matchers})"
    )
    assert trigger["metadata"]["ignoreNullValues"] == "false"
    assert spec["fallback"] == {"failureThreshold": 3, "behavior": "currentReplicasIfHigher", "replicas": 2}
    assert "cooldownPeriod" not in spec
    hpa = part("autoscaler", fleet())["spec"]
    assert spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"] == hpa["behavior"]


def aibrix_down(current: int, load: float, target: float, annotations: dict[str, str]) -> int:
    """What AIBrix's APA makes of a mean over all pods, loading ones at 0, without a window (source of August 2026)."""
    of = {
        key.rpartition("/")[2]: float(value) for key, value in annotations.items() if not value.endswith("s")
    }
    ratio = load / current / target
    if ratio > 1 + of["scale-up-tolerance"]:
        return min(math.ceil(current * ratio), math.ceil(current * of["max-scale-up-rate"]))
    if ratio < 1 - of["scale-down-tolerance"]:
        return max(math.ceil(current * ratio), math.floor(current / of["max-scale-down-rate"]))
    return current


def test_aibrix_never_removes_what_it_has_just_started() -> None:
    made = part("autoscaler", fleet(spec=AIBRIX))
    annotations = made["metadata"]["annotations"]
    target = float(made["spec"]["metricsSources"][0]["targetValue"])
    for ready in range(1, 60):
        for each in (target * 1.101, 200.0, 256.0):  # running requests of a ready pod, up to its slots
            load = ready * each
            after = aibrix_down(ready, load, target, annotations)
            assert after > ready
            assert aibrix_down(after, load, target, annotations) >= after  # the new pods load, and read as 0


def test_aibrix_goes_down_by_one_and_has_no_window() -> None:
    made = part("autoscaler", fleet(spec=AIBRIX))
    annotations = made["metadata"]["annotations"]
    for current in (2, 3, 10, 1000, 9999):
        assert aibrix_down(current, 0.0, 153.0, annotations) == current - 1
    assert annotations["autoscaling.aibrix.ai/scale-down-cooldown-window"] == "0s"
    assert annotations["autoscaling.aibrix.ai/scale-up-cooldown-window"] == "0s"
    assert made["spec"]["scalingStrategy"] == "APA"


def test_nobody_owns_a_count_that_does_not_move() -> None:
    for keys in (
        {"scale": "min: 3, max: 3"},
        {"spec": "autoscaler: {kind: none}", "scale": "min: 3, max: 9"},
    ):
        of = fleet(**keys)
        assert "autoscaler" not in rendered(of)
        assert "gitops" not in rendered(of)
        assert part("deployment", of)["spec"]["replicas"] == 3


def test_a_cluster_without_tolerances_gets_none() -> None:
    of = fleet(scale="min: 2, max: 40")
    for release, written in (((1, 34), False), ((1, 35), True), ((1, 37), True)):
        behavior = part("autoscaler", of, Asked(release))["spec"]["behavior"]
        assert ("tolerance" in behavior["scaleUp"]) == ("tolerance" in behavior["scaleDown"]) == written
