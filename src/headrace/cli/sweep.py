"""`headrace simulate FILE --sweep`: what equal service costs, by fleet size and start-up time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from headrace.cli import figures, table, verdicts
from headrace.cli.case import MOST_REPLICAS, Requests, compared, judged_series, learned, noisy
from headrace.cli.demand import Demand, demand
from headrace.cli.progress import bar
from headrace.cli.runners import runner
from headrace.cli.wanted import Wanted
from headrace.errors import InputError
from headrace.series import Series, known_mean
from headrace.simulate import sweep
from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import Setting
from headrace.simulate.sweep import DRAIN_S, Cell, Plan
from headrace.units import duration_text


def show(asked: Wanted) -> None:
    """Run it and show it."""
    history = demand(asked)
    lesson = learned(history.series, asked)
    policies, left_out = compared(asked, lesson)
    if asked.surges:
        raise InputError("--surge", "can't stand beside --sweep yet; leave one of the two out")
    mean = known_mean(history.series)
    plan = Plan(policies)
    _require_size(history, judged_series(history, lesson), mean, max(plan.replicas))
    runs, slow = runner(interpret=asked.interpret)
    setting = Setting(
        lag_s=asked.lag_s,
        drain_s=DRAIN_S if asked.drain_s is None else asked.drain_s,
        tick_s=history.series.step_s,
        accelerators=asked.accelerators or 1,
    )
    requests = Requests()
    if asked.over_ratios:
        plan = plan._replace(over_ratios=asked.over_ratios)

    def in_replicas(replicas: float) -> Floats:
        plain = sweep.scaled(history.series.values, replicas)
        return noisy(plain, requests, setting.tick_s, asked.seed) if asked.noise else plain

    cells: list[Cell] = []
    with bar(f"Sweeping {Path(history.name).name}", hidden=asked.quiet) as tell:
        for cell in sweep.swept(runs, plan, in_replicas, setting, lesson.learned_s):
            cells.append(cell)
            tell(min(1.0, len(cells) / plan.cells))
    notes = (
        *history.notes,
        lesson.note,
        _note(setting),
        *([requests.note] if asked.noise else []),
        *left_out,
        *slow,
    )
    if asked.as_json:
        figures.print_json([_row(cell, mean) for cell in cells], notes, verdicts.of_sweep(cells))
    else:
        _print(asked, plan, cells, notes)


def _require_size(history: Demand, judged: Series, mean: float, replicas: float) -> None:
    """The bound takes time for each replica of the peak."""
    peak = float(np.nanmax(judged.values)) / mean * replicas
    if peak > MOST_REPLICAS:
        raise InputError(
            history.name,
            f"a mean of {replicas:g} replicas makes the peak {peak:,.0f}; --sweep allows {MOST_REPLICAS:,}",
        )


def _note(setting: Setting) -> str:
    return (
        f"Metric lag {duration_text(setting.lag_s)}, drain {duration_text(setting.drain_s)}, "
        f"tick {duration_text(setting.tick_s)}. Cost: GPU-hours over those of mean demand, each policy with as "
        "little headroom as keeps the target; the bound knows the future and is never over."
    )


def _row(cell: Cell, mean: float) -> dict[str, object]:
    """A cell for ``--json``, requests over in the unit of the history."""
    score = cell.score or figures.unreached(cell.policy)
    return figures.row(
        score._replace(requests_over=score.requests_over * (mean / cell.replicas)),
        target_over_ratio=cell.over_ratio,
        mean_replicas=cell.replicas,
        startup_s=cell.startup_s,
    )


def _print(asked: Wanted, plan: Plan, cells: list[Cell], notes: tuple[str, ...]) -> None:
    screen = table.console()
    if not asked.quiet:
        table.print_notes(screen, notes)
        screen.print()
    targets = " / ".join(figures.target_text(ratio) for ratio in plan.over_ratios)
    for replicas in plan.replicas:
        here = [cell for cell in cells if cell.replicas == replicas]
        headings = [table.Heading("policy", is_text=True)]
        headings += [table.Heading(f"start-up {duration_text(seconds)}") for seconds in plan.startups_s]
        title = f"Mean demand of {replicas:g} replicas: cost at {targets} of requests over"
        rows = table.blank_table(title, headings, screen)
        for policy in dict.fromkeys(cell.policy for cell in here):
            costs = [
                " / ".join(
                    "fails" if cell.score is None else figures.count_text(cell.cost_ratio, 2)
                    for cell in here
                    if cell.policy == policy and cell.startup_s == startup_s
                )
                for startup_s in plan.startups_s
            ]
            table.add_row(rows, (policy, *costs), faint=policy.startswith("bound"))
        table.print_table(rows, screen)
        screen.print()
    if not asked.quiet:
        table.print_notes(screen, verdicts.of_sweep(cells))
