"""Rules on disruption budgets, canaries and written capacities: what fires, and what is near it and must not."""

from __future__ import annotations

import pytest
from tests.lint.manifests import after, deployment, fires

HPA = (
    "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: llama}\nspec:\n"
    "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}\n  minReplicas: 2\n  maxReplicas: 8\n"
)


def pdb(spec: str, selector: str = "{matchLabels: {app: llama}}") -> str:
    return (
        "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: llama\nspec:\n"
        f"  {spec}\n  selector: {selector}\n"
    )


def test_no_budget() -> None:
    rule = "pdb-none"
    assert fires(rule, deployment())
    assert fires(rule, deployment() + pdb("maxUnavailable: 1", "{matchLabels: {app: other}}"))
    assert not fires(rule, deployment() + pdb("maxUnavailable: 1"))
    expression = "{matchExpressions: [{key: app, operator: In, values: [llama, b]}]}"
    assert not fires(rule, deployment() + pdb("maxUnavailable: 1", expression))
    assert not fires(rule, deployment(image="nginx:1.27", args=""))
    elsewhere = pdb("maxUnavailable: 1").replace("  name: llama\n", "  name: llama\n  namespace: b\n")
    assert fires(
        rule, deployment().replace("  name: llama\n", "  name: llama\n  namespace: a\n", 1) + elsewhere
    )


@pytest.mark.parametrize(
    ("spec", "replicas", "expected"),
    [
        ("minAvailable: 1", "replicas: 1", 1),
        ("minAvailable: 1", "", 1),
        ("minAvailable: 1", "replicas: 2", 0),
        ("minAvailable: 3", "replicas: 3", 1),
        ("minAvailable: 100%", "replicas: 9", 1),
        ("minAvailable: 90%", "replicas: 9", 1),
        ("minAvailable: 50%", "replicas: 4", 0),
        ("maxUnavailable: 0", "replicas: 4", 1),
        ("maxUnavailable: 0%", "replicas: 4", 1),
        ("maxUnavailable: 1", "replicas: 1", 0),
        ("minAvailable: 1", "replicas: ${R}", 0),
        ("minAvailable: 1", "replicas: 0", 0),
    ],
)
def test_budgets_that_block(spec: str, replicas: str, expected: int) -> None:
    text = deployment(replicas) + pdb(spec)
    assert len(fires("pdb-blocks-drains", text)) == expected
    if expected:
        now = after("pdb-blocks-drains", text)
        assert "  maxUnavailable: 1\n" in now
        assert "minAvailable" not in now


def test_a_budget_against_a_floor() -> None:
    rule = "pdb-above-minimum"
    assert fires(rule, deployment() + HPA + pdb("minAvailable: 2"))
    assert fires(rule, deployment() + HPA + pdb("minAvailable: 3"))
    assert not fires(rule, deployment() + HPA + pdb("minAvailable: 1"))
    assert not fires(rule, deployment() + HPA + pdb("maxUnavailable: 1"))
    assert not fires("pdb-blocks-drains", deployment() + HPA + pdb("minAvailable: 2")), (
        "the other rule speaks"
    )
    assert "maxUnavailable: 1" in after(rule, deployment() + HPA + pdb("minAvailable: 2"))


def test_a_budget_of_other_pods() -> None:
    rule = "pdb-wrong-pods"
    assert fires(rule, deployment() + pdb("maxUnavailable: 1", "{matchLabels: {app: llama, tier: gold}}"))
    assert not fires(rule, deployment() + pdb("maxUnavailable: 1", "{matchLabels: {app: database}}"))
    assert not fires(rule, deployment() + pdb("maxUnavailable: 1"))
    two = (
        deployment(labels="{app: llama, team: x}")
        + "---\n"
        + deployment(name="qwen", labels="{app: qwen, team: x}")
    )
    assert fires(rule, two + pdb("maxUnavailable: 1", "{matchLabels: {team: x}}"))
    assert not fires(rule, two + pdb("maxUnavailable: 1"))


