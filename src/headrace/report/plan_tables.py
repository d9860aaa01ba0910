"""The tables of a plan as HTML: numbers, outcomes, promises, the overview of several models, pools."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from headrace.report.captions import NOT_KNOWN, count, length, share
from headrace.report.cells import figure_cell
from headrace.report.plan_parts import ModelPart, Number, Outcome, Pool, Promise
from headrace.report.standalone import name, sentence, text
from headrace.report.terms import TERMS, key

_SAID_FOR = {"minutes over": "over capacity", "requests over": "over capacity", "streams cut": "cut streams"}
_TAGS = {"today": "today", "proposed": "proposed", "bound": "bound", "other": ""}


def numbers(rows: Sequence[Number], label: str) -> str:
    """The numbers to run with; without a column for today where nothing is known of it."""
    known = any(row.today for row in rows)
    heads = ["number", *(["today"] if known else []), "proposed", "why", "taken from"]
    body = "".join(_number(row, known) for row in rows)
    return (
        f'<table class="numbers" role="table" aria-labelledby="{label}"><thead role="rowgroup"><tr role="row">'
        + "".join(f'<th scope="col" role="columnheader">{head}</th>' for head in heads)
        + f'</tr></thead><tbody role="rowgroup">{body}</tbody></table>'
    )


def outcomes(rows: Sequence[Outcome], label: str) -> str:
    """What each policy would have meant, side by side."""
    most = max((row.gpu_hours for row in rows if math.isfinite(row.gpu_hours)), default=0.0)
    heads = ("minutes over", "requests over", "GPU-hours", "streams cut")
    body = "".join(_outcome(row, most) for row in rows)
    return _figures(label, ("policy", *heads), body)


def promises(rows: Sequence[Promise], label: str) -> str:
    """What was promised and what was kept."""
    body = "".join(
        f'<tr><th scope="row">{text(row.what)}</th><td>{sentence(row.promised)}</td><td>{sentence(row.kept)}</td>'
        f"<td>{sentence(row.tolerance)}</td><td>{_kept(row.held)}</td></tr>"
        for row in rows
    )
    return _figures(label, ("promise", "promised", "came out", "allowed", "verdict"), body)


def overview(models: Sequence[ModelPart], label: str) -> str:
    """All models at a glance, each with a link to its own part; the script sorts them by a column."""
    body = "".join(_model(model, place) for place, model in enumerate(models))
    heads = (
        '<th scope="col"><button type="button" data-column="0">model</button></th><th scope="col">replicas</th>'
        '<th scope="col"><button type="button" data-column="2">GPU-hours</button></th>'
        '<th scope="col"><button type="button" data-column="3">requests over</button></th>'
    )
    return (
        f'<div class="wide" role="region" aria-labelledby="{label}" tabindex="0">'
        f'<table class="figures" id="models-table"><thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'
        '</div><p class="hint">An arrow leads from today to what is proposed.</p>'
    )


def lacks(pool: Pool, label: str) -> str:
    """Who lacks what of a pool that is short."""
    body = "".join(
        f'<tr><th scope="row">{name(lack.model)}</th>'
        + figure_cell(
            lack.minutes, over=True, shown=text(length(60 * lack.minutes) if lack.minutes else "never")
        )
        + figure_cell(lack.most_accelerators)
        + figure_cell(lack.gpu_hours)
        + "</tr>"
        for lack in pool.lacks
    )
    return _figures(label, ("model", "lacked accelerators for", "most at once", "GPU-hours lacked"), body)


def plain(rows: Sequence[Sequence[str]], label: str) -> str:
    """The figures behind a chart, folded: the first row is the head."""
    head, *body = rows
    heads = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)
    lines = "".join(
        f'<tr><th scope="row">{text(first)}</th>{"".join(f"<td>{text(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in body
    )
    return (
        f'<details class="behind"><summary>The figures</summary><table class="plain" aria-labelledby="{label}">'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></details>"
    )


def term(word: str) -> str:
    """A word, with a link to its explanation where there is one."""
    found = _SAID_FOR.get(word, word)
    if found not in TERMS:
        return name(word)
    return f'<a class="term" href="#{key(found)}">{text(word)}</a>'


def _number(row: Number, known: bool) -> str:
    changed = ' class="changed"' if row.today and row.today != row.proposed else ""
    today = (
        f'<td role="cell" data-label="today" class="was">{sentence(row.today) or NOT_KNOWN}</td>'
        if known
        else ""
    )
    return (
        f'<tr role="row"{changed}>'
        f'<th scope="row" role="rowheader">{term(row.name)}</th>{today}'
        f'<td role="cell" data-label="proposed" class="is">{sentence(row.proposed)}</td>'
        f'<td role="cell" class="why" dir="auto">{sentence(row.reason)}</td>'
        f'<td role="cell" class="from" dir="auto">{sentence(row.data)}</td></tr>'
    )


def _outcome(row: Outcome, most: float) -> str:
    tag = _TAGS[row.kind]
    shown = "" if not tag or tag == row.name else f' <span class="tag plain">{tag}</span>'
    requests = ""
    if math.isfinite(row.requests_over):
        requests = f"{count(row.requests_over)} <small>{sentence(share(row.over_ratio))}</small>"
    kind = {"proposed": ' class="best"', "bound": ' class="bound"'}.get(row.kind, "")
    return (
        f'<tr{kind}><th scope="row">{name(row.name)}{shown}</th>'
        + figure_cell(row.minutes_over, over=True)
        + figure_cell(row.requests_over, over=True, shown=requests)
        + figure_cell(row.gpu_hours, most=most)
        + _streams(row.cut_streams)
        + "</tr>"
    )


def _streams(cut: tuple[float, float] | None) -> str:
    if cut is None:
        return figure_cell(math.nan)
    least, most = (count(figure) for figure in cut)
    return figure_cell(cut[1], over=True, shown=least if least == most else f"{least} to {most}")


def _model(model: ModelPart, place: int) -> str:
    today, proposed = (_of(model.outcomes, kind) for kind in ("today", "proposed"))
    return (
        f'<tr><th scope="row"><a href="#model-{place}">{name(model.name)}</a></th>'
        f"<td>{text(model.replicas)}</td>{_hours(today, proposed)}{_requests(today, proposed)}</tr>"
    )


def _hours(today: Outcome | None, proposed: Outcome | None) -> str:
    if proposed is None:
        return figure_cell(math.nan)
    shown = count(proposed.gpu_hours)
    if today is not None and today.gpu_hours > 0:
        change = sentence(_change(proposed.gpu_hours / today.gpu_hours - 1))
        shown = f"{_arrow(count(today.gpu_hours), shown)} <small>{change}</small>"
    return figure_cell(proposed.gpu_hours, shown=shown)


def _requests(today: Outcome | None, proposed: Outcome | None) -> str:
    if proposed is None:
        return figure_cell(math.nan)
    shown = sentence(share(proposed.over_ratio))
    if today is not None:
        shown = _arrow(sentence(share(today.over_ratio)), shown)
    return figure_cell(proposed.over_ratio, over=True, shown=shown)


def _arrow(today: str, proposed: str) -> str:
    return f'<span class="before">{today} →</span> {proposed}'


def _change(ratio: float) -> str:
    """``+12 %``, ``−8 %``; a true minus, which is as wide as the plus."""
    if abs(ratio) < 0.0005 or not math.isfinite(ratio):
        return "±0 %" if math.isfinite(ratio) else ""
    figure = f"{abs(100 * ratio):.0f}" if abs(ratio) >= 0.0995 else f"{abs(100 * ratio):.1f}"
    return f"{'+' if ratio > 0 else '−'}{figure} %"


def _of(rows: Iterable[Outcome], kind: str) -> Outcome | None:
    return next((row for row in rows if row.kind == kind), None)


def _kept(held: bool) -> str:
    return '<span class="tag">kept</span>' if held else '<span class="tag missed">missed</span>'


def _figures(label: str, heads: Sequence[str], body: str) -> str:
    shown = "".join(f'<th scope="col">{term(head)}</th>' for head in heads)
    return (
        f'<div class="wide" role="region" aria-labelledby="{label}" tabindex="0"><table class="figures">'
        f"<thead><tr>{shown}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )
