"""The options of `headrace forecast` beyond those that say where the past is."""

from __future__ import annotations

from typing import Annotated

from headrace.cli.options import option

FORECAST, OUTPUT = "Forecast", "Output"

Backtest = Annotated[
    bool,
    option(
        "--backtest",
        FORECAST,
        None,
        "Instead of the next hour: forecast the later part of the past, each window from what was known before it, "
        "beside persistence and last week.",
    ),
]
Ahead = Annotated[
    list[str] | None,
    option(
        "--ahead",
        FORECAST,
        "DURATION",
        "How far ahead to try, up to 1h: one window and 12m unless said. May be repeated.",
    ),
]
Level = Annotated[
    str | None,
    option("--level", FORECAST, "SHARE", "Of the windows that should stay below the band's end (95%)."),
]
Seed = Annotated[str | None, option("--seed", FORECAST, "N", "Seed of the built-in history (7).")]
AsJson = Annotated[bool, option("--json", OUTPUT, None, "As JSON on stdout, and nothing else there.")]
Quiet = Annotated[bool, option("--quiet", OUTPUT, None, "Only the table: no notes, no progress.")]
