"""The options that say where the past of models is: for `headrace plan` and `headrace forecast`."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli.options import one_of, option
from headrace.cli.past_wanted import DEMANDS, EXAMPLE

HISTORY, PROMETHEUS = "History from files", "History from Prometheus"

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=]FILE...",
        show_default=False,
        help="Demand histories, one model each, named by NAME or by the file: CSV, TSV, JSON lines (each also .gz, "
        ".zst), Parquet; a quoted pattern ('demand-*.csv') or s3://bucket/key is one history in several files.",
    ),
]
Example = Annotated[
    str | None,
    option("--example", HISTORY, "NAME", f"Built-in history instead: [bold]{EXAMPLE}[/bold], generated."),
]
TimeColumn = Annotated[
    str | None, option("--time-column", HISTORY, "NAME", "Column with the times. Guessed unless said.")
]
ValueColumn = Annotated[
    str | None, option("--value-column", HISTORY, "NAME", "Column with the demand. Guessed unless said.")
]
AccessLogs = Annotated[
    list[str] | None,
    option(
        "--access-log",
        HISTORY,
        "[NAME=]FILE",
        "One row a request, with its time and duration (or start and end): demand in slots and durations follow. "
        "In place of a demand history; may be repeated.",
    ),
]
Durations = Annotated[
    list[str] | None,
    option("--durations", HISTORY, "[NAME=]FILE", "How long requests took, one a row. May be repeated."),
]
Occupancies = Annotated[
    list[str] | None,
    option(
        "--occupancy",
        HISTORY,
        "[NAME=]FILE",
        "Samples of running and waiting requests, by replica or of all. May be repeated.",
    ),
]
DurationColumn = Annotated[
    str | None,
    option("--duration-column", HISTORY, "NAME", "Column with the durations. Guessed unless said."),
]
DurationUnit = Annotated[
    str | None,
    option("--duration-unit", HISTORY, "UNIT", "s, ms, us or ns. By the column's name unless said."),
]
StartColumn = Annotated[
    str | None, option("--start-column", HISTORY, "NAME", "Column with the start of each request.")
]
EndColumn = Annotated[
    str | None, option("--end-column", HISTORY, "NAME", "Column with the end of each request.")
]
RunningColumn = Annotated[
    str | None,
    option("--running-column", HISTORY, "NAME", "Column with running requests. Guessed unless said."),
]
WaitingColumn = Annotated[
    str | None,
    option("--waiting-column", HISTORY, "NAME", "Column with waiting requests. Guessed unless said."),
]
ReplicasColumn = Annotated[
    str | None,
    option(
        "--replicas-column",
        HISTORY,
        "NAME",
        "Column with ready replicas, where running and waiting are sums.",
    ),
]
KvColumn = Annotated[
    str | None,
    option(
        "--kv-column", HISTORY, "NAME", "Column with the share of the KV cache in use. Guessed unless said."
    ),
]
TimeZone = Annotated[
    str | None,
    option(
        "--time-zone",
        HISTORY,
        "NAME",
        "Whose days and weeks the demand follows, such as Europe/Berlin. That of the file, or UTC, unless said.",
    ),
]
KeepDips = Annotated[
    bool,
    option(
        "--keep-dips",
        HISTORY,
        None,
        "Take lone values below 5 % of what is around them for demand, not for holes.",
    ),
]

Url = Annotated[
    str | None,
    option(
        "--prometheus",
        PROMETHEUS,
        "URL",
        "Read it from here instead: Prometheus, Thanos, Mimir. Without /api/v1.",
    ),
]
Selector = Annotated[
    str | None,
    option("--selector", PROMETHEUS, "MATCHERS", "Labels that series must have: 'namespace=\"prod\"'."),
]
Since = Annotated[
    str | None, option("--since", PROMETHEUS, "DURATION", "How far back to read (21d), from --until on.")
]
Until = Annotated[
    str | None,
    option("--until", PROMETHEUS, "TIME", "Where to end, as 2026-11-30T12:00:00Z or epoch seconds (now)."),
]
Step = Annotated[str | None, option("--step", PROMETHEUS, "DURATION", "Step of the queries (60s).")]
Metrics = Annotated[
    list[str] | None,
    option(
        "--metric",
        PROMETHEUS,
        "ROLE=NAME",
        "A metric of another name: running, waiting, kv_usage, finished or latency. May be repeated.",
    ),
]
Query = Annotated[
    str | None,
    option(
        "--query",
        PROMETHEUS,
        "PROMQL",
        "The demand, one series for each model, in place of running + waiting.",
    ),
]
By = Annotated[
    str | None,
    option("--by", PROMETHEUS, "LABELS", "Labels that tell models apart (namespace,model_name)."),
]
DemandUnit = Annotated[
    str | None,
    option(
        "--demand",
        PROMETHEUS,
        "WHAT",
        "[bold]slots[/bold] (running + waiting; the default) or [bold]requests[/bold] (finished per second).",
        autocompletion=one_of(DEMANDS),
    ),
]
Timeout = Annotated[str | None, option("--timeout", PROMETHEUS, "DURATION", "For one question (60s).")]
NoCache = Annotated[
    bool,
    option(
        "--no-cache",
        PROMETHEUS,
        None,
        "Keep no answers; they are kept so that an interrupted reading goes on.",
    ),
]
TokenFile = Annotated[str | None, option("--token-file", PROMETHEUS, "FILE", "Bearer token.")]
TokenVariable = Annotated[
    str | None, option("--token-variable", PROMETHEUS, "NAME", "Environment variable with the bearer token.")
]
User = Annotated[str | None, option("--user", PROMETHEUS, "NAME", "User, for basic auth.")]
PasswordFile = Annotated[str | None, option("--password-file", PROMETHEUS, "FILE", "Password of the user.")]
PasswordVariable = Annotated[
    str | None, option("--password-variable", PROMETHEUS, "NAME", "Environment variable with the password.")
]
Headers = Annotated[
    list[str] | None,
    option("--header", PROMETHEUS, "'NAME: VALUE'", "Sent along; not for secrets. May be repeated."),
]
HeadersFile = Annotated[
    str | None,
    option("--headers-file", PROMETHEUS, "FILE", "Lines 'NAME: VALUE' to send along, for secret ones."),
]
Tenant = Annotated[
    str | None, option("--tenant", PROMETHEUS, "ID", "Tenant of Mimir or Cortex (X-Scope-OrgID).")
]
CaFile = Annotated[
    str | None, option("--ca-file", PROMETHEUS, "FILE", "Certificate authority of the address, PEM.")
]
