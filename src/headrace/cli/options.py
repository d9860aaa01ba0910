"""The options of `headrace simulate`, each with its help. All are texts here; `wanted` reads them.

A text is read by us and not by Typer, so that every wrong one gets the same kind of sentence: option, value, what
is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from headrace.cli.wanted import BETWEEN, EXAMPLES, POLICY_NAMES, REMOVALS

DEMAND, FLEET, WORLD, COMPARED, OUTPUT = "Demand", "Fleet", "World", "What is compared", "Output"


def option(name: str, panel: str, metavar: str | None, text: str, **more: Any) -> Any:
    """An option whose text is read by us; without a metavar it is a flag."""
    return typer.Option(
        name, metavar=metavar or "", help=text, rich_help_panel=panel, show_default=False, **more
    )


def one_of(names: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Shell completion from a fixed set of names."""

    def completed(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return completed


File = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Demand history: CSV, TSV, JSON lines (each also .gz, .zst) or Parquet, with a time and a value column.",
    ),
]
Example = Annotated[
    str | None,
    option(
        "--example",
        DEMAND,
        "NAME",
        "Built-in demand instead of a file: [bold]seed-day[/bold] (one day with a surge, the policies as published) "
        "or [bold]llm-week[/bold] (generated from figures of real LLM traffic).",
        autocompletion=one_of(EXAMPLES),
    ),
]
TimeColumn = Annotated[
    str | None, option("--time-column", DEMAND, "NAME", "Column with the times. Guessed unless said.")
]
ValueColumn = Annotated[
    str | None, option("--value-column", DEMAND, "NAME", "Column with the demand. Guessed unless said.")
]
Days = Annotated[
    str | None,
    option("--days", DEMAND, "N", "Only the first N days of the file; days to generate for llm-week (14)."),
]
Learn = Annotated[
    str | None,
    option(
        "--learn",
        DEMAND,
        "DURATION",
        "How much of the beginning is only learned from, such as 7d. A week where there are two, else a day.",
    ),
]
Between = Annotated[
    str | None,
    option(
        "--between",
        DEMAND,
        "HOW",
        "How a file coarser than a tick goes on between its rows: [bold]rough[/bold] (the default: as rough as it is "
        "at its own step, seeded), [bold]line[/bold] or [bold]hold[/bold]. Straight lines flatter every policy: "
        "a slope that holds for minutes is one that a policy can follow.",
        autocompletion=one_of(BETWEEN),
    ),
]
KeepDips = Annotated[
    bool,
    option(
        "--keep-dips",
        DEMAND,
        None,
        "Take lone values below 5 % of what is around them for demand. They are taken for holes in the collection "
        "unless said, where rows are a minute apart or more.",
    ),
]
Noise = Annotated[
    bool,
    option(
        "--noise",
        DEMAND,
        None,
        "Let single requests come and go by chance: matters for small fleets.",
    ),
]
Surges = Annotated[
    list[str] | None,
    option(
        "--surge",
        DEMAND,
        "SURGE",
        "A surge that nobody announced, as RISE/RAMP@WHEN or RISE/RAMP/LENGTH@WHEN: 35%/5m@15:00 (each day at that "
        "time, for 1h) or 35%/5m/2h@9d15h (that long after the history begins). May be repeated; for seed-day "
        "it replaces its own, and [bold]none[/bold] removes it.",
    ),
]
Seed = Annotated[str | None, option("--seed", DEMAND, "N", "Seed of whatever is drawn by chance (7).")]

Fleet = Annotated[
    str | None,
    option(
        "--fleet",
        FLEET,
        "FILE[#NAME]",
        "A ModelFleet file: capacity and accelerators of a replica, start-up, min and max, slo.over. "
        "Options given beside it win.",
    ),
]
PerReplica = Annotated[
    str | None,
    option(
        "--per-replica", FLEET, "N", "Demand that one replica serves within its SLO, in the unit of the file."
    ),
]
Replicas = Annotated[
    str | None,
    option("--replicas", FLEET, "N", "Or: replicas that mean demand fills (20 unless something says it)."),
]
Accelerators = Annotated[
    str | None, option("--accelerators", FLEET, "N", "Accelerators per replica (1; seed-day: 8).")
]
Startup = Annotated[
    str | None, option("--startup", FLEET, "DURATION", "From ordering a replica to its first request (3m).")
]
Drain = Annotated[
    str | None,
    option("--drain", FLEET, "DURATION", "For how long a removed replica is still paid (5m; seed-day: 0s)."),
]

Lag = Annotated[
    str | None, option("--lag", WORLD, "DURATION", "Age of the newest sample that a policy sees (60s).")
]
Tick = Annotated[
    str | None, option("--tick", WORLD, "DURATION", "Time between decisions; the simulation's step (10s).")
]

Policies = Annotated[
    list[str] | None,
    option(
        "--policy",
        COMPARED,
        "NAME",
        f"Only this policy ({', '.join(POLICY_NAMES)}). May be repeated.",
        autocompletion=one_of(POLICY_NAMES),
    ),
]
Over = Annotated[
    str | None,
    option(
        "--over",
        COMPARED,
        "SHARES",
        "Share of requests that may meet a full fleet; several make a table each: 0.1%,0.01%,0 (0.1%).",
    ),
]
Removal = Annotated[
    str | None,
    option(
        "--removal",
        COMPARED,
        "HOW",
        "One removal discipline for all policies: WINDOW/STEP/INTERVAL such as 600s/1/120s or 300s/all/0s, or "
        "[bold]seed[/bold], [bold]fast[/bold], [bold]slow[/bold]. Each policy's own unless said.",
        autocompletion=one_of(REMOVALS),
    ),
]
Sweep = Annotated[
    bool,
    option(
        "--sweep",
        COMPARED,
        None,
        "The cost at mean demand of 8 and 60 replicas, with 20 s, 3 min and 12 min of start-up, at each --over "
        "(here 0.1%,0.01%,0).",
    ),
]

AsJson = Annotated[
    bool, option("--json", OUTPUT, None, "Rows and notes as JSON on stdout, and nothing else there.")
]
Chart = Annotated[
    str | None,
    option(
        "--chart", OUTPUT, "FILE.html", "Write a page that opens offline: demand and capacity of each policy."
    ),
]
Interpret = Annotated[
    bool, option("--interpret", OUTPUT, None, "Run in plain Python even where numba is installed.")
]
Quiet = Annotated[bool, option("--quiet", OUTPUT, None, "Only the table: no notes, no progress.")]
