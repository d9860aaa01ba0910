"""A plane with two axes: per cent across, pixels down, every label a text of the page's own size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from headrace.report.captions import count
from headrace.report.standalone import text

HEIGHT = 210
"""Pixels from the top of a plane to its horizontal axis."""
_ROOM = 16
"""Pixels that a line of letters takes."""


class Tick(NamedTuple):
    """A place on an axis, 0 to 1, and its words."""

    share: float
    words: str


class Axis(NamedTuple):
    """What an axis counts."""

    words: str
    ticks: Sequence[Tick]


class Mark(NamedTuple):
    """A line across the whole plane that stands for one number.

    Its kind is a class of the style sheet: chosen, today, limit, slots.
    """

    share: float
    words: str
    kind: str


def svg(key: str, title: str, words: str, inside: str, across: Axis, up: Axis) -> str:
    """The whole drawing.

    Args:
        key: Begins its ids.
        title: For screen readers, with `words` as the description.
        words: What it shows, in a sentence or two.
        inside: SVG of what is drawn, in per cent across and pixels down.
        across: Horizontal axis, from left to right.
        up: Vertical axis, from the bottom to the top.
    """
    rules = "".join(_rule(down(tick.share), tick.words) for tick in up.ticks)
    feet = "".join(_foot(tick) for tick in across.ticks)
    return (
        f'<p class="up-words" aria-hidden="true">{text(up.words)}</p>'
        f'<div class="still"><svg width="100%" height="{HEIGHT}" role="img" '
        f'aria-labelledby="{key}-title" aria-describedby="{key}-desc">'
        f'<title id="{key}-title">{text(title)}</title><desc id="{key}-desc">{text(words)}</desc>'
        f'{rules}{feet}{inside}<line class="edge" x1="0" x2="100%" y1="{HEIGHT}" y2="{HEIGHT}"></line></svg></div>'
        f'<p class="across-words" aria-hidden="true">{text(across.words)}</p>'
    )


def path(points: Iterable[tuple[float, float]], kind: str, *, closed: bool = False) -> str:
    """A line through points, each 0 to 1 across and up; it stretches with the plane, its width does not."""
    lead = "M"
    steps = []
    for across, up in points:
        steps.append(f"{lead}{1000 * across:.1f} {1000 * (1 - up):.1f}")
        lead = "L"
    drawn = "".join(steps) + ("Z" if closed else "")
    return (
        f'<svg width="100%" height="{HEIGHT}" viewBox="0 0 1000 1000" preserveAspectRatio="none">'
        f'<path class="{kind}" d="{drawn}"></path></svg>'
    )


def upright(marks: Sequence[Mark]) -> str:
    """Lines from bottom to top, their words above the plane, each in a row of its own.

    Words go to the inside, and a line reaches no higher than its own words: from the left the outermost mark has the
    top row, from the right too, so that no line runs through the words of another.
    """
    left = sorted((mark for mark in marks if mark.share < 0.5), key=lambda mark: -mark.share)
    right = sorted((mark for mark in marks if mark.share >= 0.5), key=lambda mark: mark.share)
    drawn = []
    for row, mark in enumerate((*left, *right)):
        anchor = "start" if mark.share < 0.5 else "end"
        top = -_ROOM * row - 6
        x = percent(mark.share)
        drawn.append(
            f'<line class="mark {mark.kind}" x1="{x}" x2="{x}" y1="{top + 3}" y2="{HEIGHT}"></line>'
            f'<text class="said {mark.kind} {anchor}" x="{x}" y="{top}">{text(mark.words)}</text>'
        )
    return "".join(drawn)


def level(marks: Sequence[Mark], side: Literal["start", "end"] = "start") -> str:
    """Lines from side to side, their words above them at one end; lower ones go below where they would meet."""
    drawn = []
    last = -math.inf
    for mark in sorted(marks, key=lambda mark: -mark.share):
        y = down(mark.share)
        above = y - 5 if y - 5 - last > _ROOM else y + _ROOM - 2
        last = above
        x = "4" if side == "start" else "99%"
        drawn.append(
            f'<line class="mark {mark.kind}" x1="0" x2="100%" y1="{y}" y2="{y}"></line>'
            f'<text class="said {mark.kind} {side}" x="{x}" y="{above:.1f}">{text(mark.words)}</text>'
        )
    return "".join(drawn)


def down(share: float) -> float:
    """Pixels from the top of a place on the vertical axis."""
    return round(HEIGHT * (1 - min(1.0, max(0.0, share))), 1)


def percent(share: float) -> str:
    """A place on the horizontal axis."""
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"


def linear_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round values from `low` to `high`, at most so many."""
    step = _round_step((high - low) / max(1, most - 1))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


def figures(values: Iterable[float], scale: float, low: float = 0.0) -> list[Tick]:
    """Ticks of a linear axis from `low` to `low + scale`."""
    return [Tick((value - low) / scale, count(value)) for value in values]


def _rule(y: float, words: str) -> str:
    return (
        f'<line class="rule" x1="0" x2="100%" y1="{y}" y2="{y}"></line>'
        f'<text class="tick up" x="-7" y="{y}" dy=".35em">{text(words)}</text>'
    )


def _foot(tick: Tick) -> str:
    x = percent(tick.share)
    # At the very edge the words end with the axis, so that they stay within the card.
    kind = "tick across last" if tick.share > 0.96 else "tick across"
    return (
        f'<line class="foot" x1="{x}" x2="{x}" y1="{HEIGHT}" y2="{HEIGHT + 5}"></line>'
        f'<text class="{kind}" x="{x}" y="{HEIGHT + 18}">{text(tick.words)}</text>'
    )


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1.0, 2.0, 2.5, 5.0, 10.0) if step * power >= least * (1 - 1e-9))
