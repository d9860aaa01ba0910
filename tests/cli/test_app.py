"""The program itself: help, version, exit codes, completion, what it imports, how it is interrupted."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headrace.config import schema

COMMAND = [sys.executable, "-c", "import sys; from headrace.cli import main; sys.exit(main())"]
HEAVY = ("numpy", "numba", "duckdb", "pydantic", "headrace.simulate")


def test_without_a_command_it_helps(run: Callable[..., Any]) -> None:
    ended = run()
    assert ended.code == 0
    assert all(f" {command} " in ended.out for command in ("simulate", "replay", "schema"))


def test_version(run: Callable[..., Any]) -> None:
    assert run("--version").out.startswith("headrace")


def test_schema_is_that_of_the_file(run: Callable[..., Any]) -> None:
    ended = run("schema")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out) == schema()


@pytest.mark.parametrize("arguments", ["--help", "simulate --help", "simulate x.csv --lag 1"])
def test_help_and_wrong_options_import_nothing_that_takes_long(arguments: str) -> None:
    told = "import sys; from headrace.cli import main; main(); print(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", told, *arguments.split()], capture_output=True, text=True, check=True
    )
    modules = done.stderr.split()
    assert "headrace.cli.simulate" in modules
    assert [name for name in modules if name in HEAVY] == []


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("headrace si", ["simulate"]),
        ("headrace simulate --ex", ["--example"]),
        ("headrace simulate --example ", ["seed-day", "llm-week"]),
        ("headrace simulate --policy h", ["hpa"]),
        ("headrace simulate --between ", ["rough", "line", "hold"]),
    ],
)
def test_a_shell_completes(line: str, completed: list[str]) -> None:
    asked = {"_HEADRACE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = subprocess.run(COMMAND, env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == completed


def test_a_bug_keeps_its_traceback(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("headrace.config.schema", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        run("schema")


@pytest.mark.parametrize(
    ("number", "code", "told"),
    [(signal.SIGINT, 130, "error: interrupted\n"), (signal.SIGTERM, 143, ""), (signal.SIGHUP, 129, "")],
)
def test_what_a_library_makes_of_a_signal_is_still_an_end(
    run: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    code: int,
    told: str,
) -> None:
    def struck() -> None:
        try:
            os.kill(os.getpid(), number)
            time.sleep(5.0)
        except BaseException:
            raise RuntimeError("Query interrupted") from None

    monkeypatch.setattr("headrace.config.schema", struck)
    ended = run("schema")
    assert (ended.code, ended.err) == (code, told)


def test_a_reader_that_leaves_gets_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [*COMMAND, "schema"], stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "")


def long_run(history: Callable[..., Path], *more: str) -> list[str]:
    """A command that takes far longer than any test waits."""
    rows = [f"{step * 60},{10 + step % 13}" for step in range(30 * 1440)]
    return [
        *COMMAND,
        "simulate",
        str(history(rows, head="t_s,rps")),
        "--tick",
        "1s",
        "--between",
        "line",
        *more,
    ]


def test_ctrl_c_ends_it_with_one_line_and_no_half_written_file(
    history: Callable[..., Path], tmp_path: Path
) -> None:
    page = tmp_path / "out.html"
    page.write_text("the old page")
    command = long_run(history, "--interpret", "--chart", str(page))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        time.sleep(2.5)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=30)
    assert started.returncode == 130
    assert err.strip() == "error: interrupted"
    assert out == ""
    assert page.read_text() == "the old page"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demand.csv", "out.html"]


@pytest.mark.parametrize("wait_s", [0.0, 0.15, 0.3, 0.45])
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=["kill", "hang-up", "ctrl-c"]
)
def test_an_end_while_reading_leaves_no_temporary_files_and_no_traceback(
    tmp_path: Path, number: signal.Signals, wait_s: float
) -> None:
    rows = tmp_path / "demand.csv"
    rows.write_text("t_s,rps\n" + "".join(f"{step},{10 + step % 13}\n" for step in range(1_000_000)))
    folder = tmp_path / "temporary"
    folder.mkdir()
    command = [*COMMAND, "simulate", str(rows)]
    env = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as started:
        until = time.monotonic() + 30
        while not any(folder.iterdir()) and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(wait_s)
        started.send_signal(number)
        _, err = started.communicate(timeout=30)
    told = "error: interrupted\n" if number == signal.SIGINT else ""
    assert (started.returncode, err) == (128 + number, told)
    assert not any(folder.iterdir())


def test_a_terminal_gets_a_bar_and_a_pipe_none(history: Callable[..., Path]) -> None:
    terminal, end = pty.openpty()
    command = long_run(history, "--interpret")
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, env=env) as started:
        os.close(end)
        seen = ""
        until = time.monotonic() + 30
        while "Simulating demand.csv" not in seen and time.monotonic() < until:
            try:
                seen += os.read(terminal, 4096).decode(errors="replace")
            except OSError:
                break
        started.send_signal(signal.SIGINT)
        out, _ = started.communicate(timeout=30)
    os.close(terminal)
    assert "Simulating demand.csv" in seen
    assert out == b""


@pytest.mark.parametrize("command", ["schema", "simulate --example seed-day --json", "simulate --help"])
def test_without_a_standard_output_it_ends_well(command: str) -> None:
    closed = f"{shlex.join(COMMAND)} {command} >&- <&-"
    done = subprocess.run(["sh", "-c", closed], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("command", ["schema", "simulate --example seed-day", "--help", "--version"])
def test_a_full_disk_is_said(command: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *command.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "error: standard output can't be written: no space left on device\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_that_the_output_lacks_are_no_reason_to_fail(encoding: str) -> None:
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    for more in ([], ["--json"]):
        done = subprocess.run(
            [*COMMAND, "simulate", "--example", "seed-day", *more],
            env=env,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(done.stdout)["rows"]) == 17
