"""The validation that the tests lean on refuses what an API server refuses, in its words, and takes the rest."""

from __future__ import annotations

import pytest
from tests.kubernetes.api import NEWEST, OLDEST, VERSIONS, Api

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: qwen}
spec:
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: qwen}}
  template:
    metadata: {labels: {app: qwen}}
    spec:
      terminationGracePeriodSeconds: 350
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.19.0
          lifecycle: {preStop: {exec: {command: [sh, -c, "true"]}}}
          startupProbe: {httpGet: {path: /health, port: 8000}}
          resources: {limits: {nvidia.com/gpu: 1}}
"""
STATEFUL_SET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: qwen}
spec:
  serviceName: qwen
  selector: {matchLabels: {app: qwen}}
  template:
    metadata: {labels: {app: qwen}}
    spec: {containers: [{name: vllm, image: "vllm/vllm-openai:v0.19.0"}]}
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: qwen}
spec: {selector: {app: qwen}, ports: [{name: http, port: 80, targetPort: 8000}]}
"""
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: qwen}
data: {dashboard.json: "{}"}
"""
HPA = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: qwen}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: qwen}
  minReplicas: 2
  maxReplicas: 8
  metrics: [{type: Pods, pods: {metric: {name: running}, target: {type: AverageValue, averageValue: "90"}}}]
  behavior: {scaleDown: {stabilizationWindowSeconds: 900}}
"""
PDB = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: qwen}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: qwen}}}
"""
SCALED_OBJECT = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: qwen}
spec:
  scaleTargetRef: {name: qwen}
  maxReplicaCount: 8
  fallback: {failureThreshold: 3, replicas: 4}
  triggers: [{type: prometheus, metadata: {serverAddress: "http://prometheus:9090", query: up, threshold: "90"}}]
"""
TRIGGER_AUTHENTICATION = """\
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: qwen}
spec: {secretTargetRef: [{parameter: bearerToken, name: prometheus, key: token}]}
"""
POD_AUTOSCALER = """\
apiVersion: autoscaling.aibrix.ai/v1alpha1
kind: PodAutoscaler
metadata: {name: qwen}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: qwen}
  minReplicas: 2
  maxReplicas: 8
  scalingStrategy: APA
  metricsSources:
    - {metricSourceType: pod, protocolType: http, port: "8000", path: metrics, targetMetric: running, targetValue: "9"}
"""
PROMETHEUS_RULE = """\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: qwen}
spec: {groups: [{name: qwen, rules: [{alert: Waiting, expr: waiting > 0, for: 5m}]}]}
"""
POD_MONITOR = """\
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: qwen}
spec: {selector: {matchLabels: {app: qwen}}, podMetricsEndpoints: [{port: http, path: /metrics}]}
"""
SERVICE_MONITOR = """\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: qwen}
spec: {selector: {matchLabels: {app: qwen}}, endpoints: [{port: http, interval: 15s}]}
"""
GOOD = {
    "Deployment": DEPLOYMENT,
    "StatefulSet": STATEFUL_SET,
    "Service": SERVICE,
    "ConfigMap": CONFIG_MAP,
    "HorizontalPodAutoscaler": HPA,
    "PodDisruptionBudget": PDB,
    "ScaledObject": SCALED_OBJECT,
    "TriggerAuthentication": TRIGGER_AUTHENTICATION,
    "PodAutoscaler": POD_AUTOSCALER,
    "PrometheusRule": PROMETHEUS_RULE,
    "PodMonitor": POD_MONITOR,
    "ServiceMonitor": SERVICE_MONITOR,
}
both = pytest.mark.parametrize("version", VERSIONS)


@both
@pytest.mark.parametrize("kind", GOOD)
def test_a_good_one_is_taken_without_a_warning(api: Api, kind: str, version: str) -> None:
    answer = api.answer(GOOD[kind], version)
    assert answer.objects == (f"{kind} qwen",)
    assert answer.problems == ()
    assert answer.warnings == ()


WRONG = [
    # What the API's validation says
    ("Deployment", "maxSurge: 1,", "maxSurge: 0,", "maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is"),
    ("Deployment", "{app: qwen}}\n  template", "{app: other}}\n  template",
     "`selector` does not match template `labels`"),
    ("Deployment", "startupProbe: {httpGet: {path: /health, port: 8000}}", "startupProbe: {periodSeconds: 5}",
     "containers[0].startupProbe: Required value: must specify a handler type"),
    ("Deployment", "image: vllm/vllm-openai:v0.19.0", 'image: ""', "containers[0].image: Required value"),
    ("Deployment", "nvidia.com/gpu: 1}", "nvidia.com/gpu: 500m}", "must be an integer"),
    ("Deployment", "nvidia.com/gpu: 1}", "gpu: 1}", "must be a standard resource type or fully qualified"),
    ("Deployment", "name: qwen}", "name: Qwen_7B}", "metadata.name: Invalid value"),
    ("Deployment", "maxSurge: 1,", "maxSurge: 30,  maxSurge: 1,", "already set"),
    ("StatefulSet", "serviceName: qwen", "podManagementPolicy: Serial", "must be 'OrderedReady' or 'Parallel'"),
    ("Service", "port: 80,", "port: 80000,", "must be between 1 and 65535"),
    ("Service", "targetPort: 8000", "targetPort: 8000}, {port: 81", "spec.ports[1].name: Required value"),
    ("ConfigMap", "dashboard.json", "dash board", "a valid config key must consist of"),
    ("HorizontalPodAutoscaler", "maxReplicas: 8", "maxReplicas: 1", "must be greater than or equal to `minReplicas`"),
    ("HorizontalPodAutoscaler", "Seconds: 900", "Seconds: 4000", "must be less than or equal to 3600"),
    ("HorizontalPodAutoscaler", 'averageValue: "90"', 'averageValue: "0"', "must be positive"),
    ("PodDisruptionBudget", "maxUnavailable: 1,", "maxUnavailable: 1, minAvailable: 1,",
     "minAvailable and maxUnavailable cannot be both set"),
    # What decoding says
    ("Deployment", "image: vllm", "imagge: x\n          image: vllm",
     'unknown field "spec.template.spec.containers[0].imagge"'),
    ("Deployment", "Seconds: 350", 'Seconds: "abc"', "cannot unmarshal string into Go struct field"),
    ("Deployment", "kind: Deployment", "kind: Deploiment", 'no kind "Deploiment"'),
    ("HorizontalPodAutoscaler", "autoscaling/v2", "autoscaling/v2beta2", 'in version "autoscaling/v2beta2"'),
    # What definitions say
    ("ScaledObject", "maxReplicaCount: 8", "maxReplicas: 8", 'unknown field "spec.maxReplicas"'),
    ("ScaledObject", "triggers: [{type: prometheus, ", "triggers: [{", "spec.triggers[0].type: Required value"),
    ("TriggerAuthentication", "name: prometheus, ", "", "spec.secretTargetRef[0].name: Required value"),
    ("PodAutoscaler", "scalingStrategy: APA", "scalingStrategy: VPA", 'supported values: "HPA", "KPA", "APA"'),
    ("PodAutoscaler", "maxReplicas: 8", 'maxReplicas: "8"', "spec.maxReplicas in body must be of type integer"),
    ("PodAutoscaler", "maxReplicas: 8", "maxReplicas: 8\n  scaleDownDelay: 5m", 'unknown field "spec.scaleDownDelay"'),
    ("PodAutoscaler", 'targetValue: "9"', "targetValue: 9", "must be of type string"),
    ("PrometheusRule", "for: 5m", "for: five", "spec.groups[0].rules[0].for"),
    ("PrometheusRule", "alert: Waiting", "alarm: Waiting", 'unknown field "spec.groups[0].rules[0].alarm"'),
    ("PodMonitor", "selector: {matchLabels: {app: qwen}}, ", "", "spec.selector: Required value"),
    ("ServiceMonitor", "interval: 15s", "interval: soon", "spec.endpoints[0].interval"),
]  # fmt: skip


