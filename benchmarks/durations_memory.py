"""Reduces 100 million request durations in Parquet; prints rows/s, peak memory and whether every count is right.

Run: ``python benchmarks/durations_memory.py [--rows 100000000] [--files 10] [--quick]``. The files (800 MB) are
generated in a temporary folder by another process and gone afterwards; the reduction runs in a process of its own,
so that the peak is the reader's.

The durations are a log-logistic distribution (median 8 s, tail like those of LLM requests) taken at n even quantiles
and shuffled, so that how many lie at or below k seconds is known in closed form: n / (1 + (k / 8)^-2), rounded.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from headrace.durations import LONGEST_S

MEDIAN_S = 8.0
SHAPE = 2.0
MOST_BYTES = 1 << 30
"""What the reduction may hold in memory."""
QUICK_ROWS = 2_000_000

_GENERATE = """
import sys, duckdb
folder, rows, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
database = duckdb.connect(config={"memory_limit": "1GB"})
database.execute("SET enable_progress_bar = false")
for file in range(files):
    database.execute(f'''
        COPY (SELECT 8.0 * sqrt(q / (1.0 - q)) AS duration_s
              FROM (SELECT ((i * 7919) % {rows} + 0.5) / {rows} AS q
                    FROM range({rows} * {file} // {files}, {rows} * ({file} + 1) // {files}) request(i)))
        TO '{folder}/requests-{file:03}.parquet' ''')
"""
_REDUCE = """
import json, pathlib, re, resource, sys, time
def peak():
    # ru_maxrss of a process begins with what the one that started it held; the kernel's VmHWM does not
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
from headrace.observe.duration_files import read_durations
shares, begin_s = [], time.perf_counter()
def tell(share):
    shares.append(share)
    if sys.stderr.isatty():
        print(f"\\rreducing {share:4.0%}", end="", file=sys.stderr)
read, notes = read_durations(sys.argv[1], progress=tell)
print(json.dumps({"wall_s": time.perf_counter() - begin_s, "peak_bytes": peak(), "told": len(shares),
    "total_s": read.total_s, "longest_s": read.longest_s, "counts": read.counts.tolist(), "notes": notes}))
"""


class Reduced(NamedTuple):
    """One reduction."""

    rows: int
    wall_s: float
    peak_bytes: int
    """Highest resident memory of the process that read, Python and DuckDB included."""
    told: int
    """How often progress was told."""
    file_bytes: int
    counts: np.ndarray
    total_s: float


def closed_counts(rows: int) -> np.ndarray:
    """Requests in each whole second, as `Durations.counts` has them, from the distribution's formula."""
    ends_s = np.arange(1, LONGEST_S + 1, dtype=np.float64)
    at_most = np.floor(rows / (1.0 + (ends_s / MEDIAN_S) ** -SHAPE) + 0.5)
    return np.diff(np.concatenate([[0, 0], at_most, [rows]])).astype(np.int64)


def exact_total_s(rows: int) -> float:
    """All durations added up in pairs (numpy), a part of the quantiles at a time."""
    parts = []
    for first in range(0, rows, 1 << 22):
        q = (np.arange(first, min(first + (1 << 22), rows)) + 0.5) / rows
        parts.append(float((MEDIAN_S * np.sqrt(q / (1.0 - q))).sum()))
    return float(np.sum(parts))


def reduced(rows: int, files: int) -> Reduced:
    """Generate, reduce in another process, remove."""
    needed = rows * 10
    with tempfile.TemporaryDirectory(prefix="headrace-benchmark-") as folder:
        free = shutil.disk_usage(folder).free
        if free < 2 * needed:
            raise SystemExit(f"{folder} has {free / 1e9:.1f} GB free; {2 * needed / 1e9:.1f} GB are needed")
        subprocess.run([sys.executable, "-c", _GENERATE, folder, str(rows), str(files)], check=True)
        file_bytes = sum(path.stat().st_size for path in Path(folder).iterdir())
        ran = subprocess.run(
            [sys.executable, "-c", _REDUCE, f"{folder}/*.parquet"],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    told = json.loads(ran.stdout)
    return Reduced(
        rows,
        told["wall_s"],
        told["peak_bytes"],
        told["told"],
        file_bytes,
        np.array(told["counts"], dtype=np.int64),
        told["total_s"],
    )


def main() -> None:
    """Reduce and print; exit 1 where a count or the memory is not what it should be."""
    options = argparse.ArgumentParser(description="Memory of reducing request durations")
    options.add_argument("--rows", type=int, default=100_000_000)
    options.add_argument("--files", type=int, default=10)
    options.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS:,} rows")
    chosen = options.parse_args()
    rows = QUICK_ROWS if chosen.quick else chosen.rows
    begin_s = time.perf_counter()
    read = reduced(rows, chosen.files)
    # at a whole second the formula's last bit decides on which side of it one request lies
    off = int(np.abs(np.cumsum(read.counts) - np.cumsum(closed_counts(rows))).max())
    total_s = exact_total_s(rows)
    print(f"files           {chosen.files} of Parquet, {read.file_bytes / 1e6:,.0f} MB")
    print(f"rows            {int(read.counts.sum()):,}")
    print(f"reduced in      {read.wall_s:.1f} s, {rows / read.wall_s / 1e6:.1f} million rows/s")
    print(f"peak memory     {read.peak_bytes / 1e6:,.0f} MB of at most {MOST_BYTES / 1e6:,.0f} MB")
    print(f"progress        told {read.told} times")
    print(f"counts          at every whole second within {off} of the closed count")
    print(f"sum             {abs(read.total_s / total_s - 1.0):.1e} from the exact one")
    print(f"in all          {time.perf_counter() - begin_s:.1f} s")
    if off > 1 or read.peak_bytes > MOST_BYTES or abs(read.total_s / total_s - 1.0) > 1e-12:
        sys.exit(1)


if __name__ == "__main__":
    main()
