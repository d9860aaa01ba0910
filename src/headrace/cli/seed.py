"""`headrace simulate --example seed-day`: the built-in day and its policies as published, and what stands beside."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headrace.cli import figures, table, verdicts
from headrace.cli.texts import DAY_S
from headrace.cli.wanted import Wanted
from headrace.errors import InputError
from headrace.series import Series
from headrace.simulate import seed_day, seed_table
from headrace.simulate.inputs import Setting, inputs
from headrace.simulate.runner import Runner
from headrace.simulate.score import Score
from headrace.simulate.seed_day import DaySurge
from headrace.units import duration_text, number_text

UNIT = "requests/s"


def show(asked: Wanted) -> None:
    """Run it and show it, row by row."""
    # Eleven days take less time interpreted than numba does to be imported.
    runs = Runner(interpret=True)
    surge = _surge(asked)
    setting = _setting(asked)
    notes = (_note(setting, asked),)
    scores = seed_table.seed_scores(runs, setting, surge)
    if asked.as_json:
        kept = list(scores)
        figures.print_json([figures.row(score) for score in kept], notes, verdicts.of_seed_day(kept))
    else:
        kept = _printed(asked, notes, scores)
    if asked.chart is not None:
        _write(asked, runs, setting, surge, kept, notes)


def _printed(asked: Wanted, notes: tuple[str, ...], scores: Iterator[Score]) -> list[Score]:
    screen = table.console()
    if not asked.quiet:
        table.print_notes(screen, notes)
        screen.print()
    rows = table.blank_table("", table.figure_headings(UNIT), screen)
    kept = []
    with table.growing(rows, screen) as live:
        for score in scores:
            kept.append(score)
            table.add_row(rows, table.figure_cells(score), faint=score.is_bound)
            if live is not None:
                live.refresh()
    if not asked.quiet:
        screen.print()
        table.print_notes(screen, verdicts.of_seed_day(kept))
    return kept


def _surge(asked: Wanted) -> DaySurge | None:
    if asked.surges is None:
        return seed_day.SEED_SURGE
    if not asked.surges:
        return None
    if len(asked.surges) > 1:
        raise InputError("--surge", "seed-day takes one surge; give one, or none")
    surge = asked.surges[0]
    if surge.at_s >= DAY_S:
        raise InputError(
            "--surge", f"{surge.text} begins after the one day that seed-day has; write @00:00 to @23:59"
        )
    return DaySurge(surge.at_s, surge.rise_ratio, surge.ramp_s, surge.lasts_s)


def _setting(asked: Wanted) -> Setting:
    default = Setting()
    per_replica = asked.per_replica or default.per_replica
    setting = default._replace(
        lag_s=asked.lag_s,
        drain_s=default.drain_s if asked.drain_s is None else asked.drain_s,
        per_replica=per_replica,
        accelerators=asked.accelerators or default.accelerators,
    )
    peak = float(np.max(seed_day.day_curve())) / per_replica
    if peak > 1_000:
        raise InputError(
            "--per-replica",
            f"{number_text(per_replica)} makes the usual peak {peak:,.0f} replicas; allowed are 1,000",
        )
    return setting


def _note(setting: Setting, asked: Wanted) -> str:
    if asked.surges is None:
        surge = "a surge of +35 % over 5 minutes at 15:00"
    else:
        surge = f"the surge {asked.surges[0].text}" if asked.surges else "no surge"
    return (
        f"The built-in day with {surge}: one replica serves {setting.per_replica:g} requests/s on "
        f"{setting.accelerators} accelerators; metric lag {duration_text(setting.lag_s)}, "
        f"drain {duration_text(setting.drain_s)}, tick {duration_text(setting.tick_s)}."
    )


def _write(
    asked: Wanted,
    runs: Runner,
    setting: Setting,
    surge: DaySurge | None,
    scores: list[Score],
    notes: tuple[str, ...],
) -> None:
    from headrace.cli import chart  # the page takes as long to import as the day to run

    day = seed_table.traffic(setting, surge)

    def traces() -> Iterator[chart.Traced]:
        for entry in [*seed_table.seed_entries(setting, day), *seed_table.known_curve_entries(setting)]:
            _, trace = runs.traced(entry.rule, entry.setting, inputs(entry.rule, entry.setting, day))
            yield entry.name, trace

    chart.write(
        asked,
        chart.Page("seed-day", UNIT, "", (*notes, *verdicts.of_seed_day(scores))),
        Series(0.0, setting.tick_s, day.demand, UNIT),
        setting.per_replica,
        scores,
        traces(),
    )
