"""Three weeks of twenty models in a real Prometheus, read as `plan` reads them; the same from files.

Run: ``python benchmarks/prometheus_weeks.py [--days 21] [--models 20] [--quick]``. It needs `prometheus` and
`promtool` (``requirements/prometheus`` finds or unpacks them). A fleet is drawn: pods that stay, pods of a day,
restarts that set counters back, missed scrapes, an outage of Prometheus itself. It is written as OpenMetrics, made
into blocks by promtool, served by Prometheus on a free loopback port, and read by processes of their own: once in
all, then interrupted half way and resumed. What was asked is counted from Prometheus' own query log; demand is
compared with CSV files of the same fleet, durations with the counts drawn.

Scraped once a minute, a quarter of what is usual, so that making the blocks takes minutes and not a quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.observe.history import read_demand
from headrace.observe.prometheus.read import read_past
from headrace.observe.prometheus.source import Selection, Source

ROOT = Path(__file__).resolve().parents[1]
START_S = 1_704_067_200
"""2024-01-01, a Monday."""
SCRAPE_S = 60
DAY_STEPS = 1_440
PART_STEPS = 360
"""Six hours, which promtool makes one block of: it reads its input anew for each block."""
PARTS_UNTOLD = 12
FROM_STEP = PART_STEPS
"""Read from here on, so that counters have a value before: what a pod's first scrape shows was not counted since."""
SLOTS = 64
BOUNDS_S = (0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680)
"""vLLM's, of every release."""

Row = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pod:
    """One server, at every scrape of all the time."""

    name: str
    answers: NDArray[np.bool_]
    lives: NDArray[np.bool_]
    running: Row
    waiting: Row
    ended: NDArray[np.int8]
    """shape [scrapes, buckets]: requests that ended since the scrape before."""
    restarts: NDArray[np.bool_]
    """Its counters begin again at this scrape."""

    @cached_property
    def counters(self) -> NDArray[np.int32]:
        """The counters, shape [scrapes, buckets], as they are exposed, each bucket with all below it."""
        total = np.cumsum(np.where(self.lives[:, None], self.ended, 0), axis=0, dtype=np.int32)
        counters = total.copy()
        marks = [*np.flatnonzero(self.restarts).tolist(), len(total)]
        for at, after in pairwise(marks):
            counters[at:after] -= total[at - 1] if at else 0
        return np.cumsum(counters, axis=1, dtype=np.int32)


class Model(NamedTuple):
    """One fleet."""

    name: str
    pods: tuple[Pod, ...]

    @property
    def demand(self) -> Row:
        """What ran and waited, where anything answered."""
        load = sum((np.where(pod.lives, pod.running + pod.waiting, 0.0) for pod in self.pods), np.zeros(()))
        seen = np.any([pod.answers for pod in self.pods], axis=0)
        return np.where(seen, load, np.nan)

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Where all that were up answered."""
        return np.all([pod.answers | ~pod.lives for pod in self.pods], axis=0)


def model(seed: int, days: int) -> Model:
    """A fleet, drawn."""
    draws = np.random.default_rng(seed)
    steps = days * DAY_STEPS
    at = np.arange(steps)
    level = (
        24 + 15 * np.sin(2 * np.pi * (at / DAY_STEPS - 0.3)) + 6 * np.sin(2 * np.pi * at / (7 * DAY_STEPS))
    )
    outage = np.zeros(steps, dtype=bool)
    begin = steps // 3 + 200
    outage[begin : begin + 90] = True  # the same for all models: Prometheus itself was down
    pods = [_pod(f"m{seed}-{index}", np.ones(steps, dtype=bool), level, outage, draws) for index in range(2)]
    if seed % 2:  # every other fleet gets a pod more by day, a new one each day
        for day in range(days):
            lives = np.zeros(steps, dtype=bool)
            lives[day * DAY_STEPS + 480 : day * DAY_STEPS + 1_200 + seed] = True
            pods.append(_pod(f"m{seed}-day{day}", lives, level, outage, draws))
    return Model(f"model-{seed:02d}", tuple(pods))


def _pod(
    name: str, lives: NDArray[np.bool_], level: Row, outage: NDArray[np.bool_], draws: np.random.Generator
) -> Pod:
    steps = len(level)
    load = draws.poisson(level)
    running = np.minimum(load, SLOTS).astype(np.float64)
    waiting = (load - running) + (draws.random(steps) < 0.01) * draws.integers(1, 4, steps)
    rate = draws.multinomial(1, np.full(len(BOUNDS_S) + 1, 1 / (len(BOUNDS_S) + 1)), size=steps) * 3.0
    ended = rate + (load[:, None] % 3) * (np.arange(len(BOUNDS_S) + 1) == 12)
    answers = lives & ~outage
    restarts = np.zeros(steps, dtype=bool)
    for at in draws.integers(10, steps - 10, max(1, steps // 4_000)):
        answers[at : at + 2] = False  # two missed scrapes
    if lives.all():
        for at in draws.integers(steps // 2, steps - 100, max(1, steps // 8_000)):
            answers[at : at + 3] = (
                False  # a restart: three minutes away, counters from 0 and soon below where they were
            )
            ended[at : at + 3] = 0.0
            restarts[at + 3] = True
    first = np.flatnonzero(answers)[0]
    restarts[first] = True
    ended[first] = 0.0
    return Pod(name, answers, lives, running, waiting, ended.astype(np.int8), restarts)


def ended_seen(found: Model, from_step: int) -> Row:
    """Requests by bucket that scrapes from a step on show: those since a pod's first scrape there."""
    whole = np.zeros(len(BOUNDS_S) + 1)
    for pod in found.pods:
        seen = np.flatnonzero(pod.answers[from_step:]) + from_step
        if seen.size:
            last, before = seen[-1], np.flatnonzero(pod.answers[:from_step])
            first = before[-1] if before.size else seen[0]
            whole += pod.ended[first + 1 : last + 1].sum(axis=0)
    return whole


