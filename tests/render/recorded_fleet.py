"""A fleet in a real Prometheus: a recorded page of vLLM as many pods over hours, and kube-state-metrics beside it.

What a page cannot say is put on top: pods, the Deployment that owns them, its replica counts over time.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
START_S = 1_704_067_200
EVERY_S = 15
LASTS_S = 5_400


class Sample(NamedTuple):
    """One line of a page."""

    name: str
    labels: dict[str, str]
    value: float

    @property
    def grows(self) -> bool:
        """Whether it is a counter, a bucket of one included."""
        return self.name.endswith(("_total", "_bucket", "_count", "_sum"))


def samples(page: str) -> list[Sample]:
    """The samples of an exposition page, without those that say when a series was made."""
    found = []
    for line in page.splitlines():
        matched = SAMPLE.match(line)
        if matched and not matched[1].endswith("_created"):
            found.append(Sample(matched[1], dict(LABEL.findall(matched[2] or "")), float(matched[3])))
    return found


def series(name: str, labels: dict[str, str], values: Iterable[float]) -> str:
    """One series in OpenMetrics' text, a value each `EVERY_S` from `START_S` on."""
    inside = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return "".join(
        f"{name}{{{inside}}} {value!r} {START_S + EVERY_S * step}\n" for step, value in enumerate(values)
    )


def pod_series(page: str, served: str, more: dict[str, str]) -> str:
    """A pod whose gauges stand at the page's values and whose counters gain the page's values each ten minutes."""
    steps = LASTS_S // EVERY_S
    text = ""
    for sample in samples(page):
        labels = sample.labels | more
        if "model_name" in labels:
            labels["model_name"] = served
        each = sample.value * EVERY_S / 600
        growing = (sample.value + each * step for step in range(steps))
        text += series(sample.name, labels, growing if sample.grows else [sample.value] * steps)
    return text


@contextmanager
def holding(text: str, folder: Path, programs: Path) -> Iterator[str]:
    """A real Prometheus on loopback that holds the series; its address."""
    path = folder / "samples.txt"
    path.write_text(text + "# EOF\n")
    making = [*(programs / "promtool", "tsdb", "create-blocks-from", "openmetrics"), path, folder / "data"]
    subprocess.run([str(part) for part in making], check=True, capture_output=True)
    # By name: benchmarks are checked as programs, not as modules of the tests.
    serving: AbstractContextManager[str] = import_module("benchmarks.prometheus_weeks").serving(
        folder, programs
    )
    with serving as url:
        yield url
