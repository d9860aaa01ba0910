"""Rules on start-up, storage and sleep mode: what fires, and what is near it and must not."""

from __future__ import annotations

import pytest
from tests.lint.manifests import added, after, deployment, fires

CLAIM = "volumes:\n- name: cache\n  persistentVolumeClaim: {claimName: cache}"
EMPTY = "volumes:\n- name: cache\n  emptyDir: {}"


def mount(path: str) -> str:
    return f"volumeMounts:\n- {{name: cache, mountPath: {path}}}"


@pytest.mark.parametrize(
    ("pod", "container", "args", "image", "expected"),
    [
        ("", "", "--model=/m", "v0.19.0", 1),
        (CLAIM, mount("/root/.cache/vllm"), "--model=/m", "v0.19.0", 0),
        (CLAIM, mount("/root/.cache"), "--model=/m", "v0.19.0", 0),
        (CLAIM, mount("/root/.cache/huggingface"), "--model=/m", "v0.19.0", 1),
        (EMPTY, mount("/root/.cache/vllm"), "--model=/m", "v0.19.0", 1),
        (
            "volumes: [{name: cache, hostPath: {path: /d}}]",
            mount("/root/.cache/vllm"),
            "--model=/m",
            "v0.19.0",
            0,
        ),
        (CLAIM, mount("/c") + "\nenv: [{name: VLLM_CACHE_ROOT, value: /c/v}]", "--model=/m", "v0.19.0", 0),
        (CLAIM, mount("/c") + "\nenv: [{name: HOME, value: /c}]", "--model=/m", "v0.19.0", 0),
        (CLAIM, mount("/c") + "\nenv: [{name: XDG_CACHE_HOME, value: /c}]", "--model=/m", "v0.19.0", 0),
        ("", "", "--model=/m|--enforce-eager", "v0.19.0", 0),
        ("", "", "--model=/m", "v0.7.3", 0),
        ("", "", "--model=/m", "latest", 1),
        ("", "", "--model=/m|$(EXTRA)", "v0.19.0", 0),
    ],
)
def test_the_compile_cache(pod: str, container: str, args: str, image: str, expected: int) -> None:
    text = deployment(pod=pod, container=container, args=args, image=f"vllm/vllm-openai:{image}")
    assert len(fires("start-no-compile-cache", text)) == expected


def test_only_vllm_compiles_into_that_folder() -> None:
    assert not fires("start-no-compile-cache", deployment(image="lmsysorg/sglang:v0.5.0", args=""))


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("vllm/vllm-openai", 1),
        ("vllm/vllm-openai:latest", 1),
        ("vllm/vllm-openai:nightly", 1),
        ("registry.local:5000/vllm/vllm-openai", 1),
        ("vllm/vllm-openai:v0.19.0", 0),
        ("vllm/vllm-openai:nightly-2026-01-01", 0),
        ("vllm/vllm-openai:latest@sha256:" + "0" * 64, 0),
        ("vllm/vllm-openai:${TAG}", 0),
        ("${IMAGE}", 0),
        ("nginx:latest", 0),
    ],
)
def test_floating_images(image: str, expected: int) -> None:
    assert len(fires("start-image-floats", deployment(image=image))) == expected


@pytest.mark.parametrize(
    ("pod", "container", "args", "expected"),
    [
        ("", "", "--model=org/model", 1),
        ("", "", "--model|org/model", 1),
        ("", "", "--model=s3://bucket/model", 1),
        ("", "", "--model=s3://bucket/model|--load-format=runai_streamer", 0),
        ("", "", "--model=org/model|--load-format=auto", 1),
        (CLAIM, mount("/root/.cache/huggingface"), "--model=org/model", 0),
        (EMPTY, mount("/root/.cache/huggingface"), "--model=org/model", 1),
        (CLAIM, mount("/c"), "--model=org/model", 1),
        (CLAIM, mount("/c"), "--model=org/model|--download-dir=/c/hub", 0),
        (CLAIM, mount("/c") + "\nenv: [{name: HF_HOME, value: /c}]", "--model=org/model", 0),
        ("", "", "--model=/models/llama", 0),
        ("", "", "--model=$(MODEL)", 0),
        ("", "env: [{name: MODEL, value: org/model}]", "--model=$(MODEL)", 1),
        (
            EMPTY + "\ninitContainers: [{name: get, image: x, volumeMounts: [{name: cache, mountPath: /m}]}]",
            mount("/m"),
            "--model=/m/llama",
            1,
        ),
        (EMPTY, mount("/m"), "--model=/m/llama", 0),
    ],
)
def test_weights(pod: str, container: str, args: str, expected: int) -> None:
    assert (
        len(fires("start-weights-per-pod", deployment(pod=pod, container=container, args=args))) == expected
    )


