"""Rules on how a server ends: what fires, what is near it and must not, what a fix leaves."""

from __future__ import annotations

import pytest
from tests.lint.manifests import ENGINES, after, deployment, fires, indented, shell

from headrace.hook import Hook, script
from headrace.manifest.bundle import bundle

LOOKS = "if grep -q :1F40 /proc/net/tcp; then sleep 20; else kill -KILL -1; fi"


def hook(text: str, shell_name: str = "sh") -> str:
    frame = (
        f"lifecycle:\n  preStop:\n    exec:\n      command:\n      - {shell_name}\n      - -c\n      - |\n"
    )
    return frame + indented(text, 8)


IDLE = script(Hook(8000, 20.0, 120.0, ("vllm:num_requests_running", "vllm:num_requests_waiting")))
OLD = "vllm/vllm-openai:v0.11.0"


def test_no_hook() -> None:
    rule = "drain-no-prestop"
    assert fires(rule, deployment())
    assert fires(rule, deployment(container="lifecycle: {postStart: {exec: {command: [ls]}}}"))
    assert fires(rule, deployment(image="lmsysorg/sglang:v0.5.0", args=""))
    assert fires(rule, deployment(container="lifecycle: {preStop: {}}"))
    assert not fires(rule, deployment(container=hook("sleep 20")))
    assert not fires(rule, deployment(image="nginx:1.27", args=""))
    assert not fires(rule, deployment().replace("apps/v1", "batch/v1").replace("Deployment", "Job"))


@pytest.mark.parametrize("image", ["vllm/vllm-openai:v0.19.0", OLD])
def test_the_hook_that_a_fix_adds_satisfies_every_rule_of_hooks(image: str) -> None:
    text = deployment(image=image, args="--model=/m|--port=9000")
    now = after("drain-no-prestop", text)
    for rule in ("drain-prestop-unaware", "drain-no-shared-pid", "drain-group-signal", "drain-no-idle-hook"):
        assert not fires(rule, now), rule
    assert "shareProcessNamespace: true" in now
    assert ":2328/0A" in now, "port 9000"
    assert ("num_requests_running" in now) == (image == OLD)


def test_no_hook_is_added_where_the_way_to_drain_is_not_known() -> None:
    unknown = deployment(image="vllm/vllm-openai:latest")
    (one,) = fires("drain-no-prestop", unknown)
    assert not one.changes
    sidecar = deployment() + "      - name: proxy\n        image: envoyproxy/envoy:v1.30.0\n"
    assert not fires("drain-no-prestop", sidecar)[0].changes, "kill -1 would reach the sidecar too"


@pytest.mark.parametrize(
    ("text", "aware"),
    [
        ("sleep 20", False),
        (LOOKS, True),
        ("ss -ltn | grep -q :8000 && sleep 20", True),
        ("if nc -z localhost 8000; then sleep 20; fi", True),
        ("curl -sf localhost:8000/health && sleep 20 || kill -KILL -1", True),
        ("curl -X POST localhost:8000/drain", False),
        ("(exec 3<>/dev/tcp/localhost/8000) && sleep 20", True),
        ("/scripts/stop.sh", True),
        (IDLE, True),
    ],
)
def test_whether_a_hook_looks(text: str, aware: bool) -> None:
    assert bool(fires("drain-prestop-unaware", deployment(container=hook(text)))) is not aware


def test_actions_without_a_script_do_not_look() -> None:
    assert fires(
        "drain-prestop-unaware", deployment(container="lifecycle: {preStop: {sleep: {seconds: 20}}}")
    )
    http = "lifecycle: {preStop: {httpGet: {path: /drain, port: 8000}}}"
    assert fires("drain-prestop-unaware", deployment(container=http))


@pytest.mark.parametrize(
    ("args", "image", "text", "expected"),
    [
        ("--model=/m", "vllm/vllm-openai:v0.18.0", LOOKS, 1),
        ("--model=/m|--shutdown-timeout=0", "vllm/vllm-openai:v0.18.0", LOOKS, 1),
        ("--model=/m|--shutdown-timeout|'60'", "vllm/vllm-openai:v0.18.0", LOOKS, 0),
        ("--model=/m|--shutdown_timeout=60", "vllm/vllm-openai:v0.18.0", LOOKS, 0),
        ("--model=/m", "vllm/vllm-openai:v0.17.9", LOOKS, 0),
        ("--model=/m", "vllm/vllm-openai:latest", LOOKS, 1),
        ("--model=/m", "vllm/vllm-openai:v0.18.0", IDLE, 0),
        ("--model=/m|--api-server-count=4", "vllm/vllm-openai:v0.18.0", LOOKS, 0),
        ("--model=/m|--shutdown-timeout=$(N)", "vllm/vllm-openai:v0.18.0", LOOKS, 0),
        ("--model=/m", "lmsysorg/sglang:v0.5.0", LOOKS, 0),
    ],
)
def test_no_shutdown_timeout(args: str, image: str, text: str, expected: int) -> None:
    found = fires("drain-no-shutdown-timeout", deployment(args=args, image=image, container=hook(text)))
    assert len(found) == expected
    if found and "latest" in image:
        assert found[0].confidence == "medium"


