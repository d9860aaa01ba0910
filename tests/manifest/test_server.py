"""Model servers found in manifests: by command, script or image; what is known of them and what is said not to be."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.lint.manifests import ENGINES, deployment, found, shell

from headrace.documents import Document, parts
from headrace.manifest.bundle import Bundle, bundle
from headrace.manifest.server import Server


def read(text: str) -> Bundle:
    return bundle([part for part in parts(text, "x") if isinstance(part, Document)], ENGINES)


def only(text: str) -> Server:
    (server,) = read(text).servers
    return server


def command(*words: str, image: str = "example/own:1", args: str = "") -> str:
    listed = ", ".join(f'"{word}"' for word in words)
    return deployment(image=image, args=args, container=f"command: [{listed}]")


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        (command("vllm", "serve", "org/m"), "vllm"),
        (command("/opt/venv/bin/vllm", "serve", "org/m"), "vllm"),
        (command("python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "org/m"), "vllm"),
        (command("python", "-m", "vllm.entrypoints.api_server"), "vllm"),
        (command("env", "A=1", "exec", "vllm", "serve", "m"), "vllm"),
        (command("tini", "--", "vllm", "serve", "m"), "vllm"),
        (command("python3", "-m", "sglang.launch_server", "--model-path", "m"), "sglang"),
        (command("text-generation-launcher", "--model-id", "m"), "tgi"),
        (shell("bash", "-c", "ray start --head\nvllm serve m --port 8080", image="example/own:1"), "vllm"),
        (
            shell(
                "/bin/sh", "-ec", "exec python3 -m vllm.entrypoints.openai.api_server", image="example/own:1"
            ),
            "vllm",
        ),
        (deployment(image="vllm/vllm-openai:v0.19.0"), "vllm"),
        (deployment(image="vllm/vllm-openai:v0.19.0", args=""), "vllm"),
        (deployment(image="lmsysorg/sglang:v0.5", args=""), "sglang"),
        (deployment(image="ghcr.io/huggingface/text-generation-inference:3.0", args=""), "tgi"),
    ],
)
def test_servers(text: str, engine: str) -> None:
    server = only(text)
    assert server.engine.name == engine
    assert server.start is not None
    assert not server.unknown


@pytest.mark.parametrize(
    "text",
    [
        deployment(image="nginx:1.27", args=""),
        deployment(image="ghcr.io/llm-d/llm-d-inference-sim:v0.5", args="--model|m"),
        deployment(image="example/vllm-router:1", args=""),
        deployment(image="quay.io/x/gradio-rag-vllm:1", args=""),
        command("python3", "bench.py", image="vllm/vllm-openai:v0.19.0"),
        command("sleep", "infinity", image="vllm/vllm-openai:v0.19.0"),
        command("ray", "start", "--address=x", image="vllm/vllm-openai:v0.19.0"),
        command("echo", "vllm", "serve"),
        command("pip", "install", "vllm", "serve"),
        deployment().replace("apps/v1", "batch/v1").replace("Deployment", "Job"),
    ],
)
def test_what_is_none(text: str) -> None:
    assert not read(text).servers


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (command("/scripts/start.sh", image="vllm/vllm-openai:v0.19.0"), "/scripts/start.sh"),
        (shell("bash", "-c", "bash /scripts/start.sh"), "/scripts/start.sh"),
        (deployment(image="example/engine:vllm-0.9", args=""), "entry point of its own"),
        (command("$(START)", image="vllm/vllm-openai:v0.19.0"), "$(START)"),
    ],
)
def test_what_can_not_be_known_is_said(text: str, why: str) -> None:
    server = only(text)
    assert why in server.unknown
    assert server.start is None
    assert [each.rule for each in found(text)].count("server-unknown") == 1


@pytest.mark.parametrize(
    ("args", "slots"),
    [
        ("--max-num-seqs=64", 64),
        ("--max-num-seqs|'64'", 64),
        ("--max_num_seqs=64", 64),
        ("--max-num-seqs=1|--max-num-seqs=64", 64),
        ("--max-num-seqs=$(N)", None),
        ("--max-num-seqs", None),
        ("--trust-remote-code|--max-num-seqs=64", 64),
        ("--max-num-batched-tokens=64", None),
    ],
)
def test_flags(args: str, slots: int | None) -> None:
    assert only(deployment(args=args)).slots == slots


def test_variables_are_filled_in_where_their_value_is_written() -> None:
    text = deployment(args="--max-num-seqs=$(N)|--model=$(MODEL)", container='env: [{name: N, value: "64"}]')
    server = only(text)
    assert server.slots == 64
    assert server.model_name is None
    script = shell(
        "bash",
        "-c",
        "vllm serve $MODEL --port ${PORT}",
        container="env: [{name: MODEL, value: org/m}, {name: PORT, value: '9'}]",
    )
    assert only(script).model_name == "org/m"
    assert only(script).port == 9


def test_the_bare_model_and_ports() -> None:
    server = only(command("vllm", "serve", "--port", "9000", "org/m", "--trust-remote-code"))
    assert server.port == 9000
    assert server.model_name == "org/m"
    assert only(deployment()).port == 8000
    assert only(deployment(image="lmsysorg/sglang:v0.5", args="")).port == 30000


def test_words_of_a_script_know_their_line() -> None:
    text = shell("bash", "-c", "cd /tmp\nvllm serve m \\\n  --max-num-seqs 64")
    from headrace.manifest.words import mark_in

    flag = only(text).flag(("--max-num-seqs",))
    assert flag is not None
    lines = tuple(text.split("\n"))
    mark = mark_in(flag.arg.node, flag.arg.at, lines)
    assert lines[mark.line - 1][mark.column - 1 :] == "--max-num-seqs 64"


def test_pods_of_several_templates_are_named_by_them() -> None:
    text = (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: a}\nspec:\n"
        "  leaderWorkerTemplate:\n"
        "    leaderTemplate:\n      spec:\n        containers: [{name: v, image: vllm/vllm-openai:v0.19.0}]\n"
        "    workerTemplate:\n      spec:\n        containers: [{name: v, image: vllm/vllm-openai:v0.19.0}]\n"
    )
    assert [server.name for server in read(text).servers] == ["leaderTemplate/v", "workerTemplate/v"]
    assert all(server.native for server in read(text).servers)


def test_lists_are_unwrapped() -> None:
    inner = "\n".join("  " + line for line in deployment().rstrip().split("\n"))
    text = f"apiVersion: v1\nkind: List\nitems:\n-{inner[1:]}\n"
    assert only(text).pod.resource.title == "Deployment/llama"


ODD = ("", "~", "[]", "{}", "7", "text", "[1, {a: b}]", "{a: [b]}", "'{{ x }}'", "!!str x", "-1", "true")


def test_odd_shapes_never_raise(tmp_path: Path) -> None:
    """Every value of a manifest replaced, one after the other, by what nobody expects there."""
    draw = random.Random(7)
    text = (
        deployment(
            "replicas: 1",
            "terminationGracePeriodSeconds: 30",
            "env: [{name: A, value: b}]\nlifecycle: {preStop: {exec: {command: [a]}}}",
        )
        + "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n"
        "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}\n  minReplicas: 1\n  maxReplicas: 8\n"
        "  metrics: [{type: Pods, pods: {metric: {name: a}, target: {type: AverageValue, averageValue: '1'}}}]\n"
        "---\napiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: b}\nspec:\n"
        "  scaleTargetRef: {name: llama}\n"
        "  triggers: [{type: prometheus, metadata: {query: q, threshold: '1'}}]\n"
        "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: c}\n"
        "spec: {minAvailable: 1, selector: {matchLabels: {app: llama}}}\n"
    )
    lines = text.split("\n")
    for i, line in enumerate(lines):
        key, colon, _ = line.partition(": ")
        for odd in draw.sample(ODD, 4):
            changed = [*lines[:i], f"{key}:{' ' if colon else ''} {odd}", *lines[i + 1 :]]
            found("\n".join(changed))
        found("\n".join([*lines[:i], *lines[i + 1 :]]))


def test_public_manifests_hold_the_servers_that_were_seen_in_them(shared_data: Path) -> None:
    counted = 0
    for path in sorted((shared_data / "manifests").glob("*.yaml")):
        counted += len(read(path.read_bytes().decode()).servers)
    assert counted == SERVERS


SERVERS = 50
"""Known and unknown ones, as two readers of the files counted them by eye."""
