"""One container of a pod, run the way a kubelet runs it: probes, preStop, grace, SIGTERM, SIGKILL.

What is real: the PID namespace (shared, with a pause process in front, or the container's own), the environment, the
command, the probes and the hook as they are written, signals and their order, the grace period that the hook counts in.
What is not: images and volumes (programs come from this machine's PATH, or the one given), cgroups, several containers.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from headrace.errors import InputError
from headrace.testbed.namespace import Namespace

_POLL_S: Final = 0.02
_BEHIND_HOOK_S: Final = 2.0
"""What a kubelet still gives a container whose hook has used up the grace period."""
_FETCH: Final = """
import sys, urllib.request, socket
kind, host, port, path = sys.argv[1:5]
if kind == "tcpSocket":
    socket.create_connection((host, int(port)), 1.0).close()
else:
    with urllib.request.urlopen(f"http://{'[' + host + ']' if ':' in host else host}:{port}{path}", timeout=1.0) as r:
        sys.exit(0 if 200 <= r.status < 400 else 1)
"""


class Check(NamedTuple):
    """One probe."""

    kind: str
    """httpGet, tcpSocket or exec."""
    argv: tuple[str, ...]
    port: int
    path: str
    delay_s: float
    period_s: float
    failures: int
    timeout_s: float


class Container(NamedTuple):
    """What a kubelet is told of a container."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    pre_stop: tuple[str, ...]
    """Words of the exec hook; empty: none."""
    sleep_s: float
    """Of the sleep action; 0: none."""
    grace_s: float
    shared: bool
    """shareProcessNamespace."""
    startup: Check | None
    readiness: Check | None
    liveness: Check | None


class Event(NamedTuple):
    """One thing that happened."""

    at_s: float
    """Seconds since the container was started."""
    what: str
    """started, up, ready, unready, restarted, deleted, preStop, preStop ended, SIGTERM, SIGKILL, exited."""
    detail: str = ""


def container(spec: Mapping[str, Any], name: str | None = None) -> Container:
    """A container of a pod's spec, as plain dicts and lists.

    Args:
        spec: ``spec`` of a pod, ``spec.template.spec`` of a Deployment.
        name: Of the container; None: the first.

    Raises:
        InputError: There is no such container, or it has no command of its own (no image is run here).
    """
    found = [each for each in spec.get("containers", []) if name in (None, each.get("name"))]
    if not found:
        raise InputError("pod", f'no container "{name}"' if name else "no containers")
    one = found[0]
    argv = (*map(str, one.get("command", ())), *map(str, one.get("args", ())))
    if not one.get("command"):
        raise InputError("pod", f'container "{one.get("name")}" has no command, and no image is run here')
    hook = one.get("lifecycle", {}).get("preStop", {})
    return Container(
        argv,
        {each["name"]: str(each.get("value", "")) for each in one.get("env", ())},
        tuple(map(str, hook.get("exec", {}).get("command", ()))),
        float(hook.get("sleep", {}).get("seconds", 0)),
        float(spec.get("terminationGracePeriodSeconds", 30)),
        bool(spec.get("shareProcessNamespace", False)),
        *(_check(one, kind) for kind in ("startupProbe", "readinessProbe", "livenessProbe")),
    )


def _check(one: Mapping[str, Any], kind: str) -> Check | None:
    probe = one.get(kind)
    if not probe:
        return None
    how = next((each for each in ("httpGet", "tcpSocket", "exec") if each in probe), "")
    ports = {str(port.get("name")): int(port["containerPort"]) for port in one.get("ports", ())}
    port = str(probe.get(how, {}).get("port", 0))
    return Check(
        how,
        tuple(map(str, probe.get("exec", {}).get("command", ()))),
        ports.get(port) or int(port),
        str(probe.get("httpGet", {}).get("path", "/")),
        float(probe.get("initialDelaySeconds", 0)),
        float(probe.get("periodSeconds", 10)),
        int(probe.get("failureThreshold", 3)),
        float(probe.get("timeoutSeconds", 1)),
    )


