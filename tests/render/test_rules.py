"""The alerts: which there are, by whose names they ask, and that each can be told apart."""

from __future__ import annotations

from typing import Any

import pytest
from tests.render.given import fleet, part

ALWAYS = {
    *("HeadraceQueueTime", "HeadraceWaiting", "HeadraceFull", "HeadracePinned", "HeadraceFlapping"),
    *("HeadraceReplicaChanges", "HeadraceStuckRollout", "HeadraceOverdueStart", "HeadraceCutStreams"),
}


def rules(**keys: str) -> dict[str, Any]:
    """The rules by their alert."""
    (group,) = part("rules", fleet(**keys))["spec"]["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def test_which_there_are() -> None:
    assert set(rules()) == ALWAYS
    resets = "alerts: {resets: 'sum(rate(envoy_cluster_upstream_rq_rx_reset[5m]))'}"
    assert set(rules(spec=resets)) == ALWAYS | {"HeadraceGatewayResets"}
    assert set(rules(spec="autoscaler: {kind: none}")) == ALWAYS - {"HeadracePinned"}
    sglang = rules(spec="engine: sglang", image="lmsysorg/sglang:v0.5.3")
    assert set(sglang) == ALWAYS - {"HeadraceCutStreams"}
    assert "sglang:queue_time_seconds_bucket" in sglang["HeadraceQueueTime"]["expr"]


def test_each_says_whose_it_is_and_how_bad() -> None:
    for rule in rules(spec="alerts: {labels: {team: search}}").values():
        assert rule["labels"]["fleet"] == "llama"
        assert rule["labels"]["team"] == "search"
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"].startswith("llama: ")
        assert "spec." not in rule["annotations"]["summary"]


def test_the_users_severity_does_not_win() -> None:
    told = rules(spec="alerts: {labels: {severity: none}}")
    assert told["HeadraceQueueTime"]["labels"]["severity"] == "critical"


@pytest.mark.parametrize(
    "alert", ["HeadraceQueueTime", "HeadraceWaiting", "HeadraceFull", "HeadraceCutStreams"]
)
def test_the_engines_series_are_this_fleets(alert: str) -> None:
    assert 'namespace="serving",model_name="llama"' in rules()[alert]["expr"]
    named = rules(server="name: org/llama-3.3")[alert]["expr"]
    assert 'model_name="org/llama-3.3"' in named
    own = rules(spec="alerts: {series: 'job=\"serving/llama\"'}")[alert]["expr"]
    assert '{job="serving/llama"' in own
    assert "model_name" not in own


def test_slots_are_ready_replicas_times_max_num_seqs() -> None:
    both = rules(capacity="slots: 64, dataParallel: 2, accelerators: 2")["HeadraceFull"]["expr"]
    assert " * 128)" in both
    assert 'kube_endpoint_address{namespace="serving",endpoint="llama",ready="true"}' in both


def test_thresholds_are_those_of_the_file() -> None:
    told = rules(
        scale="min: 2, max: 7",
        spec="alerts: {queueTime: 2.5s, queueFor: 90s, waitingFor: 1h30m, full: 80%, cut: 0.5%, turns: 5, changes: 9}",
    )
    assert told["HeadraceQueueTime"]["expr"].endswith("> 2.5")
    assert told["HeadraceQueueTime"]["for"] == "1m30s"
    assert told["HeadraceWaiting"]["for"] == "1h30m"
    assert told["HeadraceFull"]["expr"].endswith("> 0.8")
    assert told["HeadraceCutStreams"]["expr"].endswith("> 0.005")
    assert told["HeadraceFlapping"]["expr"].count(">= 5") == 2
    assert told["HeadraceReplicaChanges"]["expr"].endswith("> 9")
    assert told["HeadracePinned"]["expr"].endswith(">= 7")


def test_a_prometheus_finds_them_by_their_label() -> None:
    labels = part("rules", fleet(spec="alerts: {ruleLabels: {release: prometheus}}"))["metadata"]["labels"]
    assert labels["release"] == "prometheus"


def test_no_gpu_utilisation_anywhere() -> None:
    text = str(part("rules", fleet())) + str(part("dashboard", fleet())) + str(part("autoscaler", fleet()))
    assert "DCGM" not in text
    assert "gpu_util" not in text.lower()
