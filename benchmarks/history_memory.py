"""Reads a year of demand at one-second steps (31.5 million rows); prints rows, CPU seconds and peak memory.

Run: ``python benchmarks/history_memory.py [--format parquet|csv] [--days 365] [--step 10]``. The file
(Parquet 440 MB, CSV 1.2 GB) is generated in a temporary folder by another process, so the peak is the
reader's own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from headrace.observe.history import read_demand

_GENERATE = """
import sys, duckdb
path, rows = sys.argv[1], int(sys.argv[2])
database = duckdb.connect(config={"memory_limit": "1GB"})
database.execute("SET enable_progress_bar = false")
database.execute(f'''
    COPY (SELECT TIMESTAMP '2024-01-01' + to_seconds(i) AS timestamp,
                 200 + 80 * sin(i / 13750.987) + (hash(i) % 1000) / 50.0 AS rate_rps
          FROM range({rows}) AS second(i)) TO '{path}' ''')
"""


def peak_bytes() -> int:
    """Highest resident memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # kilobytes on Linux


def main() -> None:
    """Generate, read, print."""
    options = argparse.ArgumentParser(description="Memory of reading a long demand history")
    options.add_argument("--format", choices=("parquet", "csv"), default="parquet")
    options.add_argument("--days", type=int, default=365)
    options.add_argument("--step", type=float, default=10.0, help="seconds; 0 keeps the file's step")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"year.{chosen.format}"
        subprocess.run([sys.executable, "-c", _GENERATE, path, str(chosen.days * 86_400)], check=True)
        begin_bytes, begin_s, begin_cpu_s = peak_bytes(), time.perf_counter(), time.process_time()
        history = read_demand(path, step_s=chosen.step or None)
        print(f"file            {path.stat().st_size / 1e6:,.0f} MB {chosen.format}")
        print(f"rows            {history.rows:,} read to {len(history.series):,} values")
        print(f"wall            {time.perf_counter() - begin_s:.1f} s")
        print(f"cpu             {time.process_time() - begin_cpu_s:.1f} s")
        print(f"peak memory     {peak_bytes() / 1e6:,.0f} MB ({begin_bytes / 1e6:,.0f} MB before reading)")
        print(f"the series      {history.series.values.nbytes / 1e6:,.0f} MB")
    for note in history.notes:
        print(note)


if __name__ == "__main__":
    main()
