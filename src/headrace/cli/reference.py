"""`docs/cli.md`: every command with its real ``--help``.

::

    python -m headrace.cli.reference > docs/cli.md
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

COMMANDS = ("", "plan", "lint", "render", "forecast", "simulate", "replay", "schema")
"""In the order of the page; "" is the program itself. A test compares them with what the program has."""
COLUMNS = "100"
_UNWANTED = ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "LINES")
_HEAD = """\
# The command line

<!-- Made by `python -m headrace.cli.reference`: edit the help of the options in src/headrace/cli. -->

How to use `headrace simulate`, with examples: [simulate.md](simulate.md). The ModelFleet file: [config.md](config.md).

| exit code | means |
|---|---|
| 0 | done; `replay`: nothing would be decided differently; `plan --holdout`: every promise was kept |
| 1 | `replay`: something would; `plan --holdout`: a promise was missed; else: the world could not be read or changed |
| 0, 1 | `lint`: nothing, or something, is at or above `--fail-on` |
| 2 | a file or an option can't be used; one sentence on stderr says which, where and what is allowed |
| 130 | interrupted (Ctrl-C) |

Shell completion of commands, options and their values: `headrace --install-completion`.
"""


def reference() -> str:
    """The page, in Markdown."""
    return "\n".join([_HEAD, *(line for command in COMMANDS for line in _section(command))])


def help_text(command: str) -> str:
    """What ``--help`` of a command prints on a terminal of 100 columns without colours.

    In a process of its own: Typer reads what its terminal can do once, when it is first asked for help.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    done = subprocess.run(
        [sys.executable, "-c", "from headrace.cli import main; main()", *command.split(), "--help"],
        env={
            **kept,
            "COLUMNS": COLUMNS,
            "TERMINAL_WIDTH": COLUMNS,
            "NO_COLOR": "1",
            "PYTHONIOENCODING": "utf-8",
        },
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip("\n")


def _section(command: str) -> Iterator[str]:
    name = f"headrace {command}".strip()
    yield f"## `{name}`\n"
    yield f"```\n$ {name} --help\n{help_text(command)}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
