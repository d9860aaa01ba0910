"""cut(N) as computed from durations, against drains that are played through: how many running streams each one cuts.

Requests come at the moments at which they came in real traces (Azure's LLM inference traces of 2023, code and
conversation, CC-BY-4.0: Patel and others, Splitwise, ISCA 2024; Mooncake's conversation trace, Apache-2.0). The traces
tell tokens but not durations, so those are made by a rate model that is stated here and measured nowhere: a prompt is
read at 8,000 tokens a second, and 30 tokens a second are written. A drain begins at a moment drawn evenly from the
whole trace; whatever runs then and is still running N seconds later is cut. Its share of what ran, over all drains, is
set against cut(N), with an interval of 99 % from 1,000 bootstrap samples of the drains.

The interval from a histogram's buckets (vLLM's bounds, with and without their sum) stands beside it.

Run: python benchmarks/drain_cut.py [--data FOLDER] [--drains 10000]
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.cut import Share, cut_share
from headrace.decide.drain import drain
from headrace.durations import Buckets, durations

PROMPT_TOKENS_PER_S = 8_000.0
TOKENS_PER_S = 30.0
DRAINS_S = (2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0)
BOUNDS_S = (
    *(0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0),
    *(120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0),
)
"""Of vllm:e2e_request_latency_seconds."""
TRACES = {
    "azure2023_code": ("TIMESTAMP", "ContextTokens", "GeneratedTokens"),
    "azure2023_conv": ("TIMESTAMP", "ContextTokens", "GeneratedTokens"),
    "mooncake_conversation": ("timestamp_ms", "input_length", "output_length"),
}
SEED = zlib.crc32(b"lade")
"""Set down before anything was run on it."""


class Requests(NamedTuple):
    """Requests by arrival."""

    at_s: NDArray[np.float64]
    durations_s: NDArray[np.float64]


class Drains(NamedTuple):
    """Drains that were played through."""

    running: NDArray[np.int64]
    """shape [drains]; streams that ran when each began."""
    cut: NDArray[np.int64]
    """shape [drains, N]; of these, still running N seconds later."""


class Outcome(NamedTuple):
    """What one N comes to."""

    drain_s: float
    computed: Share
    played: float
    low: float
    high: float
    """Bounds of 99 % on what was played."""
    with_sum: Share
    """From buckets and their sum."""
    without_sum: Share

    @property
    def agrees(self) -> bool:
        """Whether the computed share is within the interval of what was played."""
        return self.low <= self.computed.low and self.computed.high <= self.high


def made_durations_s(
    prompt_tokens: NDArray[np.float64], output_tokens: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Durations by the rate model."""
    return prompt_tokens / PROMPT_TOKENS_PER_S + output_tokens / TOKENS_PER_S


def trace(path: Path) -> Requests:
    """The requests of a trace, with made durations."""
    at, prompt, output = TRACES[path.stem]
    with path.open(newline="", encoding="utf-8") as file:
        rows = [(_seconds(row[at]), float(row[prompt]), float(row[output])) for row in csv.DictReader(file)]
    times, prompts, outputs = np.array(sorted(rows)).T
    return Requests(times - times[0], made_durations_s(prompts, outputs))


def generated(seed: int, count: int = 20_000) -> Requests:
    """Requests at random moments of an hour, with lognormal prompts and outputs, where no trace is at hand."""
    rng = np.random.default_rng(seed)
    prompts = np.minimum(rng.lognormal(np.log(1_000.0), 1.2, count), 100_000.0)
    outputs = np.minimum(rng.lognormal(np.log(150.0), 1.1, count), 8_000.0)
    return Requests(np.sort(rng.uniform(0.0, 3_600.0, count)), made_durations_s(prompts, outputs))


