"""docs/cli.md is what ``--help`` says today, for every command that there is."""

from __future__ import annotations

from pathlib import Path

import typer

from headrace.cli import reference
from headrace.cli.app import program

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def test_the_page_is_today_s_help() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference.reference(), (
        "write it again: python -m headrace.cli.reference > docs/cli.md"
    )


def test_each_command_is_on_it() -> None:
    group = typer.main.get_command(program(()))
    assert {"", *group.commands} == set(reference.COMMANDS)  # type: ignore[attr-defined]
