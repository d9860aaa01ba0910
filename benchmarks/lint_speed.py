"""How long `headrace lint` takes: to the first finding of one file, and for a thousand manifests.

Run: ``python benchmarks/lint_speed.py [--files 1000] [--score PATH]``. The manifests are the 62 public ones of the
shared data folder (HEADRACE_DATA), over and over, each in a folder of its own; without that folder, the bad examples of
the rules. CPU time of whole processes, imports included. With ``--score``, the path of a kube-score binary, its time on
the same files stands beside it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("HEADRACE_DATA", ROOT.parent / "shared" / "data")) / "manifests"
LINT = [sys.executable, "-c", "import sys; from headrace.cli import main; sys.exit(main())", "lint"]


def texts() -> list[bytes]:
    """The manifests that are linted."""
    if DATA.is_dir():
        return [path.read_bytes() for path in sorted(DATA.glob("*.yaml"))]
    from headrace.lint.run import rules

    return [rule.sections["Bad"].encode() for rule in rules().values()]


def cpu_s(command: list[str]) -> tuple[float, float, str]:
    """CPU and wall time of a process, seconds, and the end of what it says."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, wall, (done.stdout.strip().split("\n") or [""])[-1]


def main() -> None:
    """Prints both figures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--files", type=int, default=1000)
    asked.add_argument("--score", help="path of a kube-score binary")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, text in enumerate(islice(cycle(texts()), given.files)):
            path = Path(folder) / str(i) / "manifest.yaml"
            path.parent.mkdir()
            path.write_bytes(text)
            paths.append(str(path))
        one = min((cpu_s([*LINT, paths[0]]) for _ in range(5)), key=lambda each: each[1])
        print(f"one file        {one[1]:.2f} s from process start to its end, {one[0]:.2f} s of CPU")
        used, wall, last = cpu_s([*LINT, folder])
        print(f"{given.files:,} files     {used:.2f} s of CPU, {wall:.2f} s in all: {last}")
        if given.score:
            score, _, _ = cpu_s([given.score, "score", *paths])
            print(
                f"kube-score      {score:.2f} s of CPU for the same files, ours {used / score:.1f} times that"
            )


if __name__ == "__main__":
    main()
