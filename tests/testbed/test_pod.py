"""Both preStop hooks as rendered, each in a PID namespace of its own: what leaves when; nothing outside is touched."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headrace.decide.grace import GRACE_BEFORE_S
from headrace.errors import InputError
from headrace.hook import Hook, command
from headrace.testbed.namespace import Namespace, Refused, missing
from headrace.testbed.pod import Container, Pod, container

SERVER = Path(__file__).with_name("server.py")
METRICS = ("vllm:num_requests_running", "vllm:num_requests_waiting")
BEFORE_S = 1.0
"""In place of the 20 s for the routers, so that tests need not wait."""

if missing() and os.environ.get("CI"):
    pytest.fail(missing(), pytrace=False)
pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "namespaces are there")


@pytest.fixture
def sentinel() -> Iterator[subprocess.Popen[bytes]]:
    """A process outside that must outlive everything."""
    process = subprocess.Popen(["sleep", "300"])
    yield process
    assert process.poll() is None, "something outside the namespace was killed"
    process.kill()
    process.wait()


def told(
    story: Path,
    hook: Hook,
    *,
    start_s: float = 0.0,
    busy_s: float = 0.0,
    drain_s: float = 0.0,
    host: str = "127.0.0.1",
    grace_s: float = 30.0,
    shell: str = "sh",
    shared: bool = True,
) -> Container:
    """A pod with the stand-in server, as its manifest says it."""
    server = [sys.executable, str(SERVER), str(hook.port), str(start_s), host, str(drain_s), str(busy_s)]
    return container(
        {
            "shareProcessNamespace": shared,
            "terminationGracePeriodSeconds": grace_s,
            "containers": [
                {
                    "name": "server",
                    "command": server[:1],
                    "args": server[1:],
                    "env": [{"name": "STORY", "value": str(story)}],
                    "lifecycle": {"preStop": {"exec": {"command": [shell, *command(hook)[1:]]}}},
                }
            ],
        }
    )


def native(port: int = 8000) -> Hook:
    return Hook(port, BEFORE_S)


def idle(port: int = 8000, most_s: float = 20.0) -> Hook:
    return Hook(port, BEFORE_S, most_s, METRICS)


def words(story: Path) -> list[str]:
    return story.read_text().split() if story.exists() else []


def listening(story: Path) -> bool:
    return "listening" in words(story)


@pytest.mark.usefixtures("sentinel")
@pytest.mark.parametrize("hook", [native(), idle()], ids=["native", "idle"])
def test_busy_and_listening_is_let_finish(tmp_path: Path, hook: Hook) -> None:
    story = tmp_path / "story"
    # The native server drains by itself on SIGTERM; the other one aborts, so that its hook must wait.
    drain_s = 30.0 if hook.idle_s is None else 0.0
    with Pod(told(story, hook, busy_s=4.0, drain_s=drain_s)) as pod:
        assert pod.watch(lambda _: listening(story), 20.0)
        stayed_s = pod.delete()
    assert words(story)[-1] == "finished"
    assert 3.0 < stayed_s < 12.0
    assert pod.at_s("SIGKILL") is None


@pytest.mark.usefixtures("sentinel")
@pytest.mark.parametrize(
    "hook", [Hook(8000, GRACE_BEFORE_S), Hook(8000, GRACE_BEFORE_S, 60, METRICS)], ids=["native", "idle"]
)
def test_idle_and_listening_leaves_in_25_s(tmp_path: Path, hook: Hook) -> None:
    story = tmp_path / "story"
    with Pod(told(story, hook, drain_s=60.0, grace_s=110.0)) as pod:
        assert pod.watch(lambda _: listening(story), 20.0)
        stayed_s = pod.delete()
    assert 20.0 <= stayed_s <= 30.0
    assert words(story)[-1] == "finished"


@pytest.mark.usefixtures("sentinel")
@pytest.mark.parametrize("hook", [native(), idle()], ids=["native", "idle"])
def test_still_starting_is_gone_within_5_s(tmp_path: Path, hook: Hook) -> None:
    story = tmp_path / "story"
    with Pod(told(story, hook, start_s=300.0, grace_s=350.0)) as pod:
        time.sleep(0.3)
        inside = pod.namespace.pids()
        assert len(inside) >= 2, "the pause process and the server"
        stayed_s = pod.delete()
    assert stayed_s < 5.0
    assert not listening(story)
    assert pod.at_s("SIGTERM") is None, "nothing was left to be asked"
    assert not any(Path(f"/proc/{pid}").exists() and pod.namespace.holds(pid) for pid in inside)


@pytest.mark.usefixtures("sentinel")
def test_without_a_shared_namespace_pid_1_stays(tmp_path: Path) -> None:
    story = tmp_path / "story"
    with Pod(told(story, native(), start_s=300.0, grace_s=4.0, shared=False)) as pod:
        time.sleep(0.3)
        stayed_s = pod.delete()
    assert stayed_s >= 4.0, "the hook can't reach PID 1, and the grace period has to end"
    assert pod.at_s("SIGKILL") is not None


@pytest.mark.usefixtures("sentinel")
def test_a_stream_longer_than_n_is_cut(tmp_path: Path) -> None:
    story = tmp_path / "story"
    with Pod(told(story, idle(most_s=3.0), busy_s=60.0)) as pod:
        assert pod.watch(lambda _: listening(story), 20.0)
        stayed_s = pod.delete()
    assert words(story)[-1] == "cut"
    assert 3.5 < stayed_s < 12.0


@pytest.mark.usefixtures("sentinel")
@pytest.mark.parametrize("port", [1, 80, 8000, 30000, 65535])
def test_other_ports(tmp_path: Path, port: int) -> None:
    story = tmp_path / "story"
    with Pod(told(story, native(port))) as pod:
        assert pod.watch(lambda _: listening(story), 20.0)
        assert pod.delete() >= BEFORE_S
    assert words(story)[-1] == "finished"


@pytest.mark.usefixtures("sentinel")
@pytest.mark.parametrize("hook", [native(), idle()], ids=["native", "idle"])
def test_ipv6_only(tmp_path: Path, hook: Hook) -> None:
    story = tmp_path / "story"
    with Pod(
        told(story, hook, host="::1", busy_s=3.0, drain_s=0.0 if hook.idle_s else 30.0), host="::1"
    ) as pod:
        assert pod.watch(lambda _: listening(story), 20.0)
        pod.delete()
    assert words(story)[-1] == "finished"


def tools(folder: Path, *names: str) -> str:
    """A PATH that holds only these programs."""
    folder.mkdir()
    for name in names:
        found = sys.executable if name == "python3" else shutil.which(name)
        if found is None:
            pytest.skip(f"{name} is not on this machine")
        (folder / name).symlink_to(found)
    return str(folder)


@pytest.mark.usefixtures("sentinel")
@pytest.mark.parametrize(
    "present",
    [("curl",), ("wget",), ("python3",), ("curl", "wget", "python3"), ()],
    ids=lambda names: "+".join(names) or "none",
)
def test_missing_programs(tmp_path: Path, present: tuple[str, ...]) -> None:
    # No ps, grep, awk anywhere; with no program that fetches, the hook waits all of N.
    path = tools(tmp_path / "bin", "sh", "sleep", *present)
    story = tmp_path / "story"
    with Pod(told(story, idle(most_s=6.0), busy_s=2.0), path=path) as pod:
        assert pod.watch(lambda _: listening(story), 20.0)
        stayed_s = pod.delete()
    assert words(story)[-1] == "finished"
    assert stayed_s < 6.0 if present else 6.5 <= stayed_s < 12.0


@pytest.mark.usefixtures("sentinel")
@pytest.mark.parametrize("shell", ["bash", "dash", "busybox"])
def test_shells(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not on this machine")
    story = tmp_path / "story"
    hook = idle()
    one = told(story, hook, busy_s=3.0, shell=shell)
    if shell == "busybox":
        one = one._replace(pre_stop=("busybox", "sh", *command(hook)[1:]))
    with Pod(one) as pod:
        assert pod.watch(lambda _: listening(story), 20.0)
        pod.delete()
    assert words(story)[-1] == "finished"


def test_a_namespace_that_is_not_its_own_is_refused() -> None:
    with Namespace() as namespace:
        namespace.first_pid = os.getpid()
        namespace.identity = os.readlink("/proc/self/ns/pid")
        with pytest.raises(Refused):
            namespace.run(["true"], {"PATH": os.environ["PATH"]}, 5.0)
        namespace.signal(os.getpid(), signal.SIGKILL)  # this very process: nothing may come of it
        namespace.close()


def test_the_guard_refuses_inside_too() -> None:
    """Also where the check before has been fooled: another namespace stands where this one should."""
    with Namespace() as one, Namespace() as other:
        other.identity = one.identity
        with pytest.raises(Refused):
            other.run(["true"], {"PATH": os.environ["PATH"]}, 5.0)


def test_a_namespace_that_has_ended_is_refused() -> None:
    with Namespace() as namespace:
        namespace.close()
        with pytest.raises(Refused):
            namespace.start(["true"], {"PATH": os.environ["PATH"]})


def test_processes_are_counted_inside_only() -> None:
    with Namespace() as namespace:
        environment = {"PATH": os.environ["PATH"]}
        process = namespace.start(["sleep", "60"], environment)
        assert namespace.pid_of(process) in namespace.pids()
        assert os.getpid() not in namespace.pids()
        assert namespace.run(["sh", "-c", "kill -TERM -1"], environment, 5.0)[0] == 0
        assert process.wait(timeout=5.0) != 0
        assert len(namespace.pids()) == 1


def probed(story: Path, **probes: object) -> Container:
    spec = {
        "shareProcessNamespace": True,
        "containers": [
            {
                "name": "server",
                "command": [sys.executable, str(SERVER), "8000", "1.5", "127.0.0.1", "0", "0"],
                "env": [{"name": "STORY", "value": str(story)}],
                **probes,
            }
        ],
    }
    return container(spec)


def test_a_startup_probe_lets_it_load_and_readiness_follows(tmp_path: Path) -> None:
    get = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 1}
    one = probed(
        tmp_path / "story",
        startupProbe={**get, "failureThreshold": 60},
        readinessProbe=get,
        livenessProbe=get,
    )
    with Pod(one, times=0.3) as pod:
        assert pod.watch(lambda each: each.ready, 30.0)
        assert pod.at_s("up") is not None
        assert pod.at_s("restarted") is None


def test_a_liveness_probe_kills_what_loads(tmp_path: Path) -> None:
    get = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 1, "failureThreshold": 2}
    with Pod(probed(tmp_path / "story", livenessProbe=get), times=0.1) as pod:
        assert pod.watch(lambda each: each.at_s("restarted") is not None, 30.0)


def test_exec_and_tcp_probes(tmp_path: Path) -> None:
    one = probed(
        tmp_path / "story",
        startupProbe={"tcpSocket": {"port": 8000}, "failureThreshold": 100, "periodSeconds": 1},
        readinessProbe={"exec": {"command": ["true"]}, "periodSeconds": 1},
    )
    with Pod(one, times=0.2) as pod:
        assert pod.watch(lambda each: each.ready, 30.0)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({}, "no container"),
        ({"containers": [{"name": "a", "command": ["true"]}]}, 'no container "b"'),
        ({"containers": [{"name": "b", "image": "x"}]}, "no command"),
    ],
)
def test_what_can_not_be_run_is_said(spec: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        container(spec, "b")
