"""The HTML of the page of a plan: what to run with, why, what it would have meant, and charts that show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headrace.report import captions, over_time, plan_captions, plan_tables, terms
from headrace.report.chart import Timeline
from headrace.report.forecast import Forecast
from headrace.report.payload import Payload, payload, share_of_page
from headrace.report.plan_figures import grounds, missing, reads
from headrace.report.plan_parts import HoldOut, Missing, ModelPart, PlanPage, Pool
from headrace.report.standalone import (
    footer,
    header,
    name,
    page_of,
    script_safe,
    sentence,
    subtitle_lines,
    text,
)


def plan_html(page: PlanPage) -> str:
    """The whole page as text, to be encoded as UTF-8.

    Everything of the user's is escaped and kept in its own writing direction. With many models each gets less of the
    points that a page can carry; every peak, every gap and every moment over capacity stays.
    """
    numbers = _payloads(page)
    several = len(page.models) > 1
    body = [
        '<a class="skip" href="#models">Skip to the plan</a>',
        header(page.title, page.subtitle),
        "<main>",
        _overview(page) if several else "",
        *(_pool(pool, place) for place, pool in enumerate(page.pools)),
        over_time.NO_SCRIPT,
        '<div id="models">',
        *(_model(model, place, several) for place, model in enumerate(page.models)),
        "</div>",
        _notes(page.notes, 2, "Notes on all models")
        if several
        else _notes((*page.models[0].notes, *page.notes), 2),
        _glossary(page),
        "</main>",
        footer("headrace plan", [captions.thinned([part for part in numbers if part])]),
    ]
    content = {"timelines": [part.content if part else None for part in numbers]}
    return page_of(
        page.title,
        "\n".join(part for part in body if part),
        script_safe(content),
        styles=["page.css", "plan.css"],
        scripts=["time_charts.js", "sortable.js", "plan.js"],
    )


def _payloads(page: PlanPage) -> list[Payload | None]:
    drawn = [model.over_time for model in page.models if isinstance(model.over_time, Timeline)]
    budget = share_of_page(len(drawn))
    numbers: list[Payload | None] = []
    for model in page.models:
        forecast = model.forecast if isinstance(model.forecast, Forecast) else None
        timeline = model.over_time
        numbers.append(payload(timeline, budget, forecast) if isinstance(timeline, Timeline) else None)
    return numbers


def _overview(page: PlanPage) -> str:
    return (
        '<section aria-labelledby="overview"><h2 id="overview">All models</h2>'
        f"{plan_tables.overview(page.models, 'overview')}</section>"
    )


def _pool(pool: Pool, place: int) -> str:
    key = f"pool-{place}"
    short = f"short {captions.share(pool.short_ratio)} of the time" if pool.short_ratio else "never short"
    return (
        f'<section aria-labelledby="{key}"><h2 id="{key}">Shared accelerators: {name(pool.name)}</h2>'
        f"<p>{pool.accelerators:,} accelerators, {short}. {sentence(pool.sentence)}</p>"
        f"{plan_tables.lacks(pool, key)}</section>"
    )


def _model(model: ModelPart, place: int, several: bool) -> str:
    key = f"model-{place}"
    back = '<a class="back" href="#overview">all models</a>' if several else ""
    return "\n".join(
        (
            f'<section class="model{"" if several else " only"}" id="{key}" aria-labelledby="{key}-name">',
            f'<div class="name"><h2 id="{key}-name">{name(model.name)}</h2>{back}</div>',
            f'<p class="verdict" dir="auto">{sentence(model.verdict)}</p>',
            subtitle_lines(model.subtitle),
            f'<h3 id="{key}-numbers">Numbers to run with</h3>',
            plan_tables.numbers(model.numbers, f"{key}-numbers"),
            _outcomes(model, key),
            _hold_out(model.hold_out, key) if model.hold_out else "",
            _over_time(model, place, key),
            grounds(model, key),
            _notes(model.notes, 3) if several else "",
            "</section>",
        )
    )


def _outcomes(model: ModelPart, key: str) -> str:
    said = f'<p class="difference" dir="auto">{sentence(model.difference)}</p>' if model.difference else ""
    return (
        f'<h3 id="{key}-outcomes">What it would have meant</h3>{said}'
        f"{plan_tables.outcomes(model.outcomes, f'{key}-outcomes')}"
    )


def _hold_out(hold_out: HoldOut, key: str) -> str:
    return (
        f'<h3 id="{key}-promises">Promised and kept</h3><p dir="auto">{sentence(hold_out.sentence)}</p>'
        f"{plan_tables.promises(hold_out.promises, f'{key}-promises')}"
    )


def _over_time(model: ModelPart, place: int, key: str) -> str:
    head = f'<section aria-labelledby="{key}-time"{{}}><h3 id="{key}-time">Demand and capacity over time</h3>'
    timeline = model.over_time
    if isinstance(timeline, Missing):
        return head.format("") + missing("Demand and capacity", timeline) + "</section>"
    prefix = f"{key}-"
    figures = []
    forecast = model.forecast if isinstance(model.forecast, Forecast) else None
    if forecast:
        follows = plan_captions.forecast_follows(forecast, timeline)
        how = reads(plan_captions.forecast_reads(forecast))
        figures.append(over_time.forecast_figure(follows, level=4, prefix=prefix, said=how))
    elif isinstance(model.forecast, Missing):
        figures.append(missing("Demand and what was forecast", model.forecast))
    if model.no_today:
        figures.append(missing("Capacity: today", Missing(model.no_today)))
    for trace in range(len(timeline.traces)):
        how = reads(plan_captions.CAPACITY)
        drawn = over_time.policy_figure(
            timeline, trace, level=4, prefix=prefix, before="Capacity: ", said=how
        )
        figures.append(drawn)
    grid = "\n".join(figures)
    return (
        head.format(f' data-timeline="{place}"')
        + over_time.axes(timeline)
        + over_time.tools(timeline, forecast=forecast is not None)
        + f'{over_time.HINT}<div class="grid over-time">\n{grid}\n</div></section>'
    )


def _notes(notes: Sequence[str], level: int, title: str = "Notes") -> str:
    if not notes:
        return ""
    lines = "".join(f'<li dir="auto">{sentence(note)}</li>' for note in notes)
    return f'<h{level}>{title}</h{level}><ul class="notes">{lines}</ul>'


def _glossary(page: PlanPage) -> str:
    found = terms.used(_terms_on(page))
    entries = "".join(
        f'<div><dt id="{terms.key(term)}">{text(term)}</dt><dd>{sentence(said)}</dd></div>'
        for term, said in found.items()
    )
    return (
        '<section aria-labelledby="words"><h2 id="words">Words on this page</h2>'
        f'<dl class="glossary">{entries}</dl></section>'
    )


def _terms_on(page: PlanPage) -> Iterable[str]:
    for model in page.models:
        yield from (number.name for number in model.numbers)
        yield from (outcome.kind for outcome in model.outcomes)
        if model.hold_out:
            yield "hold-out"
        if not isinstance(model.growth, Missing):
            yield "headroom"
        if not isinstance(model.occupancy, Missing):
            yield "target"
        if not isinstance(model.cut, Missing):
            yield "drain N"
        if not isinstance(model.startup, Missing):
            yield "startup probe"
