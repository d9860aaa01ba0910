"""A PID namespace of its own, with its own /proc and network: a hook may kill everything in it, and reach nothing else.

Linux only: it takes util-linux' `unshare` and `nsenter`, and either root or user namespaces. Every program enters
through a guard that compares namespaces before it starts anything, so that a mistake ends in `Refused` and not in
signals to the machine's processes.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from headrace.errors import HeadraceError

REFUSED: Final = 97
"""Exit code of the guard when it is not where it should be."""
_START_S: Final = 20.0
"""A namespace that is not there after this long will not come; it takes 50 ms on an idle machine."""

# Brings the loopback interface up (SIOCSIFFLAGS, IFF_UP), then becomes the container's program or waits as pause does.
_FIRST: Final = """
import fcntl, json, os, signal, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 1))
argv, environment = json.loads(sys.argv[1])
os.write(1, b"up\\n")
if argv:
    os.dup2(2, 1)
    os.execvpe(argv[0], argv, environment)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    signal.pause()
"""
_GUARD: Final = """
import json, os, sys
here, theirs, ours = os.readlink("/proc/self/ns/pid"), sys.argv[1], sys.argv[2]
if here != theirs or here == ours or os.readlink("/proc/1/ns/pid") != here:
    sys.exit(97)
argv, environment = json.loads(sys.argv[3])
try:
    os.execvpe(argv[0], argv, environment)
except FileNotFoundError:
    print(argv[0] + ": not found", file=sys.stderr)
    sys.exit(127)
"""


class Refused(HeadraceError):
    """A program was to be run in a namespace that is not surely its own."""


def missing() -> str:
    """What keeps this machine from making such namespaces, in one sentence; empty: nothing does."""
    if not sys.platform.startswith("linux"):
        return "a pod is rehearsed in Linux namespaces, which this system does not have"
    absent = [name for name in ("unshare", "nsenter") if shutil.which(name) is None]
    if absent:
        return f"a pod is rehearsed with util-linux' {' and '.join(absent)}, not on the PATH here"
    tried = subprocess.run([*_unshare(), "true"], capture_output=True, check=False, timeout=_START_S)
    return (
        "" if tried.returncode == 0 else "neither root nor user namespaces here, so no pod can be rehearsed"
    )


def _unshare() -> list[str]:
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *rights, "--pid", "--net", "--fork", "--kill-child", "--mount-proc"]


class Namespace:
    """One namespace. Its first process is the given program, or one that waits as a pod's pause container does.

    A context manager: when it is left, the kernel kills whatever still runs inside.
    """

    def __init__(self, argv: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> None:
        first = json.dumps([list(argv), dict(environment or {})])
        command = [*_unshare(), sys.executable, "-I", "-S", "-c", _FIRST, first]
        self.started: list[subprocess.Popen[bytes]] = []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            assert self.process.stdout is not None
            if self.process.stdout.readline() != b"up\n":
                raise Refused("the namespace did not come up")
            self.first_pid = _only_child(self.process.pid)
            """The first process, by the machine's own count."""
            self.identity = os.readlink(f"/proc/{self.first_pid}/ns/pid")
            self.check()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Namespace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self) -> None:
        """Makes sure that it is a namespace of its own and still there.

        Raises:
            Refused: It is this process's own, or has ended.
        """
        try:
            theirs = os.readlink(f"/proc/{self.first_pid}/ns/pid")
        except OSError as error:
            raise Refused("the namespace has ended") from error
        if self.process.poll() is not None:
            raise Refused("the namespace has ended")
        if theirs != self.identity or theirs == os.readlink("/proc/self/ns/pid"):
            raise Refused("this is not a PID namespace of its own: nothing is run in it")

    def start(
        self, argv: Sequence[str], environment: Mapping[str, str], output: int | None = None
    ) -> subprocess.Popen[bytes]:
        """Starts a program inside.

        Args:
            argv: The program and its arguments.
            environment: All its variables.
            output: Where its output goes; None: where this process's goes.

        Raises:
            Refused: The namespace is not surely its own.
        """
        self.check()
        ours = os.readlink("/proc/self/ns/pid")
        rights = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        enter = ["nsenter", "--target", str(self.first_pid), *rights, "--pid", "--net", "--mount", "--"]
        guard = [sys.executable, "-I", "-S", "-c", _GUARD, self.identity, ours]
        told = json.dumps([list(argv), dict(environment)])
        process = subprocess.Popen(
            [*enter, *guard, told], stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        self.started.append(process)
        return process

    def run(self, argv: Sequence[str], environment: Mapping[str, str], timeout_s: float) -> tuple[int, str]:
        """Runs a program inside to its end: its exit code (-1: it took too long) and what it said."""
        process = self.start(argv, environment, subprocess.PIPE)
        try:
            said, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.kill(process)
            return -1, ""
        if process.returncode == REFUSED:
            raise Refused("the guard found itself in another namespace: nothing was run")
        return process.returncode, said.decode(errors="replace") if said else ""

    def pid_of(self, process: subprocess.Popen[bytes]) -> int | None:
        """The machine's own pid of what `start` has started; None: it has ended."""
        with contextlib.suppress(OSError, Refused):
            return _only_child(process.pid, 2.0)
        return None

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Ends what `start` has started, at once."""
        pid = self.pid_of(process)
        if pid is not None:
            self.signal(pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5.0)

    def signal(self, pid: int, number: signal.Signals) -> None:
        """Sends a signal to a process inside; nothing to one that is not, or whose namespace is this process's own."""
        if self.holds(pid) and self.identity != os.readlink("/proc/self/ns/pid"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def holds(self, pid: int) -> bool:
        """Whether a process, by the machine's own count, is inside."""
        try:
            return os.readlink(f"/proc/{pid}/ns/pid") == self.identity
        except OSError:
            return False

    def pids(self) -> tuple[int, ...]:
        """All processes inside, by the machine's own count, zombies left out."""
        found = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
        return tuple(sorted(pid for pid in found if self.holds(pid)))

    def close(self) -> None:
        """Ends all that runs inside, and waits until the kernel has ended it."""
        first = getattr(self, "first_pid", None)
        if first is not None and self.process.poll() is None:
            self.signal(first, signal.SIGKILL)  # the end of a namespace's first process ends all of it
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=5.0)
        self.process.kill()
        self.process.wait()
        for process in self.started:
            process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def _only_child(pid: int, within_s: float = _START_S) -> int:
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            break
        time.sleep(0.005)
    raise Refused("the program ended before it began")
