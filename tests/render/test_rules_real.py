"""promtool takes every PrometheusRule; each alert fires in the timelines it is for, and in none that look like them.

A timeline is what a Prometheus would have scraped: vLLM's series of each pod, and kube-state-metrics about the
Deployment `llama`. It begins as a fleet in health; each case changes some of it. promtool runs the rules over it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import given, settings
from tests.render.test_valid import Document, specs, taken, thorough

from headrace.config import fleets
from headrace.render import Asked, objects, plain

FLEET = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata: {name: llama}
spec:
  capacity: {slots: 100}
  scale: {min: 2, max: 6}
  start: 3m
  server:
    image: vllm/vllm-openai:v0.18.0
    model: meta-llama/Llama-3.1-8B
    namespace: prod
    cache: {claim: cache}
  alerts: {resets: 'sum(rate(envoy_reset_total[5m]))', labels: {team: search}}
"""
ALERTS = {
    "HeadraceQueueTime",
    "HeadraceWaiting",
    "HeadraceFull",
    "HeadracePinned",
    "HeadraceFlapping",
    "HeadraceReplicaChanges",
    "HeadraceStuckRollout",
    "HeadraceOverdueStart",
    "HeadraceCutStreams",
    "HeadraceGatewayResets",
}
RULES = Asked(only=("rules",))
STEP_S = 15
LASTS = 4 * 3600 // STEP_S
"""Scrapes of a timeline."""
PODS = ("llama-5d4f-aaaaa", "llama-5d4f-bbbbb", "llama-5d4f-ccccc")
DEPLOYMENT = 'namespace="prod",deployment="llama"'
Timeline = dict[str, str]
"""Values of each series in promtool's notation, the first at 0."""


def rule_file(text: str) -> str:
    """The rules of a fleet as Prometheus reads them from a file."""
    (fleet,) = fleets(text, "fleet.yaml")
    (made,) = objects(fleet, RULES)
    return yaml.safe_dump(plain(made.tree)["spec"], sort_keys=False)


