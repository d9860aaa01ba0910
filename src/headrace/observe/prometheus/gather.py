"""All queries over all of the time, in stretches: from disk where they are kept, else asked for, a few at once.

A stretch is a day (fewer steps where a day has more than 10,000: Prometheus answers with 11,000 at most), counted
from 1970, so that tomorrow's reading has the same ones. Where the server finds one too large it is asked for in
halves, and so are those that follow. The newest stretch, which still grows, is not kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.observe.prometheus.answer import Labels, Piece, piece
from headrace.observe.prometheus.connection import Connection
from headrace.observe.prometheus.queries import Query
from headrace.observe.prometheus.refusal import TooMuch, Unanswered
from headrace.observe.prometheus.store import Store

Progress = Callable[[float], None]
"""Called with the finished share, 0 to 1."""

MOST_STEPS = 10_000
DAY_S = 86_400
AT_ONCE = 4
"""Questions under way: Prometheus runs twenty at once for all who ask."""
SETTLED_S = 900.0
"""A stretch that ended less than this ago may still get samples (remote write; servers that come back)."""
GRACE_S = 5.0
"""After Ctrl-C, answers under way have so long to arrive and be kept."""


class Span(NamedTuple):
    """Neighbouring steps, counted from 0 s."""

    first: int
    steps: int
    is_settled: bool
    """Nothing will be added to it: it may be kept."""


class Question(NamedTuple):
    """A query over a stretch of time."""

    query: Query
    first: int
    """First step wanted, counted from 0 s."""
    steps: int
    most_series: int


class Gathered:
    """One query's series over all steps wanted; NaN where there is no value.

    Attributes:
        rows: shape [steps] for each series.
        warnings: What the server said beside its answers.
    """

    def __init__(self, question: Question) -> None:
        self.rows: dict[Labels, NDArray[np.float64]] = {}
        self.warnings: dict[str, None] = {}
        self._question = question

    def take(self, first: int, part: Piece) -> None:
        """Puts a part in its place; what lies outside the steps wanted is dropped."""
        wanted, steps = self._question.first, self._question.steps
        begin = max(first, wanted)
        end = min(first + part.values.shape[1], wanted + steps)
        self.warnings |= dict.fromkeys(part.warnings)
        for labels, values in zip(part.labels, part.values, strict=True):
            inside = values[begin - first : end - first]
            if labels not in self.rows:
                if np.isnan(inside).all():
                    continue
                self.rows[labels] = np.full(steps, np.nan)
            self.rows[labels][begin - wanted : end - wanted] = inside


def spans(first: int, steps: int, step_s: int, now_s: float) -> list[Span]:
    """The stretches that cover the steps wanted; settled ones whole, so that they are kept whole."""
    size = max(1, min(DAY_S // step_s, MOST_STEPS))
    found = []
    for begin in range(first // size * size, first + steps, size):
        if (begin + size) * step_s <= now_s - SETTLED_S:
            found.append(Span(begin, size, True))
        else:
            low, high = max(begin, first), min(begin + size, first + steps)
            found.append(Span(low, high - low, False))
    return found


async def gathered(
    connection: Connection, store: Store, questions: list[Question], now_s: float, progress: Progress
) -> list[Gathered]:
    """The answers to all questions, in their order.

    Raises:
        InputError, Unanswered: In one sentence; what was finished by then is kept.
    """
    answers = [Gathered(question) for question in questions]
    waiting: list[Coroutine[Any, Any, None]] = []
    for question, each in zip(questions, answers, strict=True):
        reader = _Reader(connection, store, question, each)
        step_s = question.query.step_s
        waiting += [reader.read(span) for span in spans(question.first, question.steps, step_s, now_s)]
    await _few_at_once(waiting, progress)
    return answers


async def _few_at_once(waiting: list[Coroutine[Any, Any, None]], progress: Progress) -> None:
    count = len(waiting)
    waiting = waiting[::-1]
    running: set[asyncio.Task[None]] = set()
    try:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                running.add(asyncio.create_task(waiting.pop()))
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            if failures := [error for task in done if (error := task.exception()) is not None]:
                raise failures[0]
            progress(1.0 - (len(waiting) + len(running)) / count)
    except BaseException:
        for unstarted in waiting:
            unstarted.close()
        if running:
            _, late = await asyncio.wait(running, timeout=GRACE_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        raise


class _Reader:
    """One question's way through its stretches; remembers how much the server takes at once."""

    def __init__(self, connection: Connection, store: Store, question: Question, into: Gathered) -> None:
        self._connection = connection
        self._store = store
        self._question = question
        self._into = into
        self._most_steps = MOST_STEPS

    async def read(self, span: Span) -> None:
        """Takes a stretch over, from disk or from the server, in halves where it must be."""
        text, step_s = self._question.query.text, self._question.query.step_s
        if span.is_settled and (kept := self._store.load(text, step_s, span.first, span.steps)) is not None:
            self._into.take(span.first, kept)
            return
        is_in_halves = span.is_settled and self._store.has(text, step_s, span.first, span.steps)
        if span.steps <= self._most_steps and not is_in_halves:
            try:
                found = await self._asked(span)
            except TooMuch as problem:
                if span.steps == 1:
                    raise Unanswered(f"{self._connection.where}: {problem}, even for a single step") from None
                self._most_steps = min(self._most_steps, (span.steps + 1) // 2)
            else:
                self._into.take(span.first, found)
                if span.is_settled and not found.warnings:
                    self._store.keep(text, step_s, span.first, found)
                return
        half = (span.steps + 1) // 2
        await self.read(Span(span.first, half, span.is_settled))
        await self.read(Span(span.first + half, span.steps - half, span.is_settled))

    async def _asked(self, span: Span) -> Piece:
        step_s = self._question.query.step_s
        parameters = {
            "query": self._question.query.text,
            "start": str((span.first + 1) * step_s),
            "end": str((span.first + span.steps) * step_s),
            "step": str(step_s),
        }
        found = await self._connection.ask("query_range", parameters, self._question.most_series)
        return piece(self._connection.where, found, step_s, span.first, span.steps)
