"""What columns of request logs and of samples are called in the wild, and the unit that a name ends in."""

from __future__ import annotations

import re
from typing import NamedTuple

_SERVERS = ("vllm", "sglang", "tgi", "trtllm")
_UNITS = {
    "s": ("s", "sec", "secs", "second", "seconds"),
    "ms": ("ms", "msec", "msecs", "milli", "millis", "millisecond", "milliseconds"),
    "us": ("us", "µs", "μs", "usec", "usecs", "micro", "micros", "microsecond", "microseconds"),
    "ns": ("ns", "nsec", "nsecs", "nano", "nanos", "nanosecond", "nanoseconds"),
}
UNIT_OF_ENDING = {ending: unit for unit, endings in _UNITS.items() for ending in endings}
"""A name's last word to the unit: ``latency_ms``, ``durationMs``, ``latency (ms)``."""
PER_S = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
"""Units in a second."""

_KNOWN_UNITS = {"request_time": "s", "upstream_response_time": "s", "target_processing_time": "s"}
"""Columns of nginx and of Amazon's load balancer, whose unit their makers give."""


class Role(NamedTuple):
    """What a column can be."""

    noun: str
    """In messages: "the duration column"."""
    option: str
    """The option that names it."""
    names: tuple[str, ...]
    """Groups of names without a unit, the best group first: where one has a column, the next is not looked at."""


DURATION = Role(
    "duration",
    "--duration-column",
    (
        (
            "duration request_duration total_duration latency request_latency total_latency e2e_latency "
            "e2e_request_latency e2e e2el end_to_end_latency request_time elapsed elapsed_time "
            "time_elapsed time_taken took total_time response_time http_request_duration "
            "request_duration_time latency_e2e"
        ),
        (
            "service_time processing_time inference_time generation_time upstream_response_time "
            "target_processing_time upstream_service_time runtime run_time"
        ),
    ),
)
START = Role(
    "start",
    "--start-column",
    (
        (
            "start start_time starttime start_at started started_at start_ts start_timestamp begin "
            "begin_time began_at request_start request_start_time start_date"
        ),
        (
            "arrival arrival_time arrived_at received received_at request_received created created_at "
            "creation_time submitted_at submit_time queued_at enqueued_at"
        ),
    ),
)
END = Role(
    "end",
    "--end-column",
    (
        (
            "end end_time endtime end_at ended ended_at end_ts end_timestamp end_date finish "
            "finish_time finished finished_at completed_at completion_time complete_time request_end "
            "request_end_time stop_time stopped_at done_at"
        ),
    ),
)
MOMENT = Role(
    "time",
    "--time-column",
    (
        (
            "ts timestamp time t datetime date_time at logged_at event_time time_iso8601 "
            "msec epoch unix unix_time unixtime ds"
        ),
        "date sampled_at scraped_at window_start",
    ),
)
RUNNING = Role(
    "running",
    "--running-column",
    (
        (
            "running num_requests_running num_running_reqs requests_running running_requests "
            "num_running running_reqs n_running"
        ),
        "active active_requests in_flight inflight concurrency occupancy busy_slots",
    ),
)
WAITING = Role(
    "waiting",
    "--waiting-column",
    (
        (
            "waiting num_requests_waiting num_queue_reqs requests_waiting waiting_requests num_waiting "
            "waiting_reqs n_waiting"
        ),
        ("queue_depth queue queue_length queue_size queued queued_requests pending pending_requests backlog"),
    ),
)
REPLICAS = Role(
    "replicas",
    "--replicas-column",
    ("replicas ready_replicas num_replicas replica_count pods ready instances up",),
)
KV_USAGE = Role(
    "KV usage",
    "--kv-column",
    # one name a group: a page of the years between has two of them, which hold the same
    (
        "kv_cache_usage_perc",
        "gpu_cache_usage_perc",
        "token_usage",
        "kv_usage",
        "kv_usage_ratio",
        "kv_usage_perc",
        "kv_usage_percent",
        "kv_cache_usage",
        "kv_cache_usage_ratio",
        "kv_cache_usage_percent",
        "kv_cache_utilization",
        "gpu_cache_usage",
    ),
)


def plain_name(name: str) -> str:
    """A column's name in lower case with single underscores, without a server's prefix: ``num_requests_running``."""
    # startTime -> start_Time, E2ELatency -> E2E_Latency
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", name.strip())
    plain = re.sub(r"[^a-z0-9µμ]+", "_", words.lower()).strip("_")
    first, _, rest = plain.partition("_")
    return rest if first in _SERVERS and rest else plain


def unitless_name(name: str) -> str:
    """The plain name without the unit at its end, and without words that say only that it is an epoch time."""
    words = plain_name(name).split("_")
    while len(words) > 1 and (words[-1] in UNIT_OF_ENDING or words[-1] in ("unix", "epoch", "utc")):
        words.pop()
    return "_".join(words)


def unit_of(name: str) -> str:
    """The unit that a duration column's name says: a key of `PER_S`, or ""."""
    plain = plain_name(name)
    return UNIT_OF_ENDING.get(plain.rpartition("_")[2], "") or _KNOWN_UNITS.get(plain, "")
