"""`headrace simulate FILE`: every policy where it just keeps the same share of requests over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from headrace.cli import figures, table, verdicts
from headrace.cli.case import Case, case
from headrace.cli.progress import bar
from headrace.cli.runners import runner
from headrace.cli.wanted import Wanted
from headrace.simulate import compare
from headrace.simulate.policies import Policy
from headrace.simulate.runner import Runner
from headrace.simulate.score import Score


class Outcome(NamedTuple):
    """All policies at one target."""

    over_ratio: float
    scores: tuple[Score, ...]
    """In the order of the policies; the bound last."""


def show(asked: Wanted) -> None:
    """Run it and show it."""
    here = case(asked)
    runs, slow = runner(interpret=asked.interpret)
    notes = (*here.notes, *slow)
    with bar(f"Simulating {Path(here.name).name}", hidden=asked.quiet) as tell:
        outcomes = list(_outcomes(runs, here, tell))
    conclusion = [
        line for outcome in outcomes for line in verdicts.at_equal_service(outcome.scores, outcome.over_ratio)
    ]
    if asked.as_json:
        rows = [
            figures.row(score, target_over_ratio=outcome.over_ratio)
            for outcome in outcomes
            for score in outcome.scores
        ]
        figures.print_json(rows, notes, conclusion)
    else:
        _print(asked, here, notes, outcomes, conclusion)
    if asked.chart is not None:
        _write(asked, runs, here, outcomes[0], (*notes, *conclusion))


def _outcomes(runs: Runner, here: Case, tell: Callable[[float], None]) -> Iterator[Outcome]:
    bound = compare.clairvoyant(here.setting, here.traffic)
    done, all_runs = 0, len(here.policies) * len(here.over_ratios)
    for over_ratio in here.over_ratios:
        scores = []
        for policy in here.policies:
            scores.append(_score(runs, here, policy, over_ratio))
            done += 1
            tell(done / all_runs)
        yield Outcome(over_ratio, (*scores, bound))


def _score(runs: Runner, here: Case, policy: Policy, over_ratio: float) -> Score:
    setting = here.setting
    if policy.lowest == policy.highest:  # a fleet as its file has it
        return compare.scored(runs, policy, policy.lowest, setting, here.traffic)
    headroom = compare.smallest_headroom(runs, policy, over_ratio, setting, here.traffic)
    if headroom is None:
        return figures.unreached(policy.name)
    return compare.scored(runs, policy, headroom, setting, here.traffic)


def _print(
    asked: Wanted, here: Case, notes: tuple[str, ...], outcomes: list[Outcome], conclusion: list[str]
) -> None:
    screen = table.console()
    if not asked.quiet:
        table.print_notes(screen, notes)
    for number, outcome in enumerate(outcomes):
        if number or not asked.quiet:
            screen.print()
        over = figures.target_text(outcome.over_ratio)
        rows = table.blank_table(
            f"At most {over} of requests over", table.service_headings(here.unit), screen
        )
        for score in outcome.scores:
            table.add_row(rows, table.service_cells(score), faint=score.is_bound)
        table.print_table(rows, screen)
    if not asked.quiet:
        screen.print()
        table.print_notes(screen, conclusion)


def _write(asked: Wanted, runs: Runner, here: Case, outcome: Outcome, sentences: tuple[str, ...]) -> None:
    from headrace.cli import chart

    def traces() -> Iterator[chart.Traced]:
        for policy, score in zip(here.policies, outcome.scores, strict=False):  # the bound has no trace
            if score.headroom == score.headroom:
                trial = compare.trial(policy, score.headroom, here.setting, here.traffic)
                yield policy.name, runs.traced(*trial)[1]

    page = chart.Page(here.name, here.unit, here.zone, sentences)
    chart.write(asked, page, here.judged, here.setting.per_replica, outcome.scores, traces())