def service(selector: str) -> str:
    head = "---\napiVersion: v1\nkind: Service\nmetadata: {name: llama}\nspec:\n"
    return f"{head}  selector: {selector}\n  ports: [{{port: 80}}]\n"


def pair(
    name: str, labels: str, image: str = "vllm/vllm-openai:v0.19.0", args: str = "--model=/models/llama"
) -> str:
    return deployment() + "---\n" + deployment(name=name, labels=labels, image=image, args=args)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (pair("llama-canary", "{app: llama, track: canary}") + service("{app: llama}"), 1),
        (pair("llama-next", "{app: llama, v: b}", "vllm/vllm-openai:v0.20.0") + service("{app: llama}"), 1),
        (pair("llama-b", "{app: llama}", "vllm/vllm-openai:v0.20.0") + service("{app: llama}"), 1),
        (pair("llama-canary", "{app: llama-canary}") + service("{app: llama}"), 0),
        (pair("llama-canary", "{app: llama, track: canary}") + service("{app: llama, track: stable}"), 0),
        (pair("qwen", "{app: llama}", args="--model=/models/qwen") + service("{app: llama}"), 0),
        (pair("llama-canary", "{app: llama, track: canary}"), 0),
    ],
)
def test_canaries(text: str, expected: int) -> None:
    assert len(fires("canary-shares-labels", text)) == expected


def test_a_routers_label_counts_as_a_pool() -> None:
    label = "model.aibrix.ai/name: llama"
    text = (
        deployment(labels=f"{{{label}, app: a}}")
        + "---\n"
        + deployment(name="llama-canary", labels=f"{{{label}, app: b}}")
    )
    (one,) = fires("canary-shares-labels", text)
    assert one.resource == "Deployment/llama-canary"
    parts = (
        deployment(name="decode", labels=f"{{{label}}}")
        + "---\n"
        + deployment(name="prefill", labels=f"{{{label}}}")
    )
    assert not fires("canary-shares-labels", parts)


SLOTS = deployment("replicas: 4", args="--model=/models/llama|--max-num-seqs=64")


def rule(expression: str) -> str:
    return (
        "---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: llama}\nspec:\n  groups:\n"
        f"  - name: a\n    rules:\n    - alert: Full\n      expr: '{expression}'\n"
    )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sum(vllm:num_requests_running) > 100", 1),
        ("sum(vllm:num_requests_running) / 512 > 0.9", 1),
        ('sum(vllm:num_requests_running{model_name="a"}) >= 300', 1),
        ("sum(vllm:num_requests_running) >= 256", 0),
        ("sum(vllm:num_requests_running) > 230", 0),
        ("vllm:num_requests_running >= 64", 0),
        ("vllm:num_requests_running >= 128", 1),
        ("sum(vllm:num_requests_running) > 0", 0),
        ("sum(vllm:num_requests_waiting) > 100", 0),
        ("sum(vllm:num_requests_running) > sum(kube_endpoint_address) * 64", 0),
    ],
)
def test_written_capacities_in_alerts(expression: str, expected: int) -> None:
    assert len(fires("capacity-constant", SLOTS + rule(expression))) == expected


def test_written_capacities_in_gateways() -> None:
    def destination(number: int) -> str:
        return (
            "---\napiVersion: networking.istio.io/v1\nkind: DestinationRule\nmetadata: {name: llama}\nspec:\n"
            "  host: llama\n"
            f"  trafficPolicy: {{connectionPool: {{http: {{http2MaxRequests: {number}}}}}}}\n"
        )

    assert fires("capacity-constant", SLOTS + destination(128))
    assert not fires("capacity-constant", SLOTS + destination(256))
    assert not fires("capacity-constant", deployment() + destination(128)), "slots are not known"
    assert not fires("capacity-constant", SLOTS + HPA + destination(128)), "replicas are the autoscaler's"