@both
@pytest.mark.parametrize(
    ("kind", "good", "wrong", "said"), WRONG, ids=[f"{kind}: {wrong}" for kind, _, wrong, _ in WRONG]
)
def test_a_wrong_one_is_refused_in_the_apis_words(
    api: Api, kind: str, good: str, wrong: str, said: str, version: str
) -> None:
    assert GOOD[kind].count(good) == 1, "the edit is of one place"
    problems = api.problems(GOOD[kind].replace(good, wrong), version)
    assert any(said in problem for problem in problems), problems


@both
def test_a_headless_service_is_taken(api: Api, version: str) -> None:
    assert api.problems(SERVICE.replace("spec: {", "spec: {clusterIP: None, "), version) == []
    assert api.problems(SERVICE.replace("spec: {", "spec: {clusterIP: none, "), version) != []


@both
def test_what_is_said_of_one_is_not_said_of_the_others(api: Api, version: str) -> None:
    answer = api.answer(
        "---\n".join([DEPLOYMENT, PDB.replace("able: 1", "able: many"), "# nothing\n", SERVICE]), version
    )
    assert answer.objects == ("Deployment qwen", "PodDisruptionBudget qwen", "Service qwen")
    assert len(answer.problems) == 1
    assert answer.problems[0].startswith("PodDisruptionBudget qwen: spec.maxUnavailable: Invalid value")


@both
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no document"),
        ("# only a comment\n---\n", "no document"),
        ("a: [", "did not find expected"),
        ("- a\n- b\n", "no object"),
        ("a: 1\n", 'no kind ""'),
    ],
)
def test_what_is_no_manifest_is_a_problem(api: Api, text: str, said: str, version: str) -> None:
    (problem,) = api.problems(text, version)
    assert said in problem


def test_a_field_that_a_version_drops_without_a_word_is_a_problem_there(api: Api) -> None:
    text = HPA.replace("{scaleDown: {", "{scaleDown: {tolerance: 0.02, ")
    assert api.problems(text, NEWEST) == []
    assert api.problems(text, OLDEST) == [
        "HorizontalPodAutoscaler qwen: spec.behavior.scaleDown.tolerance: dropped: its feature is off in this version"
    ]


@both
def test_what_kubectl_would_warn_of_is_heard(api: Api, version: str) -> None:
    twice = DEPLOYMENT.replace(
        "      containers:", "      nodeSelector: {beta.kubernetes.io/arch: amd64}\n      containers:"
    )
    answer = api.answer(twice, version)
    assert answer.problems == ()
    assert any("deprecated" in warning for warning in answer.warnings), answer


PATCH = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: qwen}
spec:
  template:
    spec:
      containers: [{name: vllm, args: [--shutdown-timeout, "300"]}]
"""


@both
def test_a_patch_is_merged_before_it_is_judged(api: Api, version: str) -> None:
    assert any("image: Required value" in problem for problem in api.problems(PATCH, version))
    assert api.problems(DEPLOYMENT, version, patch=PATCH) == []
    misnamed = api.problems(DEPLOYMENT, version, patch=PATCH.replace("vllm", "vllmm"))
    assert misnamed == ["Deployment qwen: spec.template.spec.containers[0].image: Required value"], (
        "another name is another container"
    )
    assert api.problems(SERVICE, version, patch=PATCH) == ["patch: Deployment qwen: no such object"]
    beyond = SCALED_OBJECT[: SCALED_OBJECT.index("spec:")] + "spec: {maxReplicaCount: many}\n"
    assert any("maxReplicaCount" in problem for problem in api.problems(SCALED_OBJECT, version, patch=beyond))
