"""The program: its commands, and how each ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from headrace.cli import schema, simulate
from headrace.errors import HeadraceError

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells count."""
BROKEN_PIPE = 1
"""Exit code when whoever read the output has gone (`headrace … | head`)."""

app = typer.Typer(
    name="headrace",
    help="Decide how many replicas of an LLM model server there should be: compare scaling policies on real demand.",
    pretty_exceptions_enable=False,  # an unexpected exception is a bug: its plain traceback is what to report
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("simulate")(simulate.simulate)
app.command("schema")(schema.schema)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"headrace {version('headrace')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _program(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
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
    try:
        code = app(
            args=None if arguments is None else list(arguments), prog_name="headrace", standalone_mode=False
        )
        sys.stdout.flush()
    except HeadraceError as error:
        return _ended(str(error), error.exit_code)
    except typer.TyperException as error:
        return _ended(_usage_sentence(error.format_message()), error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return _ended("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Python flushes once more while it ends, and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return code if isinstance(code, int) else 0


def _ended(sentence: str, code: int) -> int:
    print(f"error: {sentence}", file=sys.stderr)
    return code


def _usage_sentence(message: str) -> str:
    """Typer's words in our form: ``No such option: --lags (Possible options: --lag)`` without the capital."""
    sentence = " ".join(message.split()).rstrip(".")
    return f"{sentence[:1].lower()}{sentence[1:]}; --help lists what there is"
