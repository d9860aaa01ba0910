"""`headrace plan --holdout` on real LLM traffic: what was promised from the first week, and what the second one kept.

The four two-week histories of ServeGen (alibaba/ServeGen, Apache-2.0) hold requests per second. How long requests take
is in no public trace, so durations are made from the tokens of the Azure and Mooncake traces by the rate model of
`simulate.llm_requests` (8,000 prompt tokens a second read, 30 tokens a second written). A replica has 64 slots for the
smaller two histories, 256 for the larger two; its start takes 3 and 12 minutes; at most 0.1 % of requests may meet a
full fleet; a promise may be missed by 10 %.

The budget that a plan from less than two weeks may use up (a sixth of the target) was chosen on generated histories,
after a first look at these four with a third of it, at 3 minutes: two of them then missed the share, by 28 and 42 %.

Run: python benchmarks/plan_holdout.py [--data FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.cli import main as headrace
from headrace.simulate.llm_requests import duration_s

HISTORIES = {
    "servegen_m_large_10min_total": (256, "azure2023_conv"),
    "servegen_m_large_10min_diurnal_clients": (64, "azure2023_conv"),
    "servegen_m_mid_10min_total": (256, "azure2023_code"),
    "servegen_m_mid_10min_diurnal_clients": (64, "mooncake_conversation"),
}
"""Slots of a replica, and the trace whose tokens its requests have."""
TOKENS = {
    "azure2023_conv": ("ContextTokens", "GeneratedTokens"),
    "azure2023_code": ("ContextTokens", "GeneratedTokens"),
    "mooncake_conversation": ("input_length", "output_length"),
}
STARTUPS = ("3m", "12m")
HOLDOUT = "7d"


class Row(NamedTuple):
    """One plan and its proof."""

    history: str
    startup: str
    code: int
    """Exit code: 1 where a promise was missed."""
    promises: tuple[dict[str, Any], ...]
    headroom: float
    drain: str


def trace_durations_s(trace: Path) -> NDArray[np.float64]:
    """Durations of a trace's requests by the rate model."""
    prompt, answer = TOKENS[trace.stem]
    with trace.open(newline="", encoding="utf-8") as file:
        rows = [(float(row[prompt]), float(row[answer])) for row in csv.DictReader(file)]
    tokens = np.array(rows)
    return duration_s(tokens[:, 0], tokens[:, 1])


def planned(data: Path, name: str, startup: str, folder: Path) -> Row:
    """`headrace plan` on a history, as a user would run it."""
    slots, trace = HISTORIES[name]
    took = folder / f"{trace}.csv"
    if not took.exists():
        seconds = trace_durations_s(data / "traces" / f"{trace}.csv")
        took.write_text("\n".join(["duration_s", *(f"{value:.4f}" for value in seconds)]) + "\n")
    told = io.StringIO()
    with redirect_stdout(told):
        code = headrace(
            [
                *(
                    "plan",
                    str(data / "demand" / f"{name}.csv"),
                    "--durations",
                    str(took),
                    "--slots",
                    str(slots),
                ),
                *("--startup", startup, "--holdout", HOLDOUT, "--json", "--quiet"),
            ]
        )
    (model,) = json.loads(told.getvalue())["models"]
    drain = next(number["text"] for number in model["numbers"] if number["name"] == "drain N")
    proof = model["holdout"]
    return Row(name, startup, code, tuple(proof["promises"]), proof["headroom"], drain)


def rows(data: Path, startups: Sequence[str]) -> Iterator[Row]:
    """Every history with every start-up time."""
    with tempfile.TemporaryDirectory() as folder:
        for startup in startups:
            for name in HISTORIES:
                yield planned(data, name, startup, Path(folder))


def text(promise: dict[str, Any]) -> str:
    """Promised → kept, and whether that is within the tolerance."""
    scale, unit, digits = (100.0, " %", 4) if "share" in promise["what"] else (1.0, "", 0)
    mark = "" if promise["held"] else "  MISSED"
    return (
        f"{scale * promise['promised']:,.{digits}f}{unit} → {scale * promise['kept']:,.{digits}f}{unit}{mark}"
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Promises of plans on real LLM traffic, and what was kept.")
    default = os.environ.get("HEADRACE_DATA") or str(Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    data = parser.parse_args().data
    if not (data / "demand").is_dir():
        print(f"{data} holds no demand histories; --data names their folder")
        return 0
    print(
        f"{'history':42} {'start':>5}  {'x':>5} {'N':>4}  {'requests over':26} {'minutes over':24} GPU-hours"
    )
    kept = total = 0
    for row in rows(data, STARTUPS):
        share, minutes, hours = row.promises
        print(
            f"{row.history:42} {row.startup:>5}  {row.headroom:5.2f} {row.drain:>4}  {text(share):26} "
            f"{text(minutes):24} {text(hours)}"
        )
        sys.stdout.flush()
        kept += sum(promise["held"] for promise in row.promises)
        total += len(row.promises)
    print(f"kept: {kept} of {total} promises")
    return 0


if __name__ == "__main__":
    sys.exit(main())
