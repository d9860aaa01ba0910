"""Rules on how Deployments are rolled: what fires, what is near it and must not, what a fix leaves."""

from __future__ import annotations

import pytest
from tests.lint.manifests import after, deployment, fires

from headrace.lint.known import Known

HEALTH = "httpGet: {path: /health, port: 8000}"


def rolling(surge: str | None, unavailable: str | None, replicas: str = "replicas: 1") -> str:
    keys = [f"maxSurge: {surge}"] * (surge is not None) + [f"maxUnavailable: {unavailable}"] * (
        unavailable is not None
    )
    inner = "".join(f"\n    {key}" for key in keys)
    return f"{replicas}\nstrategy:\n  type: RollingUpdate\n  rollingUpdate:{inner or ' {}'}"


@pytest.mark.parametrize(
    ("surge", "unavailable"),
    [
        ("1", "1"),
        ("0", "1"),
        ("0", "25%"),
        ("0%", "0%"),
        ("1", "100%"),
        ("0", None),
        ("25%", "2"),
        ('"0"', '"1"'),
    ],
)
def test_the_only_replica_may_go(surge: str, unavailable: str | None) -> None:
    (one,) = fires("strategy-single-unavailable", deployment(rolling(surge, unavailable)))
    assert one.severity == "error"
    assert one.resource == "Deployment/llama"


@pytest.mark.parametrize(
    ("surge", "unavailable", "replicas"),
    [
        ("1", "0", "replicas: 1"),
        (None, None, "replicas: 1"),
        ("1", "99%", "replicas: 1"),
        ("25%", "25%", ""),
        ("0", "1", "replicas: 2"),
        ("1", "1", "replicas: 0"),
        ("1", "1", "replicas: ${N}"),
        ("${S}", "1", "replicas: 1"),
    ],
)
def test_the_only_replica_stays(surge: str | None, unavailable: str | None, replicas: str) -> None:
    assert not fires("strategy-single-unavailable", deployment(rolling(surge, unavailable, replicas)))


def test_an_autoscalers_minimum_counts_as_replicas() -> None:
    hpa = (
        "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: llama}\nspec:\n"
        "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}\n  minReplicas: %d\n  maxReplicas: 8\n"
    )
    spec = rolling("0", "1", "")
    assert fires("strategy-single-unavailable", deployment(spec) + hpa % 1)
    assert not fires("strategy-single-unavailable", deployment(spec) + hpa % 2)


def test_a_fix_sets_both_limits_and_keeps_the_rest() -> None:
    text = deployment(
        "replicas: 1\nstrategy:\n  rollingUpdate:\n    maxSurge: 0  # no card to spare\n    maxUnavailable: 1"
    )
    now = after("strategy-single-unavailable", text)
    assert now == text.replace("maxSurge: 0 ", "maxSurge: 1 ").replace(
        "maxUnavailable: 1", "maxUnavailable: 0"
    )


def test_recreate() -> None:
    assert fires("strategy-recreate", deployment("strategy: {type: Recreate}"))
    assert fires("strategy-recreate", deployment("strategy:\n  type: Recreate\nreplicas: 4"))
    assert not fires("strategy-recreate", deployment("strategy: {type: RollingUpdate}"))
    assert not fires(
        "strategy-recreate", deployment(image="nginx:1.27", args="", spec="strategy: {type: Recreate}")
    )
    assert not fires(
        "strategy-recreate", deployment("strategy: {type: Recreate}").replace("Deployment", "StatefulSet")
    )


@pytest.mark.parametrize(("accelerators", "expected"), [(16, 0), (15, 1), (8, 1), (7, 0), (None, 0)])
def test_a_surge_needs_cards(accelerators: int | None, expected: int) -> None:
    # 8 cards run; a surge pod takes 2 of its own for each of four more pods at 25 %.
    text = deployment(
        "replicas: 4\nstrategy:\n  rollingUpdate: {maxSurge: 4, maxUnavailable: 0}",
        container="resources: {limits: {nvidia.com/gpu: 2}}",
    )
    assert len(fires("strategy-surge-without-cards", text, Known(accelerators=accelerators))) == expected


def test_a_progress_deadline_is_missed_unless_the_default_does() -> None:
    short = f"startupProbe:\n  {HEALTH}\n  failureThreshold: 60"
    long = f"startupProbe:\n  {HEALTH}\n  failureThreshold: 61"
    rule = "strategy-progress-deadline"
    assert fires(rule, deployment())
    assert fires(rule, deployment(container=long))
    assert not fires(rule, deployment(container=short))
    assert not fires(rule, deployment("progressDeadlineSeconds: 60"))
    assert "  progressDeadlineSeconds: 900\n" in after(rule, deployment())
    assert "  progressDeadlineSeconds: 910\n" in after(rule, deployment(container=long))


@pytest.mark.parametrize(
    ("deadline", "failures", "expected"), [("900", 90, 0), ("899", 90, 1), ("900", 91, 1), ("${D}", 91, 0)]
)
def test_a_deadline_below_start_up(deadline: str, failures: int, expected: int) -> None:
    probe = f"startupProbe:\n  {HEALTH}\n  failureThreshold: {failures}"
    text = deployment(f"progressDeadlineSeconds: {deadline}", container=probe)
    assert len(fires("strategy-deadline-below-startup", text)) == expected


def test_a_measured_start_up_counts_without_a_probe() -> None:
    text = deployment("progressDeadlineSeconds: 900")
    assert not fires("strategy-deadline-below-startup", text)
    assert fires("strategy-deadline-below-startup", text, Known(start_s=361.0))
    assert not fires("strategy-deadline-below-startup", text, Known(start_s=360.0))
