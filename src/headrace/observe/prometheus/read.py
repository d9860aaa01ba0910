"""Weeks of one or many models from Prometheus, as `Past` each: the way in."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from headrace.engine import Engine, Metric
from headrace.errors import InputError
from headrace.observe.history_notes import gaps_note
from headrace.observe.prometheus import answer, queries
from headrace.observe.prometheus.answer import Labels
from headrace.observe.prometheus.connection import MOST_SERIES, Connection
from headrace.observe.prometheus.gather import Gathered, Progress, Question, gathered
from headrace.observe.prometheus.pasts import Grid, Row, Seen, model_name, past
from headrace.observe.prometheus.refusal import TooMuch, Unanswered
from headrace.observe.prometheus.source import DAY_S, Selection, Source, access, matchers, require_usable
from headrace.observe.prometheus.store import Store
from headrace.observe.timestamps import duration_text, time_text
from headrace.past import Past
from headrace.registry import registered
from headrace.series import gaps
from headrace.units import printable, shown

USUAL_DAYS = 21
HOUR_S = 3_600
SPAN_S = 6 * HOUR_S
"""Durations are asked for by the quarter of a day: what ended while Prometheus itself was down is in the counters, and
is found if the span reaches over it; a whole day of a thousand servers is more than one query may read."""
SHORT_SPANS = 4
"""Below so many spans they are an hour each, so that less is left out at the ends."""
MOST_BOUNDS = 40
"""Buckets of a latency histogram; SGLang's has 24."""
COUNTER_FALLS = 0.02
"""A gauge goes down about as often as up; a counter only where a server restarts."""
FEWEST_MOVES = 20


def read_past(
    source: Source,
    selection: Selection | None = None,
    *,
    kept_in: Path | None = None,
    progress: Progress | None = None,
    now_s: float | None = None,
) -> dict[str, Past]:
    """Reads all models that the selection finds, sorted by name.

    Args:
        source: Where and as whom.
        selection: What; None: everything of the last 21 days, by the minute.
        kept_in: Folder of finished answers (`store.user_cache`); None: nothing is kept, nothing taken from there.
        progress: Called with the finished share, 0 to 1.
        now_s: The present, epoch seconds; None: by the clock.

    Ctrl-C ends it as usual; what was finished by then is kept, whole.

    Raises:
        InputError: What was given can't be used, or finds nothing.
        Unanswered: Prometheus can't be read.
    """
    chosen = selection or Selection()
    require_usable(chosen)
    present_s = time.time() if now_s is None else now_s
    return asyncio.run(_read(source, chosen, kept_in, progress or _unwatched, present_s))


def _unwatched(share: float) -> None:
    """Nobody follows the progress."""


async def _read(
    source: Source, selection: Selection, kept_in: Path | None, progress: Progress, now_s: float
) -> dict[str, Past]:
    who = access(source)
    engines = _engines(selection)
    start_s, end_s = _ends(selection, now_s)
    store = Store(kept_in, f"{source.shown_url}\n{who.identity}")
    progress(0.0)
    async with Connection(source, who) as connection:
        for role, metric in selection.names:
            await _require_kind(connection, selection, role, metric, end_s)
        scrape_s = await _scrape_s(connection, engines, selection, start_s, end_s)
        grid = _grid(selection, start_s, end_s, scrape_s)
        asked = _questions(engines, selection, grid, scrape_s)
        answers = await gathered(connection, store, asked, now_s, progress)
    found = dict(zip((question.query.about for question in asked), answers, strict=True))
    notes = _notes(selection, grid, scrape_s, connection.repeated, answers)
    return _pasts(found, selection, grid, notes, source.shown_url)


def _engines(selection: Selection) -> tuple[Engine, ...]:
    """The engines asked for, with the metrics that the user names in place of theirs."""
    everything = registered("headrace.engines", "ENGINE", Engine)
    known = {name: engine for name, engine in everything.items() if engine.has_history}
    for name in selection.engines:
        if name not in known:
            raise InputError("--engine", f"{shown(name)} is not known; allowed are {', '.join(known)}")
    chosen = tuple(
        engine for name, engine in known.items() if not selection.engines or name in selection.engines
    )
    own = {role: (Metric(metric),) for role, metric in selection.names}
    return tuple(replace(engine, **own) for engine in chosen)  # type: ignore[arg-type]