class Pod:
    """A running container; a context manager that ends it.

    Args:
        told: The container.
        path: PATH inside, so that programs can be missing; None: this machine's.
        times: Factor on the seconds of probes and the grace period, so that tests need not wait (1: as written). A
            hook's own seconds stand in its text and are not touched.
        host: Where probes ask, ``127.0.0.1`` or ``::1``.
    """

    def __init__(
        self, told: Container, *, path: str | None = None, times: float = 1.0, host: str = "127.0.0.1"
    ) -> None:
        self.told = told
        self.times = times
        self.host = host
        self.environment = {
            "PATH": path or os.environ.get("PATH", os.defpath),
            "HOME": "/",
            **told.environment,
        }
        self.events: list[Event] = []
        self.began_s = time.monotonic()
        self.up = told.startup is None
        self.ready = False
        self._launch()

    def _launch(self) -> None:
        self.started_s = time.monotonic()
        if self.told.shared:
            self.namespace = Namespace()
            self.main = self.namespace.start(self.told.argv, self.environment)
            self.pid = self.namespace.pid_of(self.main) or 0
        else:
            self.namespace = Namespace(self.told.argv, self.environment)
            self.main = self.namespace.process
            self.pid = self.namespace.first_pid
        self.due = {"startup": 0.0, "readiness": 0.0, "liveness": 0.0}
        self.failed = {"startup": 0, "readiness": 0, "liveness": 0}
        self._say("started")

    def __enter__(self) -> Pod:
        return self

    def __exit__(self, *_: object) -> None:
        self.namespace.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.main.wait(timeout=5.0)

    def _say(self, what: str, detail: str = "") -> None:
        self.events.append(Event(time.monotonic() - self.began_s, what, detail))

    def at_s(self, what: str) -> float | None:
        """When something happened first, seconds since the start; None: it has not."""
        return next((event.at_s for event in self.events if event.what == what), None)

    @property
    def running(self) -> bool:
        """Whether the container's process runs."""
        return self.main.poll() is None

    def watch(self, until: Callable[[Pod], bool], timeout_s: float) -> bool:
        """Runs the probes as they fall due until something is so; False: it took longer than `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        while not until(self):
            if time.monotonic() > deadline:
                return False
            self._probe()
            time.sleep(_POLL_S)
        return True

    def _probe(self) -> None:
        told = self.told
        checks = (
            (("startup", told.startup),)
            if not self.up
            else (("readiness", told.readiness), ("liveness", told.liveness))
        )
        for name, check in checks:
            if check is not None and self.running:
                self._ask(name, check)

    def _ask(self, name: str, check: Check) -> None:
        now = time.monotonic() - self.started_s
        if now < max(self.due[name], check.delay_s * self.times):
            return
        self.due[name] = now + check.period_s * self.times
        if self._answers(check):
            self.failed[name] = 0
            if name == "startup":
                self.up = True
                self._say("up")
            elif name == "readiness" and not self.ready:
                self.ready = True
                self._say("ready")
            return
        self.failed[name] += 1
        if self.failed[name] < check.failures:
            return
        if name == "readiness":
            if self.ready:
                self._say("unready")
            self.ready = False
        else:
            self._restart(name)

    def _answers(self, check: Check) -> bool:
        if check.kind == "exec":
            argv: Sequence[str] = check.argv
            environment: Mapping[str, str] = self.environment
        else:
            argv = (
                sys.executable,
                "-I",
                "-S",
                "-c",
                _FETCH,
                check.kind,
                self.host,
                str(check.port),
                check.path,
            )
            environment = {}
        process = self.namespace.start(argv, environment, subprocess.DEVNULL)
        try:
            return process.wait(timeout=max(check.timeout_s, 1.0) + 1.0) == 0
        except subprocess.TimeoutExpired:
            self.namespace.kill(process)
            return False

    def _restart(self, why: str) -> None:
        self._say("restarted", f"{why} failed")
        self.namespace.close()
        self.up, self.ready = self.told.startup is None, False
        self._launch()

    def delete(self) -> float:
        """Deletes the pod as a kubelet does, and returns how long it stayed, seconds."""
        began = time.monotonic()
        deadline = began + self.told.grace_s * self.times
        self._say("deleted")
        self._hook(deadline)
        if self.running:
            self._say("SIGTERM")
            self.namespace.signal(self.pid, signal.SIGTERM)
            self._wait(max(deadline, time.monotonic() + min(_BEHIND_HOOK_S, self.told.grace_s) * self.times))
        if self.running:
            self._say("SIGKILL")
        self.namespace.close()
        code = self.main.wait(timeout=10.0)
        self._say("exited", str(code))
        return time.monotonic() - began

    def _hook(self, deadline: float) -> None:
        if self.told.sleep_s:
            self._say("preStop", "sleep")
            self._wait(min(deadline, time.monotonic() + self.told.sleep_s * self.times))
        elif self.told.pre_stop and self.running:
            self._say("preStop", "exec")
            hook = self.namespace.start(self.told.pre_stop, self.environment)
            while hook.poll() is None and time.monotonic() < deadline and self.running:
                time.sleep(_POLL_S)
            if hook.poll() is None and self.running:
                self.namespace.kill(hook)
            with contextlib.suppress(subprocess.TimeoutExpired):
                hook.wait(timeout=1.0)
            self._say("preStop ended", str(hook.poll()))

    def _wait(self, deadline: float) -> None:
        while self.running and time.monotonic() < deadline:
            time.sleep(_POLL_S)
