"""Rules on probes: what fires, what is near it and must not, what a fix leaves."""

from __future__ import annotations

import pytest
from tests.lint.manifests import added, after, deployment, fires

from headrace.lint.known import Known

GET = "httpGet: {path: /health, port: 8000}"


def probes(**written: str) -> str:
    """Probes by kind, with further keys: ``liveness="failureThreshold: 9"``."""
    return "\n".join(
        f"{kind}Probe:\n  {GET}" + (f"\n  {more}" if more else "") for kind, more in written.items()
    )


@pytest.mark.parametrize(
    ("container", "no_startup", "kills"),
    [
        ("", 1, 0),
        (probes(readiness=""), 1, 0),
        (probes(startup="failureThreshold: 90"), 0, 0),
        (probes(liveness=""), 0, 1),
        (probes(liveness="initialDelaySeconds: 569"), 0, 1),
        (probes(liveness="initialDelaySeconds: 570"), 1, 0),
        (probes(liveness="failureThreshold: 60"), 1, 0),
        (probes(liveness="initialDelaySeconds: ${D}"), 1, 0),
        (probes(liveness="", startup=""), 0, 0),
    ],
)
def test_one_of_two_rules_speaks_where_there_is_no_startup_probe(
    container: str, no_startup: int, kills: int
) -> None:
    text = deployment(container=container)
    assert len(fires("probe-no-startup", text)) == no_startup
    assert len(fires("probe-liveness-kills-loading", text)) == kills


def test_a_measured_start_up_moves_the_budget() -> None:
    text = deployment(container=probes(liveness="initialDelaySeconds: 120"))
    assert not fires("probe-liveness-kills-loading", text, Known(start_s=60.0))
    assert fires("probe-liveness-kills-loading", text, Known(start_s=61.0))
    budget = deployment(container=probes(startup="failureThreshold: 60"))
    assert not fires("probe-startup-budget", budget, Known(start_s=240.0))
    assert fires("probe-startup-budget", budget, Known(start_s=241.0))


def test_a_startup_probe_is_made_from_what_the_others_ask() -> None:
    text = deployment(container=probes(readiness="", liveness="initialDelaySeconds: 60"))
    now = after("probe-liveness-kills-loading", text)
    new = [
        "startupProbe:",
        "httpGet:",
        "path: /health",
        "port: 8000",
        "periodSeconds: 10",
        "failureThreshold: 60",
    ]
    assert added(text, now) == new
    assert not fires("probe-liveness-kills-loading", deployment())
    assert not fires("probe-no-startup", deployment())[0].changes, "nobody says where to ask"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", 1),
        ("failureThreshold: 59", 1),
        ("failureThreshold: 60", 0),
        ("failureThreshold: 30\n  periodSeconds: 20", 0),
        ("failureThreshold: 30\n  initialDelaySeconds: 300", 0),
        ("failureThreshold: ${F}", 0),
    ],
)
def test_the_budget_of_a_startup_probe(more: str, expected: int) -> None:
    assert len(fires("probe-startup-budget", deployment(container=probes(startup=more)))) == expected


def test_the_threshold_is_raised_or_added() -> None:
    text = deployment(container=probes(startup="failureThreshold: 30  # five minutes\n  periodSeconds: 5"))
    assert after("probe-startup-budget", text) == text.replace("30  #", "120  #")
    bare = deployment(container=probes(startup=""))
    assert added(bare, after("probe-startup-budget", bare)) == ["failureThreshold: 60"]


def test_readiness() -> None:
    rule = "probe-no-readiness"
    assert fires(rule, deployment(container=probes(startup="")))
    assert not fires(rule, deployment(container=probes(readiness="")))
    assert fires(rule, deployment(container="readinessProbe:"))
    text = deployment(container=probes(startup="failureThreshold: 90"))
    assert added(text, after(rule, text)) == ["readinessProbe:", "httpGet:", "path: /health", "port: 8000"]


@pytest.mark.parametrize(
    ("readiness", "liveness", "expected"),
    [
        ("", "", 1),
        ("failureThreshold: 6", "failureThreshold: 3", 1),
        ("periodSeconds: 5", "periodSeconds: 5", 1),
        ("", "failureThreshold: 4", 0),
        ("periodSeconds: 5", "periodSeconds: 10", 0),
        ("", "failureThreshold: ${F}", 0),
    ],
)
def test_the_patience_of_liveness(readiness: str, liveness: str, expected: int) -> None:
    text = deployment(
        container=probes(startup="failureThreshold: 90", readiness=readiness, liveness=liveness)
    )
    assert len(fires("probe-same-thresholds", text)) == expected


def test_other_checks_are_not_compared() -> None:
    text = deployment(container=probes(readiness="") + "\nlivenessProbe:\n  tcpSocket: {port: 8000}")
    assert not fires("probe-same-thresholds", text)
    path = deployment(
        container=probes(readiness="") + "\nlivenessProbe:\n  httpGet: {path: /live, port: 8000}"
    )
    assert not fires("probe-same-thresholds", path)


def test_liveness_is_made_four_times_as_patient() -> None:
    text = deployment(
        container=probes(startup="failureThreshold: 90", readiness="", liveness="failureThreshold: 3")
    )
    assert "failureThreshold: 12\n" in after("probe-same-thresholds", text)


def test_managed_pods_are_not_told_what_is_missing() -> None:
    text = (
        "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: llama}\nspec:\n  containers:\n"
        "  - name: kserve-container\n    image: vllm/vllm-openai:v0.19.0\n"
    )
    for rule in ("probe-no-readiness", "probe-no-startup", "drain-no-prestop", "drain-grace-too-short"):
        assert not fires(rule, text), rule