def _ends(selection: Selection, now_s: float) -> tuple[float, float]:
    end_s = min(now_s if selection.end_s is None else selection.end_s, now_s)
    start_s = end_s - USUAL_DAYS * DAY_S if selection.start_s is None else selection.start_s
    if not 0.0 <= start_s < end_s:
        raise InputError(
            "--since", f"{start_s:.0f} s is not before the end, {end_s:.0f} s, or is before 1970"
        )
    return start_s, end_s


def _grid(selection: Selection, start_s: float, end_s: float, scrape_s: float) -> Grid:
    """Whole steps within the time asked for, counted from 1970; none shorter than the time between two scrapes."""
    step_s = max(int(selection.step_s), math.ceil(scrape_s))
    first = math.ceil(start_s / step_s)
    steps = math.floor(end_s / step_s) - first
    if steps < 2:
        raise InputError(
            "--since",
            f"from {time_text(start_s, 'UTC')} to {time_text(end_s, 'UTC')} there are fewer than two steps of "
            f"{duration_text(step_s)}",
        )
    return Grid(first, steps, step_s)


def _questions(
    engines: tuple[Engine, ...], selection: Selection, grid: Grid, scrape_s: float
) -> list[Question]:
    step_s = grid.step_s
    span_s = max(SPAN_S if grid.steps * step_s >= SHORT_SPANS * SPAN_S else HOUR_S, step_s)
    span_s = span_s if grid.steps * step_s >= 2 * span_s else step_s
    first = math.ceil(grid.first * step_s / span_s)
    spans = (grid.first + grid.steps) * step_s // span_s - first
    each = queries.step_queries(engines, selection, step_s, scrape_s)
    whole = queries.duration_queries(engines, selection, span_s, scrape_s)
    return [Question(query, grid.first, grid.steps, MOST_SERIES) for query in each] + [
        Question(query, first, spans, MOST_SERIES * (MOST_BOUNDS if query.about == "buckets" else 1))
        for query in whole
    ]


async def _require_kind(
    connection: Connection, selection: Selection, role: str, metric: str, end_s: float
) -> None:
    """Refuses a counter in a gauge's place, and the reverse; a histogram's buckets are counters."""
    is_counter = role in ("finished", "latency")
    name = f"{metric}_count" if role == "latency" else metric
    try:
        falls = await _number(connection, queries.falls_query(name, selection), end_s)
    except TooMuch as problem:
        raise Unanswered(f"{connection.where}: {problem}, when asked about one day of {name}") from None
    if is_counter and falls > 10 * COUNTER_FALLS:
        raise InputError(
            f"--metric {role}={metric}",
            f"{falls:.0%} of its changes in the last day go down: it is a gauge, and {role} is read from a counter",
        )
    if not is_counter and falls < COUNTER_FALLS:
        raise InputError(
            f"--metric {role}={metric}",
            f"it only goes up, as a counter does, and {role} is read from a gauge",
        )


async def _scrape_s(
    connection: Connection, engines: tuple[Engine, ...], selection: Selection, start_s: float, end_s: float
) -> float:
    """Seconds between two scrapes of one server, from the fullest hour.

    Raises:
        InputError: Nothing that is asked for has a sample in all the time.
    """
    count = await _scrapes(connection, engines, selection, start_s, end_s)
    if not math.isnan(count):
        return float(max(1, round(HOUR_S / max(count, 1.0))))
    if selection.query is not None:
        return selection.step_s
    names = dict.fromkeys(metric.name for engine in engines for metric in engine.running)
    where = f" with {{{matchers(selection)}}}" if matchers(selection) else ""
    raise InputError(
        connection.where,
        f"it has no {' or '.join(names)}{where} between {time_text(start_s, 'UTC')} and {time_text(end_s, 'UTC')}",
    )


async def _scrapes(
    connection: Connection, engines: tuple[Engine, ...], selection: Selection, start_s: float, end_s: float
) -> float:
    """Scrapes of one server in an hour; NaN: none. Looks at less, the newest, where all is too much."""
    range_s = math.ceil(end_s - start_s)
    while True:
        try:
            return await _number(connection, queries.scrapes_query(engines, selection, range_s), end_s)
        except TooMuch as problem:
            if range_s <= HOUR_S:
                raise Unanswered(f"{connection.where}: {problem}, when asked about one hour") from None
            range_s //= 4


async def _number(connection: Connection, query: str, at_s: float) -> float:
    found = await connection.ask("query", {"query": query, "time": f"{at_s:.3f}"})
    return answer.number(connection.where, found)


def _notes(
    selection: Selection, grid: Grid, scrape_s: float, repeated: int, answers: Iterable[Gathered]
) -> list[str]:
    notes = []
    if grid.step_s > selection.step_s:
        notes.append(
            f"Servers are scraped every {duration_text(scrape_s)}: read at that step, not at "
            f"{duration_text(selection.step_s)}."
        )
    if repeated:
        notes.append(
            f"Prometheus was asked again {repeated:,} times, after it was busy or a connection broke."
        )
    warnings = dict.fromkeys(warning for each in answers for warning in each.warnings)
    return notes + [f"Prometheus warns: {warning}" for warning in list(warnings)[:3]]


def _pasts(
    found: dict[str, Gathered], selection: Selection, grid: Grid, notes: list[str], where: str
) -> dict[str, Past]:
    """A past for each model that has one."""
    models = _by_model(found, selection, where)
    own_slots = dict(selection.slots_of)
    if models and (unknown := own_slots.keys() - models.keys()):
        raise InputError(
            "--slots",
            f"there is no model {shown(min(unknown))} there; found are {', '.join(sorted(models)[:10])}",
        )
    pasts: dict[str, Past] = {}
    short = []
    for name in sorted(models):
        read = past(name, models[name], grid, selection.unit, own_slots.get(name, selection.slots))
        if read is None:
            short.append(name)
            continue
        holes = gaps(read.demand)
        told = (*notes, *read.notes, *([gaps_note(holes, read.zone)] if holes else []))
        pasts[name] = replace(read, notes=told)
    if not pasts:
        raise InputError(where, "fewer than two points of demand are known in the time asked for")
    if short:
        left = f"Left out, with fewer than two points of demand: {', '.join(short[:10])}."
        pasts = {name: replace(read, notes=(*read.notes, left)) for name, read in pasts.items()}
    return pasts


def _by_model(found: dict[str, Gathered], selection: Selection, where: str) -> dict[str, Seen]:
    fields: dict[str, dict[str, Row]] = {}
    buckets: dict[str, dict[float, Row]] = {}
    for about, each in found.items():
        for labels, row in each.rows.items():
            name = model_name(labels, selection.by) or _unnamed(labels)
            if about == "buckets":
                bound = _bound(labels)
                if math.isnan(bound):
                    continue
                held = buckets.setdefault(name, {})
                # Prometheus 3 writes 1 as 1.0: after an update both are there
                held[bound] = np.nansum([held[bound], row], axis=0) if bound in held else row
                continue
            if about == "demand":
                _require_gauge(row, where)
            if about in fields.setdefault(name, {}):
                raise InputError(
                    "--query" if about == "demand" else where,
                    f"it gives several series for the model {shown(name)}; sum them: sum by "
                    f"({', '.join(selection.by)}) (…)",
                )
            fields[name][about] = row
    if selection.query is not None:
        fields = {name: rows for name, rows in fields.items() if "demand" in rows}
    return {name: Seen(**rows, buckets=buckets.get(name)) for name, rows in fields.items()}


def _bound(labels: Labels) -> float:
    """Upper bound of a bucket; NaN where it is none, as in a histogram that is not of an engine's making."""
    try:
        return float(dict(labels).get("le", "nan"))
    except ValueError:
        return math.nan


def _unnamed(labels: Labels) -> str:
    return printable(",".join(f"{name}={value}" for name, value in labels)) or "all"


def _require_gauge(row: Row, where: str) -> None:
    """Refuses a counter: a demand that all but never falls."""
    moves = np.diff(row[~np.isnan(row)])
    moves = moves[moves != 0.0]
    if len(moves) >= FEWEST_MOVES and np.count_nonzero(moves < 0.0) <= COUNTER_FALLS * len(moves):
        raise InputError(
            "--query", f"its values at {where} only go up, as a counter's do; take rate(…[5m]) of it"
        )