def test_a_timeout_is_added_behind_the_arguments_or_set() -> None:
    text = deployment(args="--model=/m")
    assert after("drain-no-shutdown-timeout", text) == text.replace(
        "        - --model=/m\n", "        - --model=/m\n        - --shutdown-timeout=300\n"
    )
    zero = deployment(args="--model=/m|--shutdown-timeout|'0'|--seed=1")
    assert after("drain-no-shutdown-timeout", zero) == zero.replace("'0'", "'300'")


@pytest.mark.parametrize(
    ("args", "image", "text", "expected"),
    [
        ("--model=/m", OLD, LOOKS, 1),
        ("--model=/m", OLD, IDLE, 0),
        ("--model=/m", OLD, "/scripts/stop.sh", 0),
        ("--model=/m|--api-server-count=2", "vllm/vllm-openai:v0.19.0", LOOKS, 1),
        ("--model=/m|-asc|'2'", "vllm/vllm-openai:v0.19.0", LOOKS, 1),
        ("--model=/m|--api-server-count=1", "vllm/vllm-openai:v0.19.0", LOOKS, 0),
        ("--model=/m", "vllm/vllm-openai:nightly", LOOKS, 0),
    ],
)
def test_no_idle_hook(args: str, image: str, text: str, expected: int) -> None:
    assert (
        len(fires("drain-no-idle-hook", deployment(args=args, image=image, container=hook(text)))) == expected
    )


@pytest.mark.parametrize(
    ("image", "expected"),
    [("v0.17.1", 1), ("v0.8.5.post1", 1), ("v0.18.0", 0), ("v0.18.0rc1", 0), ("latest", 0), ("v1.0.0", 0)],
)
def test_a_flag_too_new(image: str, expected: int) -> None:
    text = deployment(args="--model=/m|--shutdown-timeout=60", image=f"vllm/vllm-openai:{image}")
    assert len(fires("drain-flag-before-0.18", text)) == expected


def test_several_api_servers() -> None:
    rule = "drain-many-api-servers"
    assert fires(rule, deployment(args="--model=/m|--api-server-count=2|--shutdown-timeout=60"))
    assert not fires(rule, deployment(args="--model=/m|--api-server-count=2|--shutdown-timeout=0"))
    assert not fires(rule, deployment(args="--model=/m|--api-server-count=1|--shutdown-timeout=60"))
    assert not fires(rule, deployment(args="--model=/m|--data-parallel-size=2|--shutdown-timeout=60"))


@pytest.mark.parametrize(
    ("grace", "args", "text", "expected"),
    [
        ("", "--model=/m", "", 1),
        ("terminationGracePeriodSeconds: 109", "--model=/m", "", 1),
        ("terminationGracePeriodSeconds: 110", "--model=/m", "", 0),
        ("terminationGracePeriodSeconds: 349", "--model=/m|--shutdown-timeout=300", "", 1),
        ("terminationGracePeriodSeconds: 350", "--model=/m|--shutdown-timeout=300", "", 0),
        ("terminationGracePeriodSeconds: 80", "--model=/m|--shutdown-timeout=30", "", 0),
        ("terminationGracePeriodSeconds: 169", "--model=/m", IDLE, 1),
        ("terminationGracePeriodSeconds: 170", "--model=/m", IDLE, 0),
        ("terminationGracePeriodSeconds: ${G}", "--model=/m", "", 0),
    ],
)
def test_grace(grace: str, args: str, text: str, expected: int) -> None:
    found = fires(
        "drain-grace-too-short", deployment(pod=grace, args=args, container=hook(text) if text else "")
    )
    assert len(found) == expected
    assert all(each.container == "-" for each in found)


def test_a_grace_period_is_set_or_added() -> None:
    text = deployment(pod="terminationGracePeriodSeconds: 60  # short")
    assert after("drain-grace-too-short", text) == text.replace("60  # short", "350  # short")
    bare = deployment(args="--model=/m|--shutdown-timeout=120")
    assert after("drain-grace-too-short", bare) == bare + "      terminationGracePeriodSeconds: 170\n"


def test_grace_above_what_nodes_wait() -> None:
    rule = "drain-grace-above-node-drain"
    assert not fires(rule, deployment(pod="terminationGracePeriodSeconds: 600"))
    (one,) = fires(rule, deployment(pod="terminationGracePeriodSeconds: 601"))
    assert one.severity == "info"


