"""The options of `headrace plan` beyond those that say where the past is."""

from __future__ import annotations

from typing import Annotated

from headrace.cli.options import option
from headrace.cli.plan_wanted import TODAY

MODEL, RUNNING, PROOF, OUTPUT = "What is known of a replica", "What runs today", "Proof", "Output"

Fleet = Annotated[
    str | None,
    option(
        "--fleet",
        MODEL,
        "FILE[#NAME]",
        "A ModelFleet file: what is known, and what runs today. Of several fleets each model takes the one of its "
        "name. Options given beside it win.",
    ),
]
Slots = Annotated[
    str | None, option("--slots", MODEL, "N", "Requests that a replica runs at once: its --max-num-seqs.")
]
PerReplica = Annotated[
    str | None,
    option(
        "--per-replica",
        MODEL,
        "N",
        "Demand that a replica serves within its SLO, in the unit of the history.",
    ),
]
KvTokens = Annotated[
    str | None,
    option(
        "--kv-tokens", MODEL, "N", "Tokens that the KV cache of one engine holds (its start-up log says it)."
    ),
]
TokensPerRequest = Annotated[
    str | None,
    option(
        "--tokens-per-request",
        MODEL,
        "N",
        "Tokens of the KV cache that a running request holds in the mean. From KV usage, or --prompts, unless said.",
    ),
]
Accelerators = Annotated[str | None, option("--accelerators", MODEL, "N", "Accelerators of a replica (1).")]
Startup = Annotated[
    str | None, option("--startup", MODEL, "DURATION", "From ordering a replica to its first request (3m).")
]
Engine = Annotated[str | None, option("--engine", MODEL, "NAME", "vllm or sglang (vllm).")]
Over = Annotated[
    str | None, option("--over", MODEL, "SHARE", "Share of requests that may meet a full fleet (0.1%).")
]
Surge = Annotated[
    str | None,
    option("--surge", MODEL, "RISE/RAMP", "A class of surge to survive at every hour, such as 35%/5m."),
]
Target = Annotated[
    str | None,
    option("--target", MODEL, "SHARE", "Share of its slots that a replica may use. Found unless said."),
]
Min = Annotated[str | None, option("--min", MODEL, "N", "Fewest replicas, at least. Found unless said.")]
Max = Annotated[str | None, option("--max", MODEL, "N", "Most replicas. Found unless said.")]
Pool = Annotated[
    str | None,
    option(
        "--pool", MODEL, "N", "Accelerators that all models share: shows who would lack how many, and when."
    ),
]
Lag = Annotated[
    str | None, option("--lag", MODEL, "DURATION", "Age of the newest sample that is decided on (60s).")
]
Tick = Annotated[str | None, option("--tick", MODEL, "DURATION", "Time between decisions (10s).")]
Prompts = Annotated[
    str | None,
    option(
        "--prompts",
        MODEL,
        "FILE",
        "Lengths of prompts in tokens, or their quantiles: raises the floor for long ones.",
    ),
]
PromptColumn = Annotated[
    str | None, option("--prompt-column", MODEL, "NAME", "Column with the lengths. Guessed unless said.")
]
PrefillRate = Annotated[
    str | None, option("--prefill-rate", MODEL, "N", "Prompt tokens that a replica reads in a second (8000).")
]
FirstToken = Annotated[
    str | None, option("--first-token", MODEL, "DURATION", "Time to first token within the SLO (10s).")
]
Chunk = Annotated[
    str | None,
    option("--chunk", MODEL, "N", "Tokens of a chunk, where prefill is chunked (--max-num-batched-tokens)."),
]
DrainRange = Annotated[
    str | None,
    option("--drain-range", MODEL, "RANGE", "Shortest and longest N (60s..900s)."),
]
DrainCut = Annotated[
    str | None,
    option("--drain-cut", MODEL, "SHARE", "Share of the running streams that a drain of N may cut (1%)."),
]

Between = Annotated[
    str | None,
    option(
        "--between",
        MODEL,
        "HOW",
        "How a history coarser than a tick goes on between its rows: rough (drawn, as rough as it is), line or hold.",
    ),
]
Seed = Annotated[str | None, option("--seed", MODEL, "N", "Seed of whatever is drawn by chance (7).")]

Today = Annotated[
    str | None,
    option(
        "--today",
        RUNNING,
        "HOW",
        f"{', '.join(TODAY)}: [bold]fixed:12[/bold] replicas, [bold]hpa:70%[/bold] of slots. What was seen "
        "(Prometheus, or --occupancy with replicas), or the --fleet file, unless said.",
    ),
]
TodayMin = Annotated[str | None, option("--today-min", RUNNING, "N", "Its fewest replicas (1).")]
TodayMax = Annotated[str | None, option("--today-max", RUNNING, "N", "Its most replicas (no limit).")]
TodayDrain = Annotated[
    str | None,
    option(
        "--today-drain",
        RUNNING,
        "DURATION",
        "How long a removed replica's streams have to end (0s: SIGTERM cuts them, as without a drain).",
    ),
]

HoldOut = Annotated[
    str | None,
    option(
        "--holdout", PROOF, "DURATION", "Plan on what came before the last 7d, say, and prove it on those."
    ),
]
Tolerance = Annotated[
    str | None,
    option(
        "--tolerance",
        PROOF,
        "SHARE",
        "By how much a promise may be exceeded (10%); beyond it the exit code is 1.",
    ),
]

Out = Annotated[str | None, option("--out", OUTPUT, "FILE.yaml", "Write the plan as a ModelFleet file.")]
Report = Annotated[
    str | None,
    option("--report", OUTPUT, "FILE.html", "Write a page with charts that opens offline and prints."),
]
AsJson = Annotated[
    bool, option("--json", OUTPUT, None, "The plan as JSON on stdout, and nothing else there.")
]
Quiet = Annotated[bool, option("--quiet", OUTPUT, None, "Only the tables: no notes, no progress.")]
