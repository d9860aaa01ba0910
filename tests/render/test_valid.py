"""Whatever spec headrace takes, what it renders is valid to the Kubernetes API, oldest and newest, in every form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.kubernetes.api import NEWEST, OLDEST, VERSIONS, Api

from headrace.config import fleets
from headrace.errors import ConfigError
from headrace.render import Asked, files, missing, objects, plain, yaml_text
from headrace.spec import ModelFleet

Document = dict[str, Any]
Loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
"""The same in a tenth of the time, where it is."""


@pytest.fixture(scope="module")
def api(kubernetes_programs: Path) -> Iterator[Api]:
    """The API of Kubernetes, as tests/kubernetes has it."""
    with Api(kubernetes_programs) as found:
        yield found


def release(version: str) -> tuple[int, int]:
    """Kubernetes' release as render takes it."""
    major, minor = map(int, version.split("."))
    return major, minor


def matching(pattern: str, most: int = 63) -> st.SearchStrategy[str]:
    """Texts that match, mostly short, sometimes as long as they may be."""
    return st.from_regex(rf"\A{pattern}\Z", alphabet=st.characters(max_codepoint=127)).filter(
        lambda text: len(text) <= most
    )


def durations(low_s: int, high_s: int) -> st.SearchStrategy[str]:
    return st.integers(low_s, high_s).map(lambda seconds: f"{seconds}s") | st.sampled_from(
        [f"{low_s}s", f"{high_s}s"]
    )


