"""The past of models from a Prometheus, as the options say."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from headrace.cli.past_wanted import PastWanted
from headrace.cli.progress import bar
from headrace.errors import InputError
from headrace.past import Past
from headrace.units import UnitError, number, shown

if TYPE_CHECKING:
    from headrace.observe.prometheus.source import Selection, Source

SINCE_S = 21 * 86_400.0
LATEST_S = 253_402_300_799.0
"""The end of the year 9999."""


def pasts(asked: PastWanted, slots: int | None, hidden: bool) -> tuple[Past, ...]:
    """Each model's past, by name.

    Args:
        asked: Where it is, and which part of it.
        slots: What one replica runs at once, where it is known: tells when a fleet was full.
        hidden: True: no progress is shown.

    Raises:
        HeadraceError: It does not answer, or not as Prometheus does.
    """
    from headrace.observe.prometheus.read import read_past
    from headrace.observe.prometheus.store import user_cache

    source, selection = _source(asked), _selection(asked, slots)
    with bar(f"Reading {source.shown_url}", hidden=hidden) as tell:
        return tuple(
            read_past(
                source, selection, kept_in=None if asked.no_cache else user_cache(), progress=tell
            ).values()
        )


def _source(asked: PastWanted) -> Source:
    from headrace.observe.prometheus.source import Source

    assert asked.url is not None
    source = Source(
        url=asked.url,
        token_file=_path(asked.token_file),
        token_variable=asked.token_variable,
        user=asked.user,
        password_file=_path(asked.password_file),
        password_variable=asked.password_variable,
        headers=asked.headers,
        headers_file=_path(asked.headers_file),
        tenant=asked.tenant,
        ca_file=_path(asked.ca_file),
    )
    return source if asked.timeout_s is None else replace(source, timeout_s=asked.timeout_s)


def _selection(asked: PastWanted, slots: int | None) -> Selection:
    from headrace.observe.prometheus.source import Selection

    end_s = None if asked.until is None else _moment_s(asked.until)
    selection = Selection(
        selector=asked.selector or "",
        end_s=end_s,
        step_s=asked.step_s or 60.0,
        slots=slots,
        names=asked.metrics,
        query=asked.query,
        unit="requests" if asked.demand == "requests" else "slots",
    )
    if asked.by:
        selection = replace(selection, by=asked.by)
    if asked.since_s is not None or end_s is not None:
        until_s = time() if end_s is None else end_s
        start_s = until_s - (asked.since_s or SINCE_S)
        if start_s < 0.0:
            raise InputError("--since", f"reaches to before 1970 from --until {asked.until or 'now'}")
        selection = replace(selection, start_s=start_s, end_s=until_s)
    return selection


def _moment_s(text: str) -> float:
    try:
        moment_s = number(text)
    except UnitError:
        moment_s = _clock_s(text)
    if not 0.0 < moment_s <= LATEST_S:
        raise InputError(
            "--until", f"{shown(text)} is not a moment; write 2026-11-30T12:00:00Z, or seconds since 1970"
        )
    return moment_s


def _clock_s(text: str) -> float:
    """Seconds since 1970 of a moment with a time zone; NaN: it is none."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.timestamp() if moment.tzinfo is not None else math.nan
    except (ValueError, OverflowError):
        return math.nan


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)