def write_part(models: list[Model], part: int, path: Path) -> int:
    """Six hours as OpenMetrics; how many samples."""
    cut = slice(part * PART_STEPS, (part + 1) * PART_STEPS)
    stamps = [str(START_S + SCRAPE_S * step) for step in range(cut.start, cut.stop)]
    samples = 0
    with path.open("w") as file:
        file.writelines(f"# TYPE {name} {family}\n" for name, family in _FAMILIES.items())
        for found in models:
            for pod in found.pods:
                kept = np.flatnonzero(pod.answers[cut])
                if not kept.size:
                    continue
                labels = (
                    f'namespace="prod",model_name="{found.name}",pod="{pod.name}",instance="{pod.name}:8000"'
                )
                for series, values in _series(labels, pod, cut):
                    file.writelines(
                        f"{series} {value} {stamps[index]}\n"
                        for index, value in zip(kept.tolist(), values[kept].tolist(), strict=True)
                    )
                    samples += kept.size
        file.write("# EOF\n")
    return samples


_FAMILIES = {
    "vllm:num_requests_running": "gauge",
    "vllm:num_requests_waiting": "gauge",
    "vllm:kv_cache_usage_perc": "gauge",
    "vllm:request_success": "counter",
    "vllm:e2e_request_latency_seconds": "histogram",
}


def _series(labels: str, pod: Pod, cut: slice) -> Iterator[tuple[str, Row | NDArray[np.int32]]]:
    labels += ',engine="0"'
    yield f"vllm:num_requests_running{{{labels}}}", pod.running[cut]
    yield f"vllm:num_requests_waiting{{{labels}}}", pod.waiting[cut]
    yield f"vllm:kv_cache_usage_perc{{{labels}}}", np.minimum(pod.running[cut] / SLOTS, 1.0)
    counters = pod.counters[cut]
    yield f'vllm:request_success_total{{{labels},finished_reason="stop"}}', counters[:, 11]
    yield (
        f'vllm:request_success_total{{{labels},finished_reason="length"}}',
        counters[:, -1] - counters[:, 11],
    )
    for index, bound in enumerate((*map(float, BOUNDS_S), "+Inf")):
        yield f'vllm:e2e_request_latency_seconds_bucket{{{labels},le="{bound}"}}', counters[:, index]
    yield f"vllm:e2e_request_latency_seconds_count{{{labels}}}", counters[:, -1]
    yield f"vllm:e2e_request_latency_seconds_sum{{{labels}}}", counters[:, -1] * 12.5


def make_blocks(models: list[Model], days: int, folder: Path, programs: Path) -> int:
    """Prometheus' data folder of the fleets; how many samples."""
    samples, text, parts = 0, folder / "part.txt", days * DAY_STEPS // PART_STEPS
    making = [programs / "promtool", "tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=6h"]
    for part in range(parts):
        samples += write_part(models, part, text)
        subprocess.run([*making, text, folder / "data"], check=True, capture_output=True)
        text.unlink()
        if parts > PARTS_UNTOLD and part % 12 == 11:
            print(f"  block {part + 1} of {parts}", file=sys.stderr, flush=True)
    return samples