def some(**strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[Document]:
    """A mapping in which each key may be left out."""
    return st.fixed_dictionaries({}, optional=strategies)


# The patterns of the file's own reference, so that whatever it lets through is asked for.
NAMES = matching("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
WORDS = matching("[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
FLEET_NAMES = st.one_of(WORDS, WORDS, WORDS, NAMES)
LABELS = st.dictionaries(
    matching("([a-z0-9]([-a-z0-9.]{0,8}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", 80)
    | st.sampled_from(["app", "app.kubernetes.io/name", "team", "a..b/c", "a-.b/c", "headrace.dev/fleet"]),
    matching("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"),
    max_size=3,
)
LINES = st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=40)
IMAGES = st.sampled_from(
    [
        "vllm/vllm-openai:v0.18.0",
        "vllm/vllm-openai:v0.17.1",
        "vllm/vllm-openai:v0.9.2",
        "registry.example:5000/team/vllm:0.32.0-cu130",
        "lmsysorg/sglang:v0.5.4",
        "example/own@sha256:" + "0123456789abcdef" * 4,
    ]
)
SIZES = st.sampled_from(["1MiB", "1.5GiB", "64GiB", "1GB", "1234567.5KiB", "2TiB"])


@st.composite
def specs(draw: st.DrawFn) -> Document:
    """A ModelFleet file's document."""
    least = draw(st.integers(1, 12))
    engines, stages, ways = (draw(st.sampled_from([1, 1, 1, 2, 4])) for _ in range(3))
    model = draw(st.sampled_from(["meta-llama/Llama-3.3-70B", "/models/own", "s3://bucket/model"]) | LINES)
    server: Document = {
        "image": draw(IMAGES),
        "model": model,
        "cache": draw(
            NAMES.map(lambda name: {"claim": name})
            | (matching("/[A-Za-z0-9._/-]{1,40}") | st.just("/var/../cache")).map(
                lambda path: {"hostPath": path}
            )
        ),
        "pipelineParallel": stages,
    } | draw(
        some(
            name=matching("[A-Za-z0-9][A-Za-z0-9._/:-]{0,80}", 81),
            namespace=NAMES,
            port=st.integers(1, 65_535),
            apiServers=st.sampled_from([1, 2, 8]),
            tensorParallel=st.just(ways),
            args=st.lists(LINES.map(lambda text: f"--x={text}"), max_size=3),
            loader=st.sampled_from(["runai_streamer", "auto", "tensorizer"]),
            accelerator=st.sampled_from(
                ["amd.com/gpu", "gpu.intel.com/i915", "kubernetes.io/gpu", "requests.amd.com/gpu", "a..b/gpu"]
            )
            | matching("[a-z0-9]([-a-z0-9.]{0,12}[a-z0-9])?/[A-Za-z0-9][-A-Za-z0-9_.]{0,12}"),
            cpu=st.sampled_from([0.1, 1, 7.5, 0.1234567, 1024]),
            memory=SIZES,
            sharedMemory=SIZES,
            environment=st.dictionaries(matching("[A-Za-z_][A-Za-z0-9_]{0,20}"), LINES, max_size=3),
            secrets=st.lists(NAMES, max_size=2),
            labels=LABELS,
            nodeSelector=LABELS,
            tolerations=LABELS.map(list),
            serviceAccount=NAMES,
        )
    )
    if "@sha256" in server["image"]:
        server |= draw(some(release=st.sampled_from(["0.18.0", "0.12", "0.32.0"])))
    scale = {"min": least, "max": least + draw(st.integers(0, 60))} | draw(
        some(
            target=st.sampled_from(["5%", "33.3%", "80%", "100%"]),
            headroom=st.sampled_from([0, 0.6, 3]),
            surge=st.just({"rise": "35%", "within": "5m"}),
            downWindow=durations(0, 21_600),
            downInterval=durations(0, 21_600),
            drain=durations(1, 21_600),
        )
    )
    start = st.sampled_from(["100ms", "20s", "3m", "24h"]) | st.just(
        [{"name": "image", "median": "100s"}, {"name": "compile", "median": "61s", "p90": "62s"}]
    )
    capacity = {
        "slots": draw(st.sampled_from([1, 7, 256, 65_536])),
        "dataParallel": engines,
        "accelerators": engines * stages * ways,
    }
    autoscaler = some(
        kind=st.sampled_from(["hpa", "keda", "aibrix", "none"]),
        target=st.sampled_from(["5%", "47.1%", "90%"]),
        metric=matching("[A-Za-z_:][A-Za-z0-9_:./|-]{0,30}"),
        prometheus=st.sampled_from(["http://prometheus.monitoring:9090", "https://p/select/0/prometheus"]),
    )
    drain = some(mode=st.sampled_from(["auto", "native", "idle"]), nodeWait=durations(0, 86_400))
    rollout = some(
        strategy=st.sampled_from(["auto", "surge", "replace"]),
        spareAccelerators=st.integers(0, 64),
        deadline=durations(60, 86_400),
    )
    alerts = some(
        queueTime=st.sampled_from(["300ms", "2500ms", "1h"]),
        queueFor=durations(0, 86_400),
        waitingFor=durations(60, 86_400),
        pinnedFor=durations(0, 86_400),
        full=st.sampled_from(["5%", "99.99%", "100%"]),
        fullFor=durations(0, 86_400),
        turns=st.integers(1, 1_000),
        changes=st.integers(1, 10_000),
        cut=st.sampled_from(["0%", "0.5%", "100%"]),
        labels=st.dictionaries(matching("[a-zA-Z_][a-zA-Z0-9_]{0,12}"), LINES, max_size=2),
        ruleLabels=LABELS,
        series=st.sampled_from(['job="llama"', 'job=~"a|b",cluster!="x"']),
        resets=st.just("sum(rate(envoy_cluster_upstream_rq_rx_reset[5m]))"),
    )
    return {
        "apiVersion": "headrace.dev/v1alpha1",
        "kind": "ModelFleet",
        "metadata": {"name": draw(FLEET_NAMES)},
        "spec": {
            "engine": draw(st.sampled_from(["vllm", "vllm", "vllm", "sglang"])),
            "capacity": capacity,
            "scale": scale,
            "start": draw(start),
            "server": server,
            "autoscaler": draw(autoscaler),
            "drain": draw(drain),
            "rollout": draw(rollout),
            "alerts": draw(alerts),
        },
    }


def taken(spec: Document) -> ModelFleet:
    """The fleet; what headrace itself refuses in a sentence is not asked for."""
    try:
        (fleet,) = fleets(json.dumps(spec, ensure_ascii=False), "fleet.yaml")
    except ConfigError:
        assume(False)
    assume(not missing(fleet, Asked()))
    return fleet


def as_text(document: Document) -> str:
    """The document as JSON, which YAML is a superset of but for halves of characters."""
    return json.dumps(document, ensure_ascii=False) + "\n"


def loaded(text: str) -> Any:
    """The one document of a text."""
    return yaml.load(text, Loader)


def judged(version: str) -> tuple[str, ...]:
    """Versions that take what is rendered for one: newer ones too."""
    return VERSIONS[VERSIONS.index(version) :]


thorough = settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""Specs are large and their words come from patterns, which hypothesis takes for slow."""


def objects_are_valid(api: Api, fleet: ModelFleet, version: str) -> None:
    """To the release asked for and to newer ones; the text says what the trees say."""
    asked = Asked(kubernetes=release(version))
    made = [each for each in objects(fleet, asked) if each.is_whole]
    text = "---\n".join(yaml_text(each.tree) for each in made)
    assert list(yaml.load_all(text, Loader)) == [plain(each.tree) for each in made]
    for judge in judged(version):
        answer = api.answer(text, judge)
        assert answer.objects == tuple(f"{each.kind} {each.name}" for each in made)
        assert answer.problems == ()
        assert answer.warnings == ()


def hpa_that_keda_makes(scaled_object: Document) -> str:
    """The HorizontalPodAutoscaler by KEDA's rules: its name, limits and behavior are the ScaledObject's."""
    name, spec = scaled_object["metadata"]["name"], scaled_object["spec"]
    metric = {
        "metric": {"name": "s0-prometheus"},
        "target": {"type": "AverageValue", "averageValue": str(spec["triggers"][0]["metadata"]["threshold"])},
    }
    wanted = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
        "minReplicas": spec["minReplicaCount"],
        "maxReplicas": spec["maxReplicaCount"],
        "metrics": [{"type": "External", "external": metric}],
        **spec.get("advanced", {}).get("horizontalPodAutoscalerConfig", {}),
    }
    metadata = {"name": f"keda-hpa-{name}"}
    return json.dumps(
        {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": metadata,
            "spec": {key: value for key, value in wanted.items() if key != "name"},
        }
    )


def what_keda_makes_is_valid(api: Api, fleet: ModelFleet, version: str) -> None:
    asked = Asked(kubernetes=release(version), only=("autoscaler",))
    for made in objects(fleet, asked):
        if made.kind == "ScaledObject":
            text = hpa_that_keda_makes(plain(made.tree))
            for judge in judged(version):
                assert api.problems(text, judge) == []


def standing(patch: Document) -> str:
    """A Deployment of the user's as it is before it is patched: of that name, with that container and that port."""
    new = patch["spec"]["template"]["spec"]["containers"][0]
    port = new["ports"][0]["containerPort"]
    labels = {"example.com/standing": "theirs"}
    template = {
        "metadata": {"labels": labels},
        "spec": {
            "volumes": [{"name": "theirs", "emptyDir": {}}],
            "containers": [
                {
                    "name": new["name"],
                    "image": "vllm/vllm-openai:v0.16.0",
                    "ports": [{"name": "api", "containerPort": port}],
                    "livenessProbe": {"httpGet": {"path": "/ping", "port": 8000}},
                    "readinessProbe": {"exec": {"command": ["true"]}},
                    "volumeMounts": [{"name": "theirs", "mountPath": "/theirs"}],
                },
                {"name": "beside", "image": "example/beside:1"},
            ],
        },
    }
    return json.dumps(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                key: patch["metadata"][key] for key in ("name", "namespace") if key in patch["metadata"]
            },
            "spec": {
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": labels},
                "template": template,
            },
        }
    )