def test_shared_process_namespace() -> None:
    rule = "drain-no-shared-pid"
    assert fires(rule, deployment(container=hook(LOOKS)))
    assert fires(rule, deployment(container=hook(LOOKS), pod="shareProcessNamespace: false"))
    assert not fires(rule, deployment(container=hook(LOOKS), pod="shareProcessNamespace: true"))
    assert not fires(rule, deployment(container=hook("sleep 20; kill -TERM 7")))
    assert "shareProcessNamespace: true\n" in after(
        rule, deployment(container=hook(LOOKS), pod="shareProcessNamespace: false")
    )


@pytest.mark.parametrize(
    ("pod", "container", "expected"),
    [
        ("shareProcessNamespace: true", hook("sleep 20; kill -TERM 1"), 1),
        ("shareProcessNamespace: true", hook("sleep 20; kill 1"), 1),
        ("shareProcessNamespace: true", hook("sleep 20; kill -s INT 1"), 1),
        ("shareProcessNamespace: true", "livenessProbe: {exec: {command: [sh, -c, 'kill -QUIT 1']}}", 1),
        ("shareProcessNamespace: true", hook(LOOKS), 0),
        ("shareProcessNamespace: true", hook("kill -0 1; kill -TERM 17"), 0),
        ("", hook("sleep 20; kill -TERM 1"), 0),
        ("shareProcessNamespace: true", "command: [/init]", 0),
        ("shareProcessNamespace: true", "command: [tini, --, vllm, serve, /m]", 1),
        ("shareProcessNamespace: true", "command: [tini, -s, --, vllm, serve, /m]", 0),
    ],
)
def test_reliance_on_pid_1(pod: str, container: str, expected: int) -> None:
    assert len(fires("drain-relies-on-pid-1", deployment(pod=pod, container=container, args=""))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sleep 20; pkill -f vllm", 1),
        ("sleep 20; pkill -TERM vllm", 1),
        ("killall python3", 1),
        ("kill -TERM -1", 1),
        ("kill 0", 1),
        ("kill -TERM -$pgid", 1),
        ("kill -- -42", 1),
        ("sleep 20; kill -KILL -1", 1),
        ("sleep 20; kill -9 -1", 1),
        (LOOKS, 0),
        (IDLE, 0),
        ("pkill -0 -f vllm && sleep 20", 0),
        ("kill -TERM 7", 0),
        ("pkill -KILL -f loader || true; sleep 20", 0),
        ("echo kill -TERM -1", 0),
    ],
)
def test_group_signals(text: str, expected: int) -> None:
    assert len(fires("drain-group-signal", deployment(container=hook(text)))) == expected


SERVE = "vllm serve /models/llama --port 8000"


@pytest.mark.parametrize(
    ("shell_name", "text", "expected"),
    [
        ("sh", SERVE, 1),
        ("sh", f"exec {SERVE}", 0),
        ("/bin/sh", f"set -e\nexec {SERVE}", 0),
        ("sh", f"export A=1\n{SERVE}", 1),
        ("bash", SERVE, 0),
        ("bash", f"export A=1\n{SERVE}", 0),
        ("/bin/bash", f"cd /tmp && {SERVE}", 0),
        ("bash", f"{SERVE}\necho ended", 1),
        ("bash", f"{SERVE} | tee /log", 1),
        ("bash", f"{SERVE} > /log 2>&1", 1),
        ("bash", f"{SERVE} &\nwait", 1),
        ("bash", f"if true; then\n  {SERVE}\nfi", 1),
        ("bash", f"if true; then\n  exec {SERVE}\nfi", 0),
        ("bash", f"trap 'kill -TERM $pid' TERM\n{SERVE} &\npid=$!\nwait", 0),
        ("bash", f"(exec {SERVE})\necho ended", 1),
    ],
)
def test_a_shell_that_keeps_sigterm(shell_name: str, text: str, expected: int) -> None:
    assert len(fires("drain-shell-swallows-sigterm", shell(shell_name, "-c", text))) == expected


def test_exec_is_put_in_front_of_the_last_command_only() -> None:
    text = shell("sh", "-c", f"echo begin\n# the server\n{SERVE}")
    assert after("drain-shell-swallows-sigterm", text) == text.replace(SERVE, f"exec {SERVE}")
    (one,) = fires("drain-shell-swallows-sigterm", shell("sh", "-c", f"{SERVE}\necho ended"))
    assert not one.changes, "exec would lose what follows"
    (one,) = fires("drain-shell-swallows-sigterm", shell("sh", "-c", f"{SERVE} | tee /log"))
    assert not one.changes


def test_the_hook_may_signal_the_server_itself() -> None:
    text = shell("sh", "-c", SERVE, container=hook("sleep 20; kill -TERM $(cat /run/vllm.pid)"))
    assert not fires("drain-shell-swallows-sigterm", text)


def test_engines_are_found_without_a_bundle() -> None:
    assert bundle((), ENGINES).servers == ()
