"""The command line: one module per command, and the only place that wires edges to the core.

Belongs here: options and their help, reading input through `observe` and `config`, calling the core, tables,
progress bars and JSON, exit codes, and turning a HeadraceError into its one sentence.

Does not belong here: arithmetic on replicas or demand (a number that a table shows comes from `decide` or
`simulate`), parsing of files, a default that the spec already has, an exception caught to go on without its
result.

app.py        the program: its commands, and how each ends (exit code, one sentence on stderr); plain.py
simulate.py   `headrace simulate`; replay.py, schema.py: the other commands
options.py    the options of `simulate` with their help; wanted.py reads their texts, without numpy
case.py       demand.py and fleet.py → one comparison, ready to run, with notes on what was assumed
seed.py, equal_service.py, sweep.py    the three things that `simulate` can show; replayed.py: what `replay` shows
table.py, figures.py, verdicts.py, chart.py    rows for eyes, for programs, in sentences, on a page
progress.py, kernels.py, runners.py    bars on stderr; where compiled kernels are kept; how this machine simulates
reference.py  docs/cli.md, from the real --help

Modules that `headrace --help` imports reach neither numpy nor anything that takes as long.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; Ctrl-C ends it quietly while it is still being imported, too.

    Args:
        arguments: Without the program's name; None: those of the process.
    """
    try:
        from headrace.cli import app

        return app.main(arguments)
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130


__all__ = ["main"]