def promtool(programs: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([programs / "promtool", *arguments], capture_output=True, text=True, timeout=120)


def level(value: float) -> str:
    """The same all the time."""
    return f"{value:g}x{LASTS}"


ABSENT = f"_x{LASTS}"
"""No sample at all."""


def rise(per_minute: float) -> str:
    """A counter."""
    return f"0+{per_minute * STEP_S / 60:g}x{LASTS}"


def steps(*parts: tuple[float, float | str]) -> str:
    """A gauge that changes: minutes and value of each part, the last one to the end; ``_`` is no sample."""
    written, left = [], LASTS
    for minutes, value in parts:
        count = min(left, round(minutes * 60 / STEP_S))
        left -= count
        # promtool's `x` counts what follows a number, but each `_`.
        written.append(f"_x{count}" if value == "_" else f"{value}x{count - 1}")
    return " ".join([*written, f"{parts[-1][1]}x{left}"])


def of_pod(pod: str, more: str = "") -> str:
    return f'{{namespace="prod",model_name="llama",engine="0",pod="{pod}"{more}}}'


def queue(pod: str, per_minute: Mapping[str, float]) -> Timeline:
    """Buckets of queue time: requests that ended per minute, by the upper bound that they stayed under."""
    total, made = 0.0, {}
    for bound in ("0.3", "1.0", "5.0", "10.0", "30.0", "+Inf"):
        total += per_minute.get(bound, 0.0)
        made[f"vllm:request_queue_time_seconds_bucket{of_pod(pod, f',le={chr(34)}{bound}{chr(34)}')}"] = rise(
            total
        )
    return made


def finished(pod: str, **per_minute: float) -> Timeline:
    return {
        f"vllm:request_success_total{of_pod(pod, f',finished_reason={chr(34)}{reason}{chr(34)}')}": rise(rate)
        for reason, rate in ({"stop": 55.0, "length": 5.0, "abort": 0.0, "error": 0.0} | per_minute).items()
    }


def pod_state(pod: str, *, made_min: float = -600.0, ready: str | None = None, **more: str) -> Timeline:
    """kube-state-metrics about a pod.

    Args:
        pod: Its name.
        made_min: When it was made, in minutes of the timeline.
        ready: Whether it is ready; None: always. An empty text: it has no such condition, as before it is scheduled.
        more: Further series of the pod, by name.
    """
    labels = f'namespace="prod",pod="{pod}"'
    timeline = {f"kube_pod_created{{{labels}}}": steps((max(made_min, 0), "_"), (1, made_min * 60))}
    if made_min <= 0:
        timeline = {f"kube_pod_created{{{labels}}}": level(made_min * 60)}
    if ready != "":
        timeline[f'kube_pod_status_ready{{{labels},condition="true"}}'] = ready or level(1)
    return timeline | {f"{name}{{{labels}}}": values for name, values in more.items()}


def healthy() -> Timeline:
    """Three replicas of two to six, half busy, nobody waits, one request of 6,000 is aborted."""
    timeline: Timeline = {
        f"kube_deployment_spec_replicas{{{DEPLOYMENT}}}": level(3),
        f"kube_deployment_status_replicas_ready{{{DEPLOYMENT}}}": level(3),
        progressing("true"): level(1),
        progressing("false"): level(0),
        "envoy_reset_total": level(0),
    }
    for pod in PODS:
        timeline |= {
            f"vllm:num_requests_running{of_pod(pod)}": level(50),
            f"vllm:num_requests_waiting{of_pod(pod)}": level(0),
        }
        timeline |= queue(pod, {"0.3": 60}) | finished(pod, abort=0.01) | pod_state(pod)
    return timeline


def progressing(status: str) -> str:
    reason = 'reason="ProgressDeadlineExceeded"' if status == "false" else 'reason="NewReplicaSetAvailable"'
    return (
        f'kube_deployment_status_condition{{{DEPLOYMENT},condition="Progressing",status="{status}",{reason}}}'
    )


def all_pods(metric: str, values: str) -> Timeline:
    return {f"{metric}{of_pod(pod)}": values for pod in PODS}


def wanted(values: str) -> Timeline:
    return {f"kube_deployment_spec_replicas{{{DEPLOYMENT}}}": values}


class Case(NamedTuple):
    """A timeline, and what fires at which minutes; at every minute asked about, nothing else does."""

    name: str
    change: Timeline
    fires: dict[float, set[str]]
    """By minute: names of the alerts, without "Headrace"."""


SLOW = {pod: queue(pod, {"0.3": 50, "10.0": 10}) for pod in PODS}
NEW = "llama-5d4f-zzzzz"
LATER = 30.0
"""Minutes after which what was always so has long been told."""
QUIET: dict[float, set[str]] = {LATER: set(), 90: set(), 200: set()}


def merged(*timelines: Timeline) -> Timeline:
    return {name: values for each in timelines for name, values in each.items()}


def often(count: int, low: int, high: int, minutes: float) -> str:
    """A replica count that goes up and down again, from minute 60 on."""
    return steps((60, low), *[(minutes, value) for _ in range(count) for value in (high, low)])


CASES = [
    Case("health", {}, QUIET),
    Case(
        "no traffic at all",
        merged(*(finished(pod, stop=0, length=0) | queue(pod, {}) for pod in PODS)),
        QUIET,
    ),
    # Queue time: 95 of 100 within the limit, or not
    Case(
        "one request of six waits 5 to 10 s",
        merged(*SLOW.values()),
        {5: set(), LATER: {"QueueTime"}, 200: {"QueueTime"}},
    ),
    Case(
        "one request of thirty does",
        merged(*(queue(pod, {"0.3": 58, "10.0": 2}) for pod in PODS)),
        QUIET,
    ),
    Case(
        "one request of six waits 1 to 5 s",
        merged(*(queue(pod, {"0.3": 50, "5.0": 10}) for pod in PODS)),
        QUIET,
    ),
    # A queue that never empties
    Case(
        "somebody waits on one pod all the time",
        {f"vllm:num_requests_waiting{of_pod(PODS[0])}": steps((60, 0), (1, 3))},
        {LATER: set(), 65: set(), 69: set(), 72: {"Waiting"}, 200: {"Waiting"}},
    ),
    Case(
        "a queue that empties every nine minutes",
        {f"vllm:num_requests_waiting{of_pod(PODS[0])}": steps(*[(8, 30), (1, 0)] * 20)},
        {59: set(), 62: set(), 65: set(), 68: set(), 120: set()},
    ),
    Case(
        "the queues of two pods take turns",
        {
            f"vllm:num_requests_waiting{of_pod(PODS[0])}": steps(*[(5, 3), (5, 0)] * 20),
            f"vllm:num_requests_waiting{of_pod(PODS[1])}": steps(*[(5, 0), (5, 3)] * 20),
        },
        {LATER: {"Waiting"}, 120: {"Waiting"}},
    ),
    Case(
        "a fleet seen for two minutes, with a queue",
        all_pods("vllm:num_requests_waiting", steps((60, "_"), (1, 5))),
        {LATER: set(), 61: set(), 62: set(), 68: set(), 75: {"Waiting"}},
    ),
    # Full: of the slots that are ready
    Case(
        "96 of 100 run on each",
        all_pods("vllm:num_requests_running", level(96)),
        {14: set(), LATER: {"Full"}},
    ),
    Case("94 of 100 run on each", all_pods("vllm:num_requests_running", level(94)), QUIET),
    Case(
        "the same requests when one of three is not ready",
        merged(
            all_pods("vllm:num_requests_running", level(70)),
            {f"kube_deployment_status_replicas_ready{{{DEPLOYMENT}}}": steps((60, 3), (1, 2))},
        ),
        {LATER: set(), 70: set(), 80: {"Full"}},
    ),
    Case(
        "the same by endpoints, the Deployment not counted right",
        merged(
            all_pods("vllm:num_requests_running", level(70)),
            {
                f'kube_endpoint_address{{namespace="prod",endpoint="llama",ip="10.0.0.{number}",ready="true"}}': level(
                    1
                )
                for number in (1, 2)
            },
        ),
        {LATER: {"Full"}},
    ),
    # At the ceiling
    Case(
        "six replicas, the most",
        wanted(steps((60, 3), (1, 6))),
        {LATER: set(), 70: set(), 76: {"Pinned"}, 200: {"Pinned"}},
    ),
    Case("five of at most six", wanted(level(5)), QUIET),
    Case(
        "six, but for ten minutes only",
        wanted(steps((60, 3), (10, 6), (1, 5))),
        {69: set(), 72: set(), 80: set()},
    ),
    # Flapping, and too many changes
    Case(
        "up and down three times within an hour",
        wanted(often(3, 3, 4, 5)),
        {LATER: set(), 80: set(), 95: {"Flapping"}, 160: set()},
    ),
    Case("up and down twice", wanted(often(2, 3, 4, 5)), {70: set(), 85: set(), 110: set()}),
    Case(
        "five times up, and down at once",
        wanted(steps((60, 2), (5, 3), (5, 4), (5, 5), (5, 3), (1, 5))),
        {85: set(), 100: set()},
    ),
    Case(
        "forty changes within an hour",
        wanted(often(20, 3, 5, 1.25)),
        {80: {"Flapping"}, 112: {"Flapping", "ReplicaChanges"}, 200: set()},
    ),
    # Rollout
    Case(
        "no progress within the deadline",
        {progressing("true"): steps((60, 1), (1, 0)), progressing("false"): steps((60, 0), (1, 1))},
        {LATER: set(), 62: {"StuckRollout"}, 200: {"StuckRollout"}},
    ),
    Case(
        "another Deployment is stuck",
        {
            progressing("false").replace("llama", "other"): level(1),
            progressing("false").replace("prod", "test"): level(1),
        },
        QUIET,
    ),
    # Starts: 3 minutes at the median, 4 at the 90th percentile
    Case(
        "a pod that does not become ready",
        pod_state(NEW, made_min=60, ready=steps((60, "_"), (1, 0))),
        {LATER: set(), 63: set(), 80: {"OverdueStart"}, 200: {"OverdueStart"}},
    ),
    Case(
        "a pod that nobody could schedule has no condition Ready",
        pod_state(NEW, made_min=60, ready=""),
        {63: set(), 80: {"OverdueStart"}},
    ),
    Case(
        "a pod that is ready after four minutes",
        pod_state(NEW, made_min=60, ready=steps((60, "_"), (4, 0), (1, 1))),
        {63: set(), 66: set(), 70: set(), 80: set()},
    ),
    Case(
        "an old pod that is not ready for a minute",
        pod_state(PODS[0], ready=steps((60, 1), (1, 0), (1, 1))),
        {60.5: set(), 61: set(), 70: set()},
    ),
    Case(
        "a pod that leaves before it was ready",
        pod_state(
            NEW,
            made_min=60,
            ready=steps((60, "_"), (1, 0)),
            kube_pod_deletion_timestamp=steps((61, "_"), (1, 7200)),
        ),
        {70: set(), 80: set(), 110: set()},
    ),
    Case(
        "a pod that was evicted long ago",
        pod_state(NEW, ready=level(0))
        | {f'kube_pod_status_phase{{namespace="prod",pod="{NEW}",phase="Failed"}}': level(1)},
        QUIET,
    ),
    Case(
        "a pod of a fleet whose name begins alike",
        pod_state("llama-canary-5d4f-zzzzz", made_min=60, ready=steps((60, "_"), (1, 0))),
        {80: set(), 120: set()},
    ),
    # Cut streams
    Case(
        "two of a hundred end by abort",
        merged(*(finished(pod, abort=1.3) for pod in PODS)),
        {LATER: {"CutStreams"}},
    ),
    Case(
        "two of a hundred end by error",
        merged(*(finished(pod, error=1.3) for pod in PODS)),
        {LATER: {"CutStreams"}},
    ),
    Case("one of two hundred does", merged(*(finished(pod, abort=0.3) for pod in PODS)), QUIET),
    Case(
        "another model of the same servers is cut",
        {
            name.replace('"llama"', '"other"'): values
            for pod in PODS
            for name, values in finished(pod, abort=30).items()
        },
        QUIET,
    ),
    Case(
        "the gateway sees a reset a minute",
        {"envoy_reset_total": rise(1)},
        {3: set(), LATER: {"GatewayResets"}},
    ),
    # Nothing is known
    Case(
        "no kube-state-metrics",
        {name: ABSENT for name in healthy() if name.startswith("kube_")},
        QUIET,
    ),
    Case(
        "no metrics of the engine",
        {name: ABSENT for name in healthy() if name.startswith("vllm:")},
        QUIET,
    ),
]


def timeline_test(case: Case) -> Document:
    """The case in promtool's form: which alerts fire, by the series that Prometheus itself makes of them."""
    series = healthy() | case.change
    return {
        "name": case.name,
        "interval": f"{STEP_S}s",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": f"{round(minute * 60)}s",
                "exp_samples": [
                    {"labels": f'{{alertname="Headrace{alert}"}}', "value": 1} for alert in sorted(fires)
                ],
            }
            for minute, fires in case.fires.items()
        ],
    }


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rules") / "rules.yaml"
    path.write_text(rule_file(FLEET))
    return path


