"""The pod: who drains, what is mounted, which flags the server gets."""

from __future__ import annotations

import pytest
from tests.render.given import container, fleet, part

from headrace import hook
from headrace.render import Asked


def script(**keys: str) -> str:
    """The preStop hook's text."""
    command = container(fleet(**keys))["lifecycle"]["preStop"]["exec"]["command"]
    assert command[:2] == ["sh", "-c"]
    return str(command[2])


@pytest.mark.parametrize(
    ("keys", "native"),
    [
        ({}, True),
        ({"image": "vllm/vllm-openai:v0.17.1"}, False),
        ({"image": "vllm/vllm-openai:v0.18.0-cu128"}, True),
        ({"image": "team/vllm:2026-10"}, False),
        ({"image": "team/vllm:2026-10", "server": "release: 0.18.0"}, True),
        ({"image": "team/vllm:2026-10", "server": "release: 0.18"} | {"spec": ""}, True),
        ({"server": "apiServers: 2"}, False),
        ({"spec": "drain: {mode: idle}"}, False),
        ({"spec": "engine: sglang", "image": "lmsysorg/sglang:v0.5.3"}, False),
    ],
)
def test_who_drains(keys: dict[str, str], native: bool) -> None:
    if "release: 0.18" in keys.get("server", "") and not keys["server"].endswith(".0"):
        keys = {**keys, "server": 'release: "0.18"'}
    text, args = script(**keys), container(fleet(**keys))["args"]
    assert text.startswith(hook.MARK)
    assert ("/metrics" not in text) == native
    assert ("--shutdown-timeout=120" in args) == native


def test_the_hook_waits_for_n_and_looks_at_both_gauges() -> None:
    text = script(spec="drain: {mode: idle}", server="port: 9000")
    expected = hook.Hook(9000, 20.0, 120, ("vllm:num_requests_running", "vllm:num_requests_waiting"))
    assert text == hook.script(expected)


def test_sizes() -> None:
    args = container(
        fleet(capacity="slots: 64, dataParallel: 2, accelerators: 16", server="pipelineParallel: 2")
    )["args"]
    for flag in (
        "--max-num-seqs=64",
        "--tensor-parallel-size=4",
        "--pipeline-parallel-size=2",
        "--data-parallel-size=2",
    ):
        assert flag in args
    one = container(fleet(capacity="slots: 64"))["args"]
    assert not any("parallel" in flag for flag in one)


def test_sglang_is_told_to_listen_and_to_show_metrics() -> None:
    server = container(fleet(spec="engine: sglang", image="lmsysorg/sglang:v0.5.3"))
    assert server["command"] == ["python3", "-m", "sglang.launch_server"]
    assert server["args"][:6] == [
        *("--model-path=meta-llama/Llama-3.3-70B-Instruct", "--served-model-name=llama", "--port=30000"),
        *("--host=0.0.0.0", "--enable-metrics", "--max-running-requests=256"),
    ]
    assert server["ports"] == [{"name": "http", "containerPort": 30000}]


def test_the_cache_outlives_the_pod() -> None:
    pod = part("deployment", fleet())["spec"]["template"]["spec"]
    assert {"name": "headrace-cache", "persistentVolumeClaim": {"claimName": "weights"}} in pod["volumes"]
    (server,) = pod["containers"]
    assert {"name": "headrace-cache", "mountPath": "/cache"} in server["volumeMounts"]
    folders = {variable["name"]: variable["value"] for variable in server["env"]}
    assert folders == {"VLLM_CACHE_ROOT": "/cache/vllm", "HF_HOME": "/cache/hub"}


@pytest.mark.parametrize(
    ("capacity", "server", "size"),
    [
        ("slots: 8", "", None),
        ("slots: 8, accelerators: 2", "", "2Gi"),
        ("slots: 8, accelerators: 8", "", "8Gi"),
        ("slots: 8, accelerators: 8", "sharedMemory: 16GiB", "16Gi"),
        ("slots: 8", "sharedMemory: 1500MiB", "1500Mi"),
    ],
)
def test_shared_memory(capacity: str, server: str, size: str | None) -> None:
    pod = part("deployment", fleet(capacity=capacity, server=server))["spec"]["template"]["spec"]
    found = [volume["emptyDir"] for volume in pod["volumes"] if "emptyDir" in volume]
    assert found == ([] if size is None else [{"medium": "Memory", "sizeLimit": size}])


def test_what_the_file_adds() -> None:
    of = fleet(
        server="memory: 64GiB\ncpu: 7.5\nenvironment: {A: b, HF_HOME: /mine}\nsecrets: [token]\n"
        "nodeSelector: {gpu: h100}\ntolerations: [nvidia.com/gpu]\nserviceAccount: reader\nlabels: {team: x}\n"
        "args: [--seed=1]\naccelerator: amd.com/gpu"
    )
    spec = part("deployment", of)["spec"]
    pod = spec["template"]["spec"]
    (server,) = pod["containers"]
    assert server["resources"] == {
        "requests": {"cpu": "7.5", "memory": "64Gi", "amd.com/gpu": 8},
        "limits": {"memory": "64Gi", "amd.com/gpu": 8},
    }
    assert {"name": "HF_HOME", "value": "/mine"} in server["env"]
    assert server["envFrom"] == [{"secretRef": {"name": "token"}}]
    assert server["args"][-1] == "--seed=1"
    assert pod["nodeSelector"] == {"gpu": "h100"}
    assert pod["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists"}]
    assert pod["serviceAccountName"] == "reader"
    assert spec["template"]["metadata"]["labels"] == {"team": "x", "headrace.dev/fleet": "llama"}
    assert spec["selector"]["matchLabels"] == {"headrace.dev/fleet": "llama"}


def test_the_service_and_the_budget_select_the_pods() -> None:
    of = fleet()
    labels = part("deployment", of)["spec"]["template"]["metadata"]["labels"]
    for selector in (
        part("service", of)["spec"]["selector"],
        part("pdb", of)["spec"]["selector"]["matchLabels"],
    ):
        assert selector.items() <= labels.items()
    assert part("service", of, Asked(only=("service",)))["spec"]["ports"] == [
        {"name": "http", "port": 80, "targetPort": "http"}
    ]