def a_patched_deployment_is_valid(api: Api, fleet: ModelFleet, version: str) -> None:
    asked = Asked(kubernetes=release(version), patch=True, only=("deployment",))
    (made,) = objects(fleet, asked)
    old = standing(plain(made.tree))
    assert api.problems(old, version) == []
    for judge in judged(version):
        assert api.problems(old, judge, patch=yaml_text(made.tree)) == []


def kustomize_files_are_valid_and_named(api: Api, fleet: ModelFleet, patch: bool) -> None:
    asked = Asked(form="kustomize", patch=patch)
    written = files((fleet,), asked)
    top = loaded(written["kustomization.yaml"])
    resources = [written[path] for path in top.get("resources", [])]
    patches = [written[each["path"]] for each in top.get("patches", [])]
    assert len(patches) == patch
    if patch:
        resources.append(standing(loaded(patches[0])))
    assert api.problems("---\n".join(resources), OLDEST, patch="---\n".join(patches)) == []
    (generated,) = top["configMapGenerator"]
    key, _, path = generated["files"][0].partition("=")
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": generated["name"], "labels": generated["options"]["labels"]},
        "data": {key: written[path]},
    }
    assert api.problems(as_text(config_map), OLDEST) == []
    named = {
        "kustomization.yaml",
        path,
        *top.get("resources", []),
        *(each["path"] for each in top.get("patches", [])),
    }
    assert {each for each in written if not each.startswith("gitops/")} == named


def by_a_chart(values: Document) -> list[Document]:
    """What a chart makes of the values: each piece under the name that Kubernetes gives it."""
    of = values["headrace"]
    metadata = {"name": of["name"], "labels": of["labels"]}
    containers = [{"name": "server", **of["container"]}]
    template = {
        "metadata": {"labels": of["labels"]},
        "spec": {**of["pod"], "volumes": of["volumes"], "containers": containers},
    }
    specs = {
        ("apps/v1", "Deployment"): {
            **of["deployment"],
            "selector": {"matchLabels": of["labels"]},
            "template": template,
        },
        ("v1", "Service"): of["service"],
        ("policy/v1", "PodDisruptionBudget"): of["podDisruptionBudget"],
        ("monitoring.coreos.com/v1", "PrometheusRule"): of["prometheusRule"],
    }
    made = [
        {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}
        for (version, kind), spec in specs.items()
    ]
    return made + ([of["autoscaler"]] if "autoscaler" in of else [])


def helm_values_make_valid_objects(api: Api, fleet: ModelFleet, version: str) -> None:
    asked = Asked(kubernetes=release(version), form="helm")
    written = files((fleet,), asked)
    assert list(written) == ["values.yaml"]
    made = by_a_chart(loaded(written["values.yaml"]))
    assert api.problems("---\n".join(as_text(each) for each in made), version) == []


@thorough
@given(spec=specs())
def test_what_is_rendered_is_valid(api: Api, spec: Document) -> None:
    fleet = taken(spec)
    for version in VERSIONS:
        objects_are_valid(api, fleet, version)
        what_keda_makes_is_valid(api, fleet, version)
        a_patched_deployment_is_valid(api, fleet, version)
        helm_values_make_valid_objects(api, fleet, version)
    for patch in (False, True):
        kustomize_files_are_valid_and_named(api, fleet, patch)


def test_the_newest_release_has_something_of_its_own() -> None:
    assert release(NEWEST) > release(OLDEST), "else one of the two would be asked twice"