def test_a_model_may_be_the_first_bare_word() -> None:
    text = deployment(args="serve|org/model|--port|'8000'").replace("args:", "command: [vllm]\n        args:")
    (one,) = fires("start-weights-per-pod", text)
    assert "org/model" in one.message


def test_a_pull_at_each_start() -> None:
    rule = "start-pull-always"
    text = deployment(container="imagePullPolicy: Always")
    assert fires(rule, text)
    assert not fires(rule, deployment(container="imagePullPolicy: IfNotPresent"))
    assert not fires(rule, deployment(container="imagePullPolicy: Always", image="vllm/vllm-openai:latest"))
    assert not fires(rule, deployment(container="imagePullPolicy: ${P}"))
    assert after(rule, text) == text.replace("Always", "IfNotPresent")


SHM = "volumes:\n- name: shm\n  emptyDir: {medium: Memory%s}"
AT = "volumeMounts:\n- {name: shm, mountPath: /dev/shm}"
TWO = "--model=/m|--tensor-parallel-size=2"


@pytest.mark.parametrize(
    ("pod", "container", "args", "expected"),
    [
        ("", "", TWO, 1),
        ("", "", "--model=/m|-tp|'2'", 1),
        ("", "resources: {limits: {nvidia.com/gpu: 2}}", "--model=/m", 1),
        ("", "resources: {limits: {nvidia.com/gpu: 1}}", "--model=/m", 0),
        ("hostIPC: true", "", TWO, 0),
        (SHM % "", AT, TWO, 0),
        (SHM % ", sizeLimit: 1Gi", AT, TWO, 0),
        (SHM % ", sizeLimit: 512Mi", AT, TWO, 1),
        ("volumes:\n- name: shm\n  emptyDir: {}", AT, TWO, 1),
        ("volumes:\n- name: shm\n  hostPath: {path: /dev/shm}", AT, TWO, 0),
        ("", "", "--model=/m", 0),
    ],
)
def test_shared_memory(pod: str, container: str, args: str, expected: int) -> None:
    assert len(fires("start-shm-small", deployment(pod=pod, container=container, args=args))) == expected


def test_a_memory_volume_is_added_where_there_are_no_lists() -> None:
    text = deployment(args=TWO)
    now = after("start-shm-small", text)
    assert [line for line in added(text, now) if "shm" in line] == [
        "- name: shm",
        "mountPath: /dev/shm",
        "- name: shm",
    ]
    assert not fires("start-shm-small", deployment(args=TWO, pod=CLAIM, container=mount("/c")))[0].changes


DEVELOPMENT = "env:\n- {name: VLLM_SERVER_DEV_MODE, value: '1'}"


def test_sleep_mode_without_its_endpoints() -> None:
    rule = "sleep-without-dev-mode"
    assert fires(rule, deployment(args="--model=/m|--enable-sleep-mode"))
    assert not fires(rule, deployment(args="--model=/m|--enable-sleep-mode", container=DEVELOPMENT))
    assert fires(
        rule, deployment(args="--model=/m|--enable-sleep-mode", container=DEVELOPMENT.replace("'1'", "'0'"))
    )
    assert not fires(rule, deployment(args="--model=/m"))
    secret = "envFrom: [{configMapRef: {name: x}}]"
    assert not fires(rule, deployment(args="--model=/m|--enable-sleep-mode", container=secret))


def service(kind: str = "ClusterIP", selector: str = "{app: llama}") -> str:
    head = "---\napiVersion: v1\nkind: Service\nmetadata: {name: llama}\nspec:\n"
    return f"{head}  type: {kind}\n  selector: {selector}\n  ports: [{{port: 80}}]\n"


def test_sleep_mode_in_the_open() -> None:
    rule = "sleep-exposed"
    (one,) = fires(rule, deployment(container=DEVELOPMENT) + service("LoadBalancer"))
    assert "everybody" in one.message
    assert fires(rule, deployment(container=DEVELOPMENT) + service())
    assert not fires(rule, deployment(container=DEVELOPMENT))
    assert not fires(rule, deployment(container=DEVELOPMENT) + service(selector="{app: other}"))
    assert not fires(rule, deployment() + service())
    policy = (
        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\nspec:\n"
        "  podSelector: {matchLabels: {app: llama}}\n"
    )
    assert not fires(rule, deployment(container=DEVELOPMENT) + service() + policy)
