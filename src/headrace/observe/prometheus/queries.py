"""The PromQL that is asked, for one step that begins at t and is evaluated at its end, t + step.

``[60s] offset 1ms`` there reads [t, t + 60 s), from Prometheus 2 (whose ranges include both ends) and 3 (which leave
out the first) alike: a scrape at exactly t belongs to the step that begins at t, as a row at t in a file does. A range
also looks back no further than it says, where a bare metric would show a dead server's last value for five minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from headrace.engine import Engine, Metric
from headrace.observe.prometheus.source import Selection, matchers

SERVER_LABELS = ("cluster", "pod", "instance")
"""Labels that tell servers apart; who scraped them (job, prometheus, replica) does not, and counts nothing twice."""
SCRAPER_LABELS = ("job", "endpoint", "service", "container", "prometheus", "prometheus_replica", "receive")
"""Labels that say who scraped a counter and how. All others may split it (how requests finished, their priority)."""
SILENT_S = 300
"""A server that was seen within this time before and after a step, and not in it, did not answer; it was not gone."""


class Query(NamedTuple):
    """One question."""

    about: str
    """What its answer is taken for."""
    text: str
    """PromQL."""
    step_s: int


def step_queries(
    engines: tuple[Engine, ...], selection: Selection, step_s: int, scrape_s: float
) -> list[Query]:
    """What is asked at every step.

    Args:
        engines: Whose names are asked for, all in one query each.
        selection: Matchers, labels, unit.
        step_s: Length of a step, at least `scrape_s`.
        scrape_s: Time between two scrapes of one server.
    """
    words = _Words(selection)
    now = f"[{step_s}s] offset 1ms"

    def mean(role: Callable[[Engine], tuple[Metric, ...]]) -> str:
        return words.each(engines, role, lambda series: f"avg_over_time({series}{now})")

    def seen(window: str) -> str:
        return words.seen(engines, window)

    before, after = (
        seen(f"[{SILENT_S}s] offset {step_s}001ms"),
        seen(f"[{SILENT_S}s] offset -{SILENT_S - 1}999ms"),
    )
    on = f"on ({words.server})"
    queries = [
        Query("running", f"sum {words.by} ({mean(lambda engine: engine.running)})", step_s),
        Query("waiting", f"sum {words.by} ({mean(lambda engine: engine.waiting)})", step_s),
        Query("answered", f"count {words.by} (count by ({words.server}) ({seen(now)}))", step_s),
        # Servers are told apart only among the few that are left: grouping all of them is what takes time.
        Query(
            "silent",
            f"count {words.by} (count by ({words.server}) "
            f"(({before}) unless {on} ({seen(now)}) and {on} ({after})))",
            step_s,
        ),
        Query("kv_usage", f"avg {words.by} ({mean(lambda engine: engine.kv_usage)})", step_s),
    ]
    if selection.query is not None:
        queries.append(Query("demand", selection.query.strip(), step_s))
    elif selection.unit == "requests":
        window = f"[{step_s + round(scrape_s)}s] offset 1ms"
        rates = words.counters(engines, lambda engine: engine.finished, "", window)
        queries.append(Query("finished", f"sum {words.by} ({rates})", step_s))
    return queries


def duration_queries(
    engines: tuple[Engine, ...], selection: Selection, span_s: int, scrape_s: float
) -> list[Query]:
    """Requests in each bucket, and their summed durations, over spans of `span_s`.

    A rate over one scrape more than the span, times the span, is what the counter grew by between the last scrapes
    of two neighbouring spans: `rate` knows each server's resets, which a sum of counters hides, and what it adds
    for the time outside the first and last scrape is just what the longer range takes away again.
    """
    words = _Words(selection)
    window = f"[{span_s + round(scrape_s)}s] offset 1ms"

    def grown(by: str, ending: str) -> str:
        rates = words.counters(engines, lambda engine: engine.latency, ending, window)
        return f"sum {by} ({rates}) * {span_s}"

    labels = ", ".join((*selection.by, "le"))
    return [
        Query("buckets", grown(f"by ({labels})", "_bucket"), span_s),
        Query("total", grown(words.by, "_sum"), span_s),
    ]


def scrapes_query(engines: tuple[Engine, ...], selection: Selection, range_s: int) -> str:
    """How often most servers are scraped in an hour, in the hour of the range in which that is most."""
    selector = _Words(selection).selector
    # One millisecond short, so that scrapes at both ends of the hour are not both counted.
    counts = _either(
        f"count_over_time({metric.name}{selector}[3599999ms])"
        for engine in engines
        for metric in engine.running
    )
    most = f"quantile(0.5, {counts})"
    return f"max_over_time(({most})[{range_s}s:1h]) or {most}"


def falls_query(metric: str, selection: Selection) -> str:
    """Of all changes of a metric within a day, the share that goes down: half for a gauge, next to none for a counter.

    No answer below 20 changes.
    """
    series = f"{metric}{_Words(selection).selector}[1d]"
    return f"sum(resets({series})) / (sum(changes({series})) >= 20)"


class _Words:
    """Pieces of PromQL that one selection uses everywhere."""

    def __init__(self, selection: Selection) -> None:
        inner = matchers(selection)
        self.selector = f"{{{inner}}}" if inner else ""
        self.by = f"by ({', '.join(selection.by)})"
        self._server_labels = tuple(dict.fromkeys((*selection.by, *SERVER_LABELS)))
        self.server = ", ".join(self._server_labels)

    def each(
        self,
        engines: tuple[Engine, ...],
        role: Callable[[Engine], tuple[Metric, ...]],
        over: Callable[[str], str],
    ) -> str:
        """One value for each engine of each server, whatever name it goes by there."""
        return _either(
            f"max by ({', '.join((*self._server_labels, *engine.part_labels))}) ({over(metric.name + self.selector)})"
            for engine in engines
            for metric in role(engine)
        )

    def seen(self, engines: tuple[Engine, ...], window: str) -> str:
        """What had a sample within the window: each engine of each server, for each that scraped it."""
        return _either(
            f"present_over_time({metric.name}{self.selector}{window})"
            for engine in engines
            for metric in engine.running
        )

    def counters(
        self,
        engines: tuple[Engine, ...],
        role: Callable[[Engine], tuple[Metric, ...]],
        ending: str,
        window: str,
    ) -> str:
        """The rates of a counter, each once, however many scraped it."""
        without = (
            f"without ({', '.join(label for label in SCRAPER_LABELS if label not in self._server_labels)})"
        )
        return _either(
            f"max {without} (rate({metric.name}{ending}{self.selector}{window}))"
            for engine in engines
            for metric in role(engine)
        )


def _either(parts: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(parts))
