"""The program: its commands, and how each ends."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from headrace.cli.plain import PlainCommand, PlainGroup
from headrace.errors import HeadraceError
from headrace.units import printable

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells count."""
UNWRITTEN = 1
"""Exit code when standard output can't be written (a full disk)."""
BROKEN_PIPE = 1
"""Exit code when whoever read the output has gone (`headrace … | head`)."""


def _paragraphs(text: str | None) -> str:
    """A docstring with its lines joined: Typer would end a line of help wherever a line of source ends."""
    return "\n\n".join(" ".join(part.split()) for part in (text or "").split("\n\n"))


COMMANDS = ("plan", "lint", "render", "forecast", "simulate", "replay", "schema")
"""In the order of the help; each is the function of its name in the module of its name."""


def program(arguments: Sequence[str]) -> typer.Typer:
    """The program, with the one command that the arguments ask for, else with all.

    The other commands' options take a twentieth of a second to import, as long as a file takes to lint.
    """
    made = typer.Typer(
        name="headrace",
        cls=PlainGroup,
        help="Run LLM model servers at their service level, for the fewest accelerator hours, without cutting a "
        "stream: lint and render manifests, plan from weeks of real traffic, and rehearse by simulation.",
        pretty_exceptions_enable=False,  # an unexpected exception is a bug: its plain traceback is what to report
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback(invoke_without_command=True)(_program)
    asked = arguments[0] if arguments and arguments[0] in COMMANDS else None
    for name in COMMANDS if asked is None else (asked,):
        command = getattr(import_module(f"headrace.cli.{name}"), name)
        made.command(name, cls=PlainCommand, help=_paragraphs(command.__doc__))(command)
    return made


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"headrace {version('headrace')}")
        except PackageNotFoundError:
            print("headrace, from sources that are not installed")
        raise typer.Exit


def _program(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", metavar="", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code.

    What headrace or Typer says is wrong becomes one sentence on stderr; anything else that is raised is a bug
    and keeps its traceback.

    Args:
        arguments: Without the program's name; None: those of the process.
    """
    _require_streams()
    _signals.clear()
    _catch_terminations()
    try:
        given = sys.argv[1:] if arguments is None else list(arguments)
        code = program(given)(args=given, prog_name="headrace", standalone_mode=False)
        sys.stdout.flush()
    except HeadraceError as error:
        return _ended(str(error), error.exit_code)
    except typer.TyperException as error:
        return _ended(_usage_sentence(error.format_message()), error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return _ended("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None:  # not of a stream that is already open
            raise
        _discard_output()
        return _ended(
            f"standard output can't be written: {(error.strerror or str(error)).lower()}", UNWRITTEN
        )
    except Exception:
        if not _signals:
            raise
        # A library that is not written in Python makes an error of its own of what a signal raises (DuckDB while it is
        # imported).
        if _signals[0] != signal.SIGINT:
            return 128 + _signals[0]
        return _ended("interrupted", INTERRUPTED)
    if code == INTERRUPTED:  # Typer has caught the KeyboardInterrupt
        return _ended("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _require_streams() -> None:
    """Streams that take all that is written to them.

    Closed ones (``>&-``) become the null device: Python has none then, and the next file opened would be the
    standard output of every library. What the encoding of a terminal has no letter for becomes ``?``.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _catch_terminations() -> None:
    """A kill or a closed terminal unwinds as Ctrl-C does, so that nothing stays in the temporary folder."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # under nohup a hang-up stays ignored
            signal.signal(number, _terminated)
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)


_signals: list[int] = []
"""Those that were to end this process, in their order."""


def _interrupted(number: int, _frame: object) -> None:
    _signals.append(number)
    raise KeyboardInterrupt


def _terminated(number: int, _frame: object) -> None:
    _signals.append(number)
    raise SystemExit(128 + number)


def _discard_output() -> None:
    """Python flushes once more while it ends, and would complain there."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ended(sentence: str, code: int) -> int:
    # A name may hold anything but NUL, a line's end and a terminal's commands too.
    line = printable(sentence)
    print(f"error: {line}", file=sys.stderr)
    return code


def _usage_sentence(message: str) -> str:
    """Typer's words in our form: ``No such option: --lags (Possible options: --lag)`` without the capital."""
    sentence = " ".join(message.split()).rstrip(".")
    return f"{sentence[:1].lower()}{sentence[1:]}; --help lists what there is"
