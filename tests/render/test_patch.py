"""A patch merged over a Deployment that stands already gives it what a new one has, and leaves the rest alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from tests.laws.serving import served_fleets
from tests.render.given import fleet, part, rendered

from headrace.render import Asked, files, missing
from headrace.spec import ModelFleet

PATCH = Asked(patch=True)
KEYS = {
    "containers": "name",
    "volumes": "name",
    "env": "name",
    "ports": "containerPort",
    "volumeMounts": "mountPath",
}
"""Lists that a strategic merge joins by a key; any other is replaced."""


def merged(base: Any, patch: Any, key: str = "") -> Any:
    """A strategic merge as Kubernetes' API conventions say it, for the lists of a pod."""
    if isinstance(patch, dict) and isinstance(base, dict):
        if patch.get("$patch") == "replace":
            return {name: value for name, value in patch.items() if name != "$patch"}
        joined = {name: value for name, value in base.items() if patch.get(name, 0) is not None}
        for name, value in patch.items():
            if value is not None:
                joined[name] = merged(base.get(name), value, name)
        return joined
    if isinstance(patch, dict):
        return {n: merged(None, v, n) for n, v in patch.items() if v is not None and n != "$patch"}
    if isinstance(patch, list) and key in KEYS:
        by = KEYS[key]
        brought = {item[by]: item for item in patch}
        kept = [
            merged(item, brought.pop(item[by]), "") if item[by] in brought else item for item in base or []
        ]
        return kept + [merged(None, item) for item in brought.values()]
    return patch


def existing(container: str, name: str = "llama") -> dict[str, Any]:
    """A Deployment as people write them, with most of what the rules speak of."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "serving", "labels": {"app": "llm"}},
        "spec": {
            "replicas": 3,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": {"app": "llm"}},
            "template": {
                "metadata": {"labels": {"app": "llm"}, "annotations": {"sidecar": "no"}},
                "spec": {
                    "nodeSelector": {"gpu": "h100"},
                    "volumes": [{"name": "config", "configMap": {"name": "llm"}}],
                    "containers": [
                        {"name": "proxy", "image": "proxy:1"},
                        {
                            "name": container,
                            "image": "vllm/vllm-openai:v0.18.0",
                            "args": ["--model", "llama", "--port", "8000"],
                            "env": [{"name": "HF_TOKEN", "value": "x"}, {"name": "HF_HOME", "value": "/old"}],
                            "ports": [{"name": "web", "containerPort": 8000, "protocol": "TCP"}],
                            "resources": {"limits": {"nvidia.com/gpu": 8}},
                            "volumeMounts": [{"name": "config", "mountPath": "/etc/llm"}],
                            "livenessProbe": {"tcpSocket": {"port": 8000}, "initialDelaySeconds": 30},
                            "lifecycle": {
                                "preStop": {"sleep": {"seconds": 5}},
                                "postStart": {"exec": {"command": ["a"]}},
                            },
                        },
                    ],
                },
            },
        },
    }


def test_what_the_patch_brings_is_what_a_new_deployment_has() -> None:
    of = fleet(server="container: vllm")
    joined = merged(existing("vllm"), part("deployment", of, PATCH))
    new = part("deployment", of)["spec"]
    spec = joined["spec"]
    assert spec["strategy"] == new["strategy"]
    assert spec["progressDeadlineSeconds"] == new["progressDeadlineSeconds"]
    pod, wanted = spec["template"]["spec"], new["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] == wanted["terminationGracePeriodSeconds"]
    assert pod["shareProcessNamespace"] is True
    proxy, server = pod["containers"]
    (like,) = wanted["containers"]
    assert proxy == {"name": "proxy", "image": "proxy:1"}
    for key in ("command", "args", "startupProbe", "readinessProbe", "livenessProbe"):
        assert server[key] == like[key]
    assert server["lifecycle"]["preStop"] == like["lifecycle"]["preStop"]
    assert {"name": "HF_TOKEN", "value": "x"} in server["env"]
    assert {"name": "HF_HOME", "value": "/cache/hub"} in server["env"]
    assert server["ports"] == [{"name": "http", "containerPort": 8000, "protocol": "TCP"}]


def test_the_rest_stays() -> None:
    before = existing("server")
    joined = merged(before, part("deployment", fleet(), PATCH))
    spec = joined["spec"]
    assert spec["replicas"] == 3
    assert spec["selector"] == before["spec"]["selector"]
    assert spec["template"]["metadata"]["labels"] == {"app": "llm", "headrace.dev/fleet": "llama"}
    pod, old = spec["template"]["spec"], before["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == old["nodeSelector"]
    assert [volume["name"] for volume in pod["volumes"]] == ["config", "headrace-cache", "headrace-shm"]
    server = pod["containers"][1]
    assert server["image"] == old["containers"][1]["image"]
    assert server["resources"] == old["containers"][1]["resources"]
    assert server["lifecycle"]["postStart"] == {"exec": {"command": ["a"]}}
    assert {"name": "config", "mountPath": "/etc/llm"} in server["volumeMounts"]


def test_only_a_build_takes_the_count_out() -> None:
    """Sent to a cluster as it is, a null would set the count to 1."""
    build = Asked(patch=True, form="kustomize")
    assert "replicas" not in merged(existing("server"), part("deployment", fleet(), build))["spec"]
    assert "replicas" not in part("deployment", fleet(), PATCH)["spec"]
    nobody = fleet(spec="autoscaler: {kind: none}")
    assert part("deployment", nobody, build)["spec"]["replicas"] == 2


@given(served_fleets())
def test_merged_twice_is_merged_once(of: ModelFleet) -> None:
    patch = part("deployment", of, PATCH)
    assert of.server is not None
    once = merged(existing(of.server.container, of.name), patch)
    assert merged(once, patch) == once
    assert "$patch" not in str(once)


def test_a_component_patches_by_name_whatever_the_namespace() -> None:
    of = fleet()
    made = files([of], Asked(patch=True, form="kustomize"))
    assert "kind: Component" in made["kustomization.yaml"]
    assert "path: deployment-patch.yaml" in made["kustomization.yaml"]
    assert part("deployment", of, Asked(patch=True, form="kustomize"))["metadata"] == {"name": "llama"}
    assert "deployment.yaml" not in made


@pytest.mark.parametrize("form", ["plain", "kustomize"])
def test_a_patch_is_no_whole_object(form: str) -> None:
    asked = Asked(patch=True, form=form)
    assert missing(fleet(), asked) is None
    assert not rendered(fleet(), asked)["deployment"].is_whole