def played(requests: Requests, drains_s: tuple[float, ...], count: int, seed: int) -> Drains:
    """Drains at moments drawn evenly from the first arrival to the last end."""
    rng = np.random.default_rng(seed)
    ends_s = requests.at_s + requests.durations_s
    longest_s = float(requests.durations_s.max())
    moments_s = rng.uniform(requests.at_s[0], ends_s.max(), count)
    # what runs at a moment came at most the longest duration before it
    first = np.searchsorted(requests.at_s, moments_s - longest_s, side="left")
    after = np.searchsorted(requests.at_s, moments_s, side="right")
    running, cut = np.zeros(count, dtype=np.int64), np.zeros((count, len(drains_s)), dtype=np.int64)
    waits_s = np.array(drains_s)
    for each in range(count):
        left_s = ends_s[first[each] : after[each]] - moments_s[each]
        left_s = left_s[left_s > 0.0]
        running[each] = len(left_s)
        cut[each] = (left_s[:, None] > waits_s).sum(axis=0)
    return Drains(running, cut)


def interval(drains: Drains, seed: int, samples: int = 1_000) -> NDArray[np.float64]:
    """Bounds of 99 % on the share cut at each N, by bootstrap over drains; shape [2, N]."""
    rng = np.random.default_rng(seed)
    count = len(drains.running)
    shares = np.empty((samples, drains.cut.shape[1]))
    for sample in range(samples):
        times_drawn = np.bincount(rng.integers(count, size=count), minlength=count)
        shares[sample] = times_drawn @ drains.cut / (times_drawn @ drains.running)
    return np.quantile(shares, (0.005, 0.995), axis=0)


def outcomes(requests: Requests, count: int, seed: int = SEED) -> list[Outcome]:
    """Computed and played, for each N."""
    drains = played(requests, DRAINS_S, count, seed)
    low, high = interval(drains, seed + 1)
    exact = durations(requests.durations_s)
    counts = np.histogram(requests.durations_s, [-1.0, *(np.nextafter(BOUNDS_S, np.inf)), np.inf])[0]
    buckets = Buckets(BOUNDS_S, tuple(counts.astype(float).tolist()), exact.total_s)
    shares = drains.cut.sum(axis=0) / drains.running.sum()
    return [
        Outcome(
            drain_s,
            cut_share(exact, drain_s),
            float(shares[at]),
            float(low[at]),
            float(high[at]),
            cut_share(buckets, drain_s),
            cut_share(Buckets(buckets.bounds_s, buckets.counts), drain_s),
        )
        for at, drain_s in enumerate(DRAINS_S)
    ]


def sources(folder: Path | None) -> Iterator[tuple[str, Requests]]:
    """The traces that are there, and the generated requests."""
    for name in TRACES:
        if folder is not None and (folder / f"{name}.csv").exists():
            yield name, trace(folder / f"{name}.csv")
    yield "generated", generated(SEED)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("HEADRACE_DATA", "../shared/data")))
    parser.add_argument("--drains", type=int, default=10_000)
    arguments = parser.parse_args()
    for name, requests in sources(arguments.data / "traces"):
        print(f"{name}: {len(requests.at_s):,} requests; {drain(durations(requests.durations_s)).why}")
        print(
            "     N    cut(N)    played    interval of 99 %          from buckets and sum  from buckets alone"
        )
        for each in outcomes(requests, arguments.drains):
            print(
                f"{each.drain_s:6.0f}{_percent(each.computed.high)}{_percent(each.played)}  "
                f"{_percent(each.low)} to{_percent(each.high)} {'' if each.agrees else '!'}  "
                f"{_percent(each.with_sum.low)} to{_percent(each.with_sum.high)}"
                f"{_percent(each.without_sum.low)} to{_percent(each.without_sum.high)}",
                flush=True,
            )


def _seconds(text: str) -> float:
    """A time of a trace: milliseconds, or a date with seven decimals (of which Python reads six)."""
    if "-" not in text:
        return float(text) / 1_000.0
    return datetime.datetime.fromisoformat(text[:26]).replace(tzinfo=datetime.UTC).timestamp()


def _percent(share: float) -> str:
    return f"{100.0 * share:8.3f} %"


if __name__ == "__main__":
    main()