def test_the_alerts_are_those_with_cases(rules: Path) -> None:
    (group,) = yaml.safe_load(rules.read_text())["groups"]
    assert {rule["alert"] for rule in group["rules"]} == ALERTS
    fired = {alert for case in CASES for alerts in case.fires.values() for alert in alerts}
    assert {f"Headrace{alert}" for alert in fired} == ALERTS
    assert all(
        rule["labels"]["fleet"] == "llama" and rule["labels"]["team"] == "search" for rule in group["rules"]
    )


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_fires(prometheus_programs: Path, rules: Path, tmp_path: Path, case: Case) -> None:
    asked: dict[str, Any] = {
        "rule_files": [str(rules)],
        "evaluation_interval": "30s",
        "tests": [timeline_test(case)],
    }
    path = tmp_path / "timeline.yaml"
    path.write_text(yaml.safe_dump(asked, sort_keys=False))
    ended = promtool(prometheus_programs, "test", "rules", path)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@settings(thorough, max_examples=60)
@given(spec=specs())
def test_promtool_takes_the_rules_of_any_fleet(
    prometheus_programs: Path, tmp_path_factory: pytest.TempPathFactory, spec: Document
) -> None:
    (made,) = objects(taken(spec), RULES)
    path = tmp_path_factory.getbasetemp() / "any-rules.yaml"
    path.write_text(yaml.safe_dump(plain(made.tree)["spec"]))
    ended = promtool(prometheus_programs, "check", "rules", "--lint=all", "--lint-fatal", path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
