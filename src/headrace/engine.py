"""What a model server is to us: a frozen description, without I/O. `engines/` holds one module for each.

It holds what is acted upon and nothing else; at present the metrics that demand, queue and durations are read
from. Names differ by release, and a fleet may run two releases at once while it is rolled out, so each metric
is a tuple of names of which a page holds at least one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Release = tuple[int, int, int]
"""A release of an engine, as numbers that compare: (0, 11, 2)."""


class Metric(NamedTuple):
    """One name of a metric, and the releases that have it."""

    name: str
    """As a page shows it; a histogram's without ``_bucket``, ``_sum``, ``_count``."""
    since: Release | None = None
    """First release known to have it; None: the oldest that we have looked at has it."""
    until: Release | None = None
    """First release without it; None: the newest that we have looked at still has it."""

    def is_in(self, release: Release) -> bool:
        """Whether the pages of a release hold this name."""
        return (self.since or release) <= release and (self.until is None or release < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A kind of model server.

    A metric's names are in the order of preference: where a page has two of them, they hold the same.
    """

    name: str
    """As an option or a file names it: ``vllm``."""
    title: str
    """As its makers write it, for people: ``vLLM``."""
    running: tuple[Metric, ...]
    """Gauge: requests in the execution batch, at most max-num-seqs."""
    waiting: tuple[Metric, ...]
    """Gauge: requests that wait inside the engine, all of them."""
    kv_usage: tuple[Metric, ...]
    """Gauge, 0 to 1: share of the KV cache in use."""
    finished: tuple[Metric, ...]
    """Counter: requests that have ended, in whatever way."""
    latency: tuple[Metric, ...]
    """Histogram, seconds: a request from its arrival to its end, observed when it ends."""
    queue_time: tuple[Metric, ...]
    """Histogram, seconds: how long a request waited, observed when it ends."""
    part_labels: tuple[str, ...] = ()
    """Labels that tell the engines of one server apart (data-parallel ranks): their gauges add up. Whatever else
    differs between two series of one server (a tensor-parallel rank, who scraped it) shows the same requests again."""


def names_in(metrics: tuple[Metric, ...], release: Release) -> tuple[str, ...]:
    """The names that the pages of one release hold, the preferred one first."""
    return tuple(metric.name for metric in metrics if metric.is_in(release))