@contextmanager
def serving(folder: Path, programs: Path) -> Iterator[str]:
    """A Prometheus over ``folder/data``, with ``folder/queries.log``; yields its address, ends it by its id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = folder / "prometheus.yml"
    settings.write_text(f"global:\n  query_log_file: {json.dumps(str(folder / 'queries.log'))}\n")
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen(
            [
                *(
                    programs / "prometheus",
                    f"--config.file={settings}",
                    f"--storage.tsdb.path={folder / 'data'}",
                ),
                *("--storage.tsdb.retention.time=100y", f"--web.listen-address=127.0.0.1:{port}"),
                # No time spent on merging blocks while it is measured.
                *("--storage.tsdb.min-block-duration=6h", "--storage.tsdb.max-block-duration=6h"),
            ],
            stdout=log,
            stderr=log,
        )
    (folder / "pid").write_text(str(process.pid))
    url = f"http://127.0.0.1:{port}"
    try:
        _await_ready(url, process, folder / "prometheus.log")
        yield url
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"Prometheus does not become ready: {log.read_text()[-500:]}")


def server_cpu_seconds(folder: Path) -> float:
    """CPU time of the Prometheus that serves the folder; NaN where the system does not show it."""
    stat = Path("/proc") / (folder / "pid").read_text() / "stat"
    if not stat.exists():
        return float("nan")
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def asked(folder: Path) -> list[tuple[str, str, str]]:
    """(query, start, end) of each range query that Prometheus has logged."""
    lines = [json.loads(line)["params"] for line in (folder / "queries.log").read_text().splitlines()]
    return [(line["query"], line["start"], line["end"]) for line in lines if line["step"]]


def selection(days: int) -> Selection:
    """All of the fleet."""
    return Selection(start_s=START_S + FROM_STEP * SCRAPE_S, end_s=START_S + days * 86_400, slots=SLOTS)


def read(url: str, days: int, kept_in: Path, into: Path, stop_at: float = 2.0) -> dict[str, float]:
    """Reads in this process, keeps what was found, and says how long it took and how much memory."""

    def tell(share: float) -> None:
        if share >= stop_at:
            raise KeyboardInterrupt

    begin_s = time.perf_counter()
    try:
        now_s = START_S + (days + 30) * 86_400.0
        pasts = read_past(Source(url=url), selection(days), kept_in=kept_in, progress=tell, now_s=now_s)
    except KeyboardInterrupt:
        pasts = {}
    seconds = time.perf_counter() - begin_s
    arrays: dict[str, NDArray[np.float64]] = {}
    for name, past in pasts.items():
        arrays[f"{name}:demand"] = past.demand.values
        arrays[f"{name}:start"] = np.array([past.demand.start_s])
        arrays[f"{name}:buckets"] = np.array(past.durations.counts if past.durations else [])
    np.savez(into, **arrays)  # type: ignore[arg-type]
    return {
        "seconds": seconds,
        "cpu_seconds": time.process_time(),
        "peak_bytes": peak_bytes(),
        "models": float(len(pasts)),
    }


def peak_bytes() -> float:
    """Highest resident memory of this process, since it runs this program (not its parent's, as `getrusage` has it)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return float(line.split()[1]) * 1024


def read_apart(url: str, days: int, kept_in: Path, into: Path, stop_at: float = 2.0) -> dict[str, float]:
    """`read` in a process of its own."""
    arguments = [url, str(days), str(kept_in), str(into), str(stop_at)]
    done = subprocess.run([sys.executable, __file__, "--child", *arguments], check=True, capture_output=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


class Figures(NamedTuple):
    """What one run shows."""

    samples: int
    seconds: float
    cpu_seconds: float
    server_cpu_seconds: float
    peak_bytes: float
    questions: int
    resumed_seconds: float
    first_questions: int
    resumed_questions: int
    twice: int
    exact_steps: int
    inexact_steps: int
    worst_share: float
    """Largest relative error of a demand where a pod was silent."""
    worst_buckets: float
    """Largest relative error of a bucket, over all fleets."""
    worst_steady_buckets: float
    """The same over the fleets whose pods stay."""


def figures(days: int, count: int, folder: Path, programs: Path) -> Figures:
    """Makes, serves, reads, interrupts, resumes, compares."""
    models = [model(seed, days) for seed in range(count)]
    samples = make_blocks(models, days, folder, programs)
    whole = folder / "whole.npz"
    with serving(folder, programs) as url:
        begin_s = server_cpu_seconds(folder)
        once = read_apart(url, days, folder / "kept", whole)
        server_s = server_cpu_seconds(folder) - begin_s
        questions = asked(folder)
        read_apart(url, days, folder / "again", folder / "half.npz", 0.5)
        first = asked(folder)[len(questions) :]
        resumed = read_apart(url, days, folder / "again", folder / "resumed.npz")
        second = asked(folder)[len(questions) + len(first) :]
    with np.load(whole) as one, np.load(folder / "resumed.npz") as other:
        # Prometheus adds up in any order: the last digit of a sum of fractions is not the same twice.
        if sorted(one) != sorted(other) or not all(
            np.allclose(one[key], other[key], rtol=1e-12, equal_nan=True) for key in one
        ):
            raise RuntimeError("what was resumed is not what was read in one go")
        exact, inexact, worst = 0, 0, 0.0
        for found in models:
            matches, others, error = _compared(found, one, folder)
            exact, inexact, worst = exact + matches, inexact + others, max(worst, error)
        errors = [_bucket_error(found, one[f"prod/{found.name}:buckets"]) for found in models]
    steady = max(error for found, error in zip(models, errors, strict=True) if len(found.pods) == 2)
    twice = sum(times - 1 for times in Counter(first + second).values())
    return Figures(
        *(samples, once["seconds"], once["cpu_seconds"], server_s, once["peak_bytes"], len(questions)),
        *(resumed["seconds"], len(first), len(second), twice, exact, inexact, worst, max(errors), steady),
    )


def _compared(found: Model, arrays: dict[str, Row], folder: Path) -> tuple[int, int, float]:
    """Steps with the very demand of the file, steps with another, and the largest share by which one is off."""
    path = folder / f"{found.name}.csv"
    rows = (
        f"{START_S + SCRAPE_S * step},{value:g}"
        for step, value in enumerate(found.demand.tolist())
        if step >= FROM_STEP and not np.isnan(value)
    )
    path.write_text("time,demand\n" + "\n".join(rows) + "\n")
    file = read_demand(path).series
    demand = arrays[f"prod/{found.name}:demand"]
    if file.start_s != arrays[f"prod/{found.name}:start"][0] or len(file) != len(demand):
        raise RuntimeError(f"{found.name}: the file and Prometheus begin or end at different times")
    if not np.array_equal(np.isnan(file.values), np.isnan(demand)):
        raise RuntimeError(f"{found.name}: the file and Prometheus have different gaps")
    known = ~np.isnan(demand)
    offset = round((file.start_s - START_S) / SCRAPE_S)
    complete = found.complete[offset : offset + len(demand)]
    off = np.abs(demand - file.values)[known] / np.maximum(file.values[known], 1.0)
    if off[complete[known]].max(initial=0.0) > 1e-12:
        raise RuntimeError(f"{found.name}: demand differs although every pod answered")
    return int(np.count_nonzero(off <= 1e-12)), int(np.count_nonzero(off > 1e-12)), float(off.max())


def _bucket_error(found: Model, counts: Row) -> float:
    truth = ended_seen(found, FROM_STEP)
    return float(np.max(np.abs(counts - truth) / truth))


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["--child"]:
        url, days, kept_in, into, stop_at = sys.argv[2:]
        print(json.dumps(read(url, int(days), Path(kept_in), Path(into), float(stop_at))))
        return
    options = argparse.ArgumentParser(description="Weeks of many models from a real Prometheus")
    options.add_argument("--days", type=int, default=21)
    options.add_argument("--models", type=int, default=20)
    options.add_argument("--quick", action="store_true", help="2 days of 3 models")
    chosen = options.parse_args()
    days, count = (2, 3) if chosen.quick else (chosen.days, chosen.models)
    programs = subprocess.run([ROOT / "requirements" / "prometheus"], capture_output=True, text=True)
    if programs.returncode:
        sys.exit(programs.stderr.strip())
    begin_s = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = figures(days, count, Path(folder), Path(programs.stdout.strip()))
    print(f"fleet           {count} models, {days} days, one scrape a minute: {found.samples:,} samples")
    print(f"read            {found.seconds:.1f} s, {found.questions:,} questions")
    print(f"CPU             {found.cpu_seconds:.1f} s ours, {found.server_cpu_seconds:.1f} s of Prometheus")
    print(f"peak memory     {found.peak_bytes / 2**20:,.0f} MiB")
    print(
        f"interrupted     {found.first_questions:,} questions, resumed with {found.resumed_questions:,} in "
        f"{found.resumed_seconds:.1f} s; {found.twice} asked twice"
    )
    print(
        f"demand          {found.exact_steps:,} steps exactly as in the files, {found.inexact_steps:,} where a pod was "
        f"silent, off by {found.worst_share:.0%} at most"
    )
    print(
        f"durations       buckets off by {found.worst_steady_buckets:.1e} at most where pods stay, by "
        f"{found.worst_buckets:.2%} where they come and go"
    )
    print(f"all             {time.perf_counter() - begin_s:.0f} s, the making of the blocks included")


if __name__ == "__main__":
    main()
