"""What columns are called: the same thing under many spellings, and the unit that a name ends in."""

from __future__ import annotations

import pytest

from headrace.errors import InputError
from headrace.observe.column_names import DURATION, END, START, plain_name, unit_of, unitless_name
from headrace.observe.roles import columns_of, guesses_note


@pytest.mark.parametrize(
    ("name", "plain", "unitless", "unit"),
    [
        ("latency_ms", "latency_ms", "latency", "ms"),
        ("durationMs", "duration_ms", "duration", "ms"),
        (" Request Duration (seconds) ", "request_duration_seconds", "request_duration", "s"),
        ("vllm:e2e_request_latency_seconds", "e2e_request_latency_seconds", "e2e_request_latency", "s"),
        ("sglang:num_running_reqs", "num_running_reqs", "num_running_reqs", ""),
        ("startTimeUnixNano", "start_time_unix_nano", "start_time", "ns"),
        ("@timestamp", "timestamp", "timestamp", ""),
        ("request_time", "request_time", "request_time", "s"),
        ("duration", "duration", "duration", ""),
        ("took_µs", "took_µs", "took", "us"),
        ("ms", "ms", "ms", "ms"),
        ("vllm", "vllm", "vllm", ""),
    ],
)
def test_names_are_read(name: str, plain: str, unitless: str, unit: str) -> None:
    assert (plain_name(name), unitless_name(name), unit_of(name)) == (plain, unitless, unit)


def test_the_best_group_wins_and_a_column_has_one_role() -> None:
    names = ["created_at", "started_at", "finished_at", "upstream_response_time", "request_time"]
    chosen = columns_of("a.csv", names, {START: None, END: None, DURATION: None}, ())
    assert {role.noun: names[at] for role, at in chosen.items()} == {
        "start": "started_at",
        "end": "finished_at",
        "duration": "request_time",
    }
    assert guesses_note(names, chosen, {START: "started_at"}) == (
        "Guessed: end column 'finished_at' (--end-column names another), "
        "duration column 'request_time' (--duration-column names another)."
    )
    with pytest.raises(InputError, match="'end' can't be both the start and the end column"):
        columns_of("a.csv", ["end"], {START: "end", END: "end"}, ())
