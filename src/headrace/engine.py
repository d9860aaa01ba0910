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


class Launch(NamedTuple):
    """How a container starts such a server, and the flags that are acted upon; each flag with all its names.

    A flag that an engine does not have is the empty tuple.
    """

    images: tuple[str, ...]
    """Regular expressions searched in an image's repository, without registry and tag, lower-case."""
    commands: tuple[tuple[str, ...], ...]
    """Words that start a server, wherever they stand in an argument list: (("vllm", "serve"), …)."""
    numbered: tuple[str, ...] = ()
    """Regular expressions of the repositories whose tags are the engine's own release numbers."""
    port: int = 8000
    """Port where no flag says another."""
    port_flags: tuple[str, ...] = ("--port",)
    model_flags: tuple[str, ...] = ()
    """Flags that name the model; it may stand as the first bare argument where `model_is_bare`."""
    model_is_bare: bool = False
    served_name: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    """Requests that run at once: max-num-seqs."""
    tensor: tuple[str, ...] = ()
    """Tensor-parallel size."""
    pipeline: tuple[str, ...] = ()
    data_parallel: tuple[str, ...] = ()
    api_servers: tuple[str, ...] = ()
    """Number of API server processes."""
    shutdown_timeout: tuple[str, ...] = ()
    """For how long SIGTERM lets requests in flight go on, seconds."""
    shutdown_since: Release | None = None
    """First release that knows that flag; an older one ends with an error at start."""
    eager: tuple[str, ...] = ()
    """Flags without a value that switch compilation off."""
    sleep: tuple[str, ...] = ()
    """Flags without a value that switch sleep mode on."""
    sleep_environment: tuple[str, str] | None = None
    """The variable and value that sleep mode's endpoints need."""
    load_format: tuple[str, ...] = ()
    streaming_formats: tuple[str, ...] = ()
    """Values of `load_format` that stream weights from remote storage into the accelerator."""
    download_dir: tuple[str, ...] = ()
    hub_homes: tuple[str, ...] = ()
    """Where weights from a hub are kept unless a variable says otherwise; ``~`` is the user's home."""
    hub_variables: tuple[str, ...] = ()
    """Variables that name that folder."""
    compile_cache: str = ""
    """Folder that keeps what was compiled; empty: nothing is kept."""
    compile_variables: tuple[str, ...] = ()
    compile_since: Release | None = None
    """First release that compiles unless told not to."""
    switches: frozenset[str] = frozenset()
    """Flags known to take no value, so that the word behind one is not its value."""


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
    launch: Launch | None = None
    """How it is started; None: not known to us."""
    families: tuple[Metric, ...] = ()
    """Every metric name that its pages are known to have, by release; what is none of them does not exist."""
    renamed: tuple[tuple[Metric, ...], ...] = ()
    """Groups of names that stand for one thing, beside those above."""
    prefix: str = ""
    """What all its metric names begin with."""
    part_labels: tuple[str, ...] = ()
    """Labels that tell the engines of one server apart (data-parallel ranks): their gauges add up. Whatever else
    differs between two series of one server (a tensor-parallel rank, who scraped it) shows the same requests again."""

    @property
    def has_history(self) -> bool:
        """Whether all that a past is made of can be read from its pages: no role is without a metric."""
        return all((self.running, self.waiting, self.kv_usage, self.finished, self.latency, self.queue_time))


def names_in(metrics: tuple[Metric, ...], release: Release) -> tuple[str, ...]:
    """The names that the pages of one release hold, the preferred one first."""
    return tuple(metric.name for metric in metrics if metric.is_in(release))
