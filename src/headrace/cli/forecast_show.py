"""`headrace forecast`, run and shown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from headrace.cli import figures, forecast_json, table
from headrace.cli.forecast_json import Tried
from headrace.cli.forecast_wanted import AHEAD_S, ForecastWanted
from headrace.cli.pasts import calendar, pasts
from headrace.cli.progress import bar
from headrace.errors import InputError
from headrace.past import Past
from headrace.plan import words
from headrace.plan.foresight import Foresight, foresight
from headrace.plan.quality import quality
from headrace.plan.windows import LEAST_MEAN, LEAST_STEP_S
from headrace.series import known_mean
from headrace.simulate import ticks
from headrace.units import duration_text, ratio_text, span_text

LONGEST_STEP_S = 8 * 3_600.0
"""Three values a day are the fewest that have a course of the day."""


def show(asked: ForecastWanted) -> None:
    """Forecast and show it.

    Raises:
        HeadraceError: A source can't be used, or the history is too short to try a forecast on.
    """
    found = [
        _without_dips(asked, past)
        for past in pasts(asked.past, LEAST_STEP_S, seed=asked.seed, slots=None, hidden=asked.quiet)
    ]
    for past in found:
        _require_fine(past)
    if asked.backtest:
        with bar("Forecasting the past", hidden=asked.quiet) as tell:
            tried = []
            for at, past in enumerate(found):
                tried += _tried(asked, past)
                tell((at + 1) / len(found))
        _show_backtest(asked, found, tried)
    else:
        with bar("Forecasting", hidden=asked.quiet) as tell:
            ahead = []
            for at, past in enumerate(found):
                days = calendar(past, asked.past.time_zone)
                ahead.append(foresight(past.demand, calendar=days, level=asked.level))
                tell((at + 1) / len(found))
        _show_next(asked, found, ahead)


def _without_dips(asked: ForecastWanted, past: Past) -> Past:
    from dataclasses import replace

    if asked.keep_dips:
        return past
    demand, note = ticks.without_dips(past.demand)
    return replace(past, demand=demand, notes=(*past.notes, note) if note else past.notes)


def _tried(asked: ForecastWanted, past: Past) -> list[Tried]:
    step_s = max(LEAST_STEP_S, past.demand.step_s)
    days = calendar(past, asked.past.time_zone)
    found: list[Tried] = []
    for ahead_s in asked.ahead_s or tuple(dict.fromkeys((step_s, max(step_s, AHEAD_S)))):
        made = quality(past.demand, ahead_s, calendar=days, level=asked.level)
        if made is None:
            raise InputError(past.name, _why_not(past, ahead_s))
        if all(made.ahead_s != other.quality.ahead_s for other in found):
            found.append(Tried(past.name, made))
    return found


def _why_not(past: Past, ahead_s: float) -> str:
    if not known_mean(past.demand) >= LEAST_MEAN:
        return "demand is zero, next to nothing or not known throughout: there is nothing to forecast"
    return (
        f"{span_text(past.demand.span_s)} of demand are too few to forecast {duration_text(ahead_s)} ahead and to "
        "compare it with what came; three whole days, from midnight on, are the least: two to learn from and one to "
        "judge"
    )


def _require_fine(past: Past) -> None:
    if past.demand.step_s > LONGEST_STEP_S:
        raise InputError(
            past.name,
            f"has a value every {duration_text(past.demand.step_s)}; a forecast needs one every "
            f"{duration_text(LONGEST_STEP_S)} or more often",
        )


def _show_backtest(asked: ForecastWanted, found: list[Past], tried: list[Tried]) -> None:
    notes = [note for past in found for note in past.notes]
    if asked.as_json:
        forecast_json.write_backtest(tried, notes)
        return
    screen = table.console()
    if not asked.quiet:
        table.print_notes(screen, tuple(dict.fromkeys(notes)))
        screen.print()
    rivals = sorted({rival.name for each in tried for rival in each.quality.rivals})
    headings = [
        table.Heading("history", is_text=True),
        *(
            table.Heading(name)
            for name in ("ahead", "forecast", *rivals, "to the best", "coverage", "worst day")
        ),
    ]
    rows = table.blank_table(
        f"Loss of the {ratio_text(asked.level)} quantile, % of mean demand", headings, screen
    )
    for each in tried:
        table.add_row(rows, _backtest_cells(each, rivals))
    table.print_table(rows, screen)
    if not asked.quiet:
        screen.print()
        told = dict.fromkeys(
            f"{each.name}, {duration_text(each.quality.ahead_s)} ahead: {note}."
            for each in tried
            for note in each.quality.notes
        )
        table.print_notes(screen, [*told, _RIVALS])


def _backtest_cells(tried: Tried, rivals: Sequence[str]) -> tuple[str, ...]:
    made = tried.quality
    losses = {rival.name: rival.loss_ratio for rival in made.rivals}
    return (
        tried.name,
        duration_text(made.ahead_s),
        f"{100 * made.loss_ratio:.3f}",
        *(f"{100 * losses[rival]:.3f}" if rival in losses else figures.NONE for rival in rivals),
        figures.NONE if math.isnan(made.gain_ratio) else f"{1.0 - made.gain_ratio:.2f}",
        f"{100 * made.coverage_ratio:.1f}%",
        figures.NONE if math.isnan(made.worst_day_ratio) else f"{100 * made.worst_day_ratio:.0f}%",
    )


_RIVALS = (
    "Persistence and last week have bands over 7, 14 or 28 days, whichever was best in hindsight; the forecast chose "
    "beforehand. To the best: its loss over the smallest of theirs."
)


def _show_next(asked: ForecastWanted, found: list[Past], ahead: list[Foresight]) -> None:
    if asked.as_json:
        forecast_json.write_next(found, ahead)
        return
    screen = table.console()
    for at, (past, made) in enumerate(zip(found, ahead, strict=True)):
        if at:
            screen.print()
        if not asked.quiet:
            table.print_notes(screen, past.notes)
            screen.print()
        headings = [
            table.Heading("window", is_text=True),
            table.Heading("expected"),
            table.Heading(f"{ratio_text(asked.level)} below"),
        ]
        unit = f", {past.demand.unit}" if past.demand.unit else ""
        title = f"{past.name}: the next hour from {_moment(past, made.origin_s)} on{unit}"
        print(title)  # as the table's own it would be broken at the table's width
        rows = table.blank_table("", headings, screen)
        for start_s, expected, upper in forecast_json.windows(made):
            table.add_row(
                rows, (f"+{duration_text(start_s) if start_s else '0'}", _figure(expected), _figure(upper))
            )
        table.print_table(rows, screen)
        if not asked.quiet:
            screen.print()
            last = f"The last window had {_figure(made.newest)}."
            table.print_notes(screen, [last, *(words.sentence(note) for note in made.notes)])


def _moment(past: Past, at_s: float) -> str:
    from headrace.observe.timestamps import time_text

    return time_text(at_s, past.zone)


def _figure(value: float) -> str:
    return figures.NONE if math.isnan(value) else f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
