"""Each number that is written is that of the function which decides it; its comment says so, and where to change it."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from tests.laws.serving import served_fleets
from tests.render.given import container, fleet, part, rendered

from headrace.decide import owner
from headrace.decide.capacity import replica_slots
from headrace.decide.grace import GRACE_AFTER_S, GRACE_BEFORE_S, grace_s
from headrace.decide.probes import LIVENESS, READINESS
from headrace.decide.rollout import progress_deadline_s, strategy
from headrace.decide.startup import overdue_s, probe_budget
from headrace.render import Asked, yaml_text
from headrace.spec import ModelFleet


@given(served_fleets())
def test_a_deployments_numbers(of: ModelFleet) -> None:
    deployment = part("deployment", of)["spec"]
    scale, phases = of.scale, of.start.phases
    drain_s = math.ceil(scale.drain_s)
    chosen = strategy(
        scale.min_replicas, of.capacity.accelerators, of.rollout.spare_accelerators, of.rollout.strategy
    )
    rolling = deployment["strategy"]["rollingUpdate"]
    assert (rolling["maxSurge"], rolling["maxUnavailable"]) == chosen[:2]
    deadline_s = of.rollout.deadline_s or progress_deadline_s(phases, drain_s, chosen)
    assert deployment["progressDeadlineSeconds"] == deadline_s
    assert deployment["template"]["spec"]["terminationGracePeriodSeconds"] == grace_s(drain_s)
    (server,) = deployment["template"]["spec"]["containers"]
    budget = probe_budget(phases)
    startup = server["startupProbe"]
    assert (startup["periodSeconds"], startup["failureThreshold"]) == budget[1:]
    for probe, key in ((READINESS, "readinessProbe"), (LIVENESS, "livenessProbe")):
        assert (server[key]["periodSeconds"], server[key]["failureThreshold"]) == probe[:2]
    assert ("replicas" in deployment) == (
        of.autoscaler.kind == "none" or scale.min_replicas == scale.max_replicas
    )


@given(served_fleets())
def test_an_autoscalers_numbers(of: ModelFleet) -> None:
    made = rendered(of).get("autoscaler")
    if made is None:
        return
    spec, scale = part("autoscaler", of)["spec"], of.scale
    slots = replica_slots(of.capacity.slots, of.capacity.data_parallel)
    goal = owner.target_running(slots, owner.target_ratio(scale, of.autoscaler.target_ratio))
    found = {
        "HorizontalPodAutoscaler": lambda: spec["metrics"][0]["pods"]["target"]["averageValue"],
        "ScaledObject": lambda: spec["triggers"][0]["metadata"]["threshold"],
        "PodAutoscaler": lambda: spec["metricsSources"][0]["targetValue"],
    }[made.kind]()
    assert float(found) == goal
    least, most = (key for key in spec if key.startswith(("min", "max")))
    assert (spec[least], spec[most]) == (scale.min_replicas, scale.max_replicas)


def comment_above(key: str, text: str) -> str:
    """The comment that stands above a line, in one line."""
    above = re.search(rf"((?:^ *#.*\n)+) *(?:- )?{re.escape(key)}", text, re.MULTILINE)
    assert above, f"no comment above {key}"
    return " ".join(line.strip(" #") for line in above[1].splitlines())


OF = fleet(
    scale="min: 2, max: 24, drain: 4m, target: 85%",
    start="[{name: node, median: 2m}, {name: weights, median: 200s, p90: 5m}]",
    spec="rollout: {spareAccelerators: 3}",
)


@pytest.mark.parametrize(
    ("name", "key", "holds"),
    [
        (
            "deployment",
            "terminationGracePeriodSeconds: 290",
            (f"{GRACE_BEFORE_S:g} s", "N 240 s", f"{GRACE_AFTER_S:g} s", "spec.scale.drain"),
        ),
        ("deployment", "--shutdown-timeout=240", ("N:", "spec.scale.drain")),
        ("deployment", "--max-num-seqs=256", ("spec.capacity.slots",)),
        ("deployment", "--tensor-parallel-size=8", ("spec.server.tensorParallel",)),
        (
            "deployment",
            f"failureThreshold: {probe_budget(OF.start.phases).failure_threshold}",
            (f"= {probe_budget(OF.start.phases).budget_s} s", "3m20s", "5m", "spec.start"),
        ),
        ("deployment", "failureThreshold: 2", (f"{READINESS.patience_s} s",)),
        ("deployment", "failureThreshold: 12", (f"{LIVENESS.patience_s} s", "5m20s")),
        ("deployment", "rollingUpdate:", ("3 of the 8 accelerators", "rollout.spareAccelerators")),
        (
            "deployment",
            "progressDeadlineSeconds:",
            ("spec.start", "spec.rollout.deadline", "drain of the pod"),
        ),
        ("autoscaler", "minReplicas: 2", ("spec.scale.min",)),
        ("autoscaler", "maxReplicas: 24", ("spec.scale.max", "192 accelerators")),
        (
            "autoscaler",
            'averageValue: "217"',
            ("85%", "256 slots", "spec.scale.target", "spec.autoscaler.target"),
        ),
        ("autoscaler", "stabilizationWindowSeconds: 600", ("spec.scale.downWindow",)),
        ("autoscaler", "periodSeconds: 120", ("spec.scale.downInterval",)),
        ("rules", "alert: HeadraceOverdueStart", (f"{overdue_s(OF.start.phases):.0f} s", "spec.start")),
        ("rules", "alert: HeadraceQueueTime", ("5s", "spec.alerts.queueTime", "spec.alerts.queueFor")),
        ("rules", "alert: HeadraceFull", ("256", "spec.capacity.slots", "spec.alerts.full")),
        ("rules", "alert: HeadracePinned", ("spec.scale.max", "spec.alerts.pinnedFor")),
        ("rules", "alert: HeadraceCutStreams", ("1%", "spec.alerts.cut")),
    ],
)
def test_a_comment_says_where_its_number_is_from(name: str, key: str, holds: tuple[str, ...]) -> None:
    note = comment_above(key, yaml_text(rendered(OF)[name].tree))
    for words in holds:
        assert words in note


def test_a_tolerance_says_what_it_is_half_of() -> None:
    text = yaml_text(rendered(OF, Asked((1, 35)))["autoscaler"].tree)
    assert "24 (spec.scale.max)" in comment_above('tolerance: "0.02"', text)
    assert "tolerance:" not in yaml_text(rendered(OF)["autoscaler"].tree)


def test_a_grace_period_longer_than_nodes_wait_says_what_to_raise() -> None:
    long = fleet(scale="max: 4, drain: 15m", spec="drain: {nodeWait: 12m}")
    note = comment_above("terminationGracePeriodSeconds: 950", yaml_text(rendered(long)["deployment"].tree))
    assert "720 s that node drains wait" in note
    assert "max-graceful-termination-sec" in note
    raised = fleet(scale="max: 4, drain: 15m", spec="drain: {nodeWait: 20m}")
    assert "graceful" not in yaml_text(rendered(raised)["deployment"].tree)


def test_one_replica_at_least_is_a_decision_that_is_told() -> None:
    alone, two = fleet(scale="min: 1, max: 4"), fleet(scale="min: 2, max: 4")
    assert "Decide" in comment_above("maxUnavailable: 1", yaml_text(rendered(alone)["pdb"].tree))
    assert "Decide" not in yaml_text(rendered(two)["pdb"].tree)


def test_what_is_advised_is_what_the_cures_say() -> None:
    hub = fleet(start="[{name: weights, median: 100s}, {name: graphs, median: 20s}]")
    text = yaml_text(rendered(hub)["deployment"].tree)
    assert "from 120 s to 63 s" in comment_above("meta-llama/Llama-3.3-70B-Instruct", text)
    assert "streaming" not in yaml_text(rendered(fleet(start="3m"))["deployment"].tree)
    store = fleet(model="s3://models/llama")
    assert "--load-format=runai_streamer" in container(store)["args"]
