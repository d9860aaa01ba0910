"""The tables of `headrace plan`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from headrace.cli.figures import NONE, count_text, share_text
from headrace.cli.table import Heading, add_row, blank_table, over_words, print_table
from headrace.plan import words
from headrace.plan.holdout import Proof
from headrace.plan.outcome import Outcome, Run
from headrace.plan.pooled import Pooled
from headrace.plan.proposal import Proposal
from headrace.simulate.inputs import DAY_S
from headrace.units import duration_text, span_text

LEAST_REASON_COLUMNS, NARROW_INDENT = 40, 4
"""Room that a reason needs to stand beside its number, and how far it is set in where it stands below."""
_TIED = "\N{NO-BREAK SPACE}"
"""In place of a blank at which no line is broken."""


def print_overview(screen: Console, proposals: Sequence[Proposal]) -> None:
    """All models at a glance."""
    headings = [
        Heading("model", is_text=True),
        *(
            Heading(name)
            for name in ("min", "max", "headroom", "N", "share over", "GPU-hours today", "proposed")
        ),
    ]
    rows = blank_table("All models", headings, screen)
    for made in proposals:
        scale = made.fleet.scale
        shown = made.proposed.outcome
        add_row(
            rows,
            (
                made.name,
                f"{scale.min_replicas:,}",
                f"{scale.max_replicas:,}",
                f"{scale.rule.headroom:.2f}",
                duration_text(scale.drain_s),
                share_text(shown.over_ratio),
                NONE if made.today is None else count_text(made.today.outcome.gpu_hours),
                count_text(shown.gpu_hours),
            ),
        )
    print_table(rows, screen)


def print_numbers(screen: Console, made: Proposal) -> None:
    """The numbers, each with its reason and its data: beside it, or below it where the terminal is narrow."""
    print(f"Plan for {made.name}")
    heads = _heads(made)
    beside = screen.width - len(heads[0]) >= LEAST_REASON_COLUMNS
    indent = " " * (len(heads[0]) if beside else NARROW_INDENT)
    if any(number.today for number in made.numbers):
        print(heads[0].rstrip())
    for head, number in zip(heads[1:], made.numbers, strict=True):
        text = f"{words.sentence(number.why)} [{number.data}]".replace(" %", f"{_TIED}%")
        lines = textwrap.wrap(text, screen.width - len(indent), break_on_hyphens=False)
        first, *more = (f"{indent}{line}".replace(_TIED, " ") for line in lines)
        print(head + first.lstrip() if beside else f"{head.rstrip()}\n{first}")
        for line in more:
            print(line)


def _heads(made: Proposal) -> tuple[str, ...]:
    """What stands before the reasons: headings, and then for each number its name, today's and the proposed one."""
    has_today = any(number.today for number in made.numbers)
    columns = [("", *(number.name for number in made.numbers))]
    if has_today:
        columns.append(("today", *(number.today or NONE for number in made.numbers)))
    columns.append(("proposed" if has_today else "", *(number.text for number in made.numbers)))
    widths = [max(map(len, column)) for column in columns]
    return tuple(
        "  ".join(
            (
                "",
                *(
                    f"{cell:{'>' if at else '<'}{width}}"
                    for at, (cell, width) in enumerate(zip(row, widths, strict=True))
                ),
                "",
            )
        )
        for row in zip(*columns, strict=True)
    )


def print_outcomes(screen: Console, made: Proposal) -> None:
    """Today, proposed and the bound on the judged days."""
    days = span_text(made.proposed.outcome.days * DAY_S)
    print(f"The last {days}, run again")  # as the table's own title it could be broken at the table's width
    print_table(_outcome_table(made.runs, made.ask.past.demand.unit, screen), screen)


def print_proof(screen: Console, proven: Proof) -> None:
    """Promised and kept."""
    runs = [run for run in (proven.today, proven.kept, proven.bound) if run is not None]
    print(f"The {span_text(proven.kept.outcome.days * DAY_S)} that the plan had not seen")
    print_table(_outcome_table(runs, proven.planned.ask.past.demand.unit, screen), screen)
    screen.print()
    headings = [
        Heading("promise", is_text=True),
        Heading("promised"),
        Heading("kept"),
        Heading("allowed"),
        Heading("verdict", is_text=True),
    ]
    rows = blank_table("Promised and kept", headings, screen)
    for promise in proven.promises:
        add_row(
            rows,
            (
                promise.what,
                words.promise_text(promise, promise.promised),
                words.promise_text(promise, promise.kept),
                f"{words.promise_text(promise, promise.limit)} ({promise.tolerance})",
                "kept" if promise.held else "MISSED",
            ),
        )
    print_table(rows, screen)


def print_pool(screen: Console, shared: Pooled) -> None:
    """Who lacks how many accelerators."""
    headings = [
        Heading("model", is_text=True),
        *(Heading(name) for name in ("time short", "replicas lacking", "at most", "longest")),
    ]
    cards = "1 accelerator" if shared.accelerators == 1 else f"{shared.accelerators:,} accelerators"
    print(f"{cards} for all, over {span_text(shared.days * DAY_S)}")
    rows = blank_table("", headings, screen)
    for lack in shared.pool.lacks:
        add_row(
            rows,
            (
                lack.name,
                share_text(lack.short_ratio),
                count_text(lack.lacking, 1),
                count_text(lack.most),
                words.length_text(lack.longest_s),
            ),
        )
    print_table(rows, screen)


def _outcome_table(runs: Sequence[Run], unit: str, screen: Console) -> Table:
    headings = [
        Heading("", is_text=True),
        *(
            Heading(name)
            for name in (
                "share over",
                "minutes over",
                over_words(unit),
                "GPU-hours",
                "× mean demand",
                "cut streams",
            )
        ),
    ]
    rows = blank_table("", headings, screen)
    for run in runs:
        add_row(rows, _cells(run.outcome), faint=run.outcome.is_bound)
    return rows


def _cells(outcome: Outcome) -> tuple[str, ...]:
    return (
        outcome.name.partition(":")[0] if outcome.is_bound else outcome.name,
        share_text(outcome.over_ratio),
        count_text(outcome.minutes_over, 1),
        count_text(outcome.requests_over),
        count_text(outcome.gpu_hours, 1),
        count_text(outcome.cost_ratio, 2),
        count_text(outcome.cut_streams),
    )
