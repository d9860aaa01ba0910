"""`headrace plan`, run and shown: tables, JSON, a ModelFleet file, a page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from headrace.cli import plan_json, plan_table, table, writing
from headrace.cli.plan_asks import asks
from headrace.cli.plan_wanted import PlanWanted
from headrace.cli.progress import bar
from headrace.cli.runners import runner
from headrace.plan import words
from headrace.plan.ask import Ask
from headrace.plan.holdout import Proof, proof
from headrace.plan.pooled import Pooled, pooled
from headrace.plan.proposal import Proposal
from headrace.plan.propose import proposal
from headrace.simulate.runner import Runner

TOLERANCE = 0.1
"""Of promises, unless said."""


class Planned(NamedTuple):
    """Everything that came out."""

    proposals: tuple[Proposal, ...]
    proofs: tuple[Proof, ...]
    """One for each model; () without a hold-out."""
    pool: Pooled | None
    notes: tuple[str, ...]


def show(asked: PlanWanted) -> bool:
    """Plan, prove, show and write; False if a promise was missed."""
    for option, path in (("--out", asked.out), ("--report", asked.report)):
        if path is not None:
            writing.require_writable(option, path)
    planned = _planned(asked)
    if asked.as_json:
        plan_json.write(planned.proposals, planned.proofs, planned.pool, planned.notes)
    else:
        _print(asked, planned)
    if asked.out is not None:
        writing.write_file(asked.out, plan_json.documents(planned.proposals))
        _say(asked, asked.out)
    if asked.report is not None:
        from headrace.cli import plan_page

        plan_page.write(asked.report, planned.proposals, planned.proofs, planned.pool, planned.notes)
        _say(asked, asked.report)
    return all(each.held for each in planned.proofs)


def _planned(asked: PlanWanted) -> Planned:
    runs, slow = runner(interpret=asked.interpret)
    models = asks(asked)
    proposals, proofs = [], []
    for at, ask in enumerate(models):
        with bar(_doing("Planning", ask, at, models), hidden=asked.quiet) as tell:
            proposals.append(proposal(ask, runs, tell))
        if asked.holdout_s is not None:
            with bar(_doing("Proving", ask, at, models), hidden=asked.quiet) as tell:
                proofs.append(_proof(asked, ask, asked.holdout_s, runs, tell))
    shared = None if asked.pool is None else pooled(proposals, asked.pool)
    return Planned(tuple(proposals), tuple(proofs), shared, slow)


def _proof(
    asked: PlanWanted, ask: Ask, held_out_s: float, runs: Runner, tell: Callable[[float], None]
) -> Proof:
    tolerance = TOLERANCE if asked.tolerance is None else asked.tolerance
    return proof(ask, held_out_s, tolerance, runs, tell)


def _doing(what: str, ask: Ask, at: int, models: Sequence[Ask]) -> str:
    place = f" ({at + 1} of {len(models)})" if len(models) > 1 else ""
    return f"{what} {ask.past.name}{place}"


def _print(asked: PlanWanted, planned: Planned) -> None:
    screen = table.console()
    own = [dict.fromkeys(made.notes) for made in planned.proposals]
    shared = [note for note in own[0] if len(own) > 1 and all(note in notes for notes in own)]
    _print_notes(asked, screen, (*shared, *planned.notes))
    if len(planned.proposals) > 1:
        plan_table.print_overview(screen, planned.proposals)
        screen.print()
    for at, made in enumerate(planned.proposals):
        if at:
            screen.print()
        _print_notes(asked, screen, [note for note in own[at] if note not in shared])
        plan_table.print_numbers(screen, made)
        screen.print()
        plan_table.print_outcomes(screen, made)
        if not asked.quiet:
            table.print_notes(screen, words.differences(made))
        for proven in planned.proofs[at : at + 1]:
            screen.print()
            plan_table.print_proof(screen, proven)
            if not asked.quiet:
                table.print_notes(screen, words.holdout_notes(proven))
    if planned.pool is not None:
        screen.print()
        plan_table.print_pool(screen, planned.pool)
        if not asked.quiet:
            table.print_notes(screen, words.pool_notes(planned.pool))


def _print_notes(asked: PlanWanted, screen: Console, notes: Sequence[str]) -> None:
    """Sentences above what they are about, with an empty line after them."""
    if notes and not asked.quiet:
        table.print_notes(screen, notes)
        screen.print()


def _say(asked: PlanWanted, path: Path) -> None:
    if not asked.quiet:
        print(f"Wrote {path}", file=sys.stderr)
