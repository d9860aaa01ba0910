"""Where the past of models is, read strictly from the texts of the options."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from headrace.cli import texts
from headrace.cli.texts import DAY_S
from headrace.errors import InputError
from headrace.units import shown

EXAMPLE = "llm-week"
UNITS = ("s", "ms", "us", "ns")
DEMANDS = ("slots", "requests")
ROLES = ("running", "waiting", "kv_usage", "finished", "latency")
LONGEST_S = 3_650 * DAY_S


class Named(NamedTuple):
    """A file and the model that it belongs to."""

    name: str
    """"": as the file is called, or the only model that there is."""
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PastWanted:
    """All of it; None and (): not said."""

    files: tuple[Named, ...] = ()
    example: str | None = None
    time_column: str | None = None
    value_column: str | None = None
    access_logs: tuple[Named, ...] = ()
    durations: tuple[Named, ...] = ()
    occupancies: tuple[Named, ...] = ()
    duration_column: str | None = None
    duration_unit: str | None = None
    start_column: str | None = None
    end_column: str | None = None
    running_column: str | None = None
    waiting_column: str | None = None
    replicas_column: str | None = None
    kv_column: str | None = None
    time_zone: str | None = None
    url: str | None = None
    selector: str | None = None
    since_s: float | None = None
    until: str | None = None
    step_s: float | None = None
    metrics: tuple[tuple[str, str], ...] = ()
    query: str | None = None
    by: tuple[str, ...] = ()
    demand: str = "slots"
    timeout_s: float | None = None
    no_cache: bool = False
    token_file: str | None = None
    token_variable: str | None = None
    user: str | None = None
    password_file: str | None = None
    password_variable: str | None = None
    headers: tuple[str, ...] = ()
    headers_file: str | None = None
    tenant: str | None = None
    ca_file: str | None = None


OF_FILES = (
    "time_column",
    "value_column",
    "durations",
    "occupancies",
    "duration_column",
    "duration_unit",
    "start_column",
    "end_column",
    "running_column",
    "waiting_column",
    "replicas_column",
    "kv_column",
)
OF_PROMETHEUS = (
    "selector",
    "since_s",
    "until",
    "step_s",
    "metrics",
    "query",
    "by",
    "demand",
    "timeout_s",
    "no_cache",
    "token_file",
    "token_variable",
    "user",
    "password_file",
    "password_variable",
    "headers",
    "headers_file",
    "tenant",
    "ca_file",
)
SPELLED = {
    "files": "FILE",
    "access_logs": "--access-log",
    "durations": "--durations",
    "occupancies": "--occupancy",
    "url": "--prometheus",
    "since_s": "--since",
    "step_s": "--step",
    "timeout_s": "--timeout",
    "metrics": "--metric",
    "headers": "--header",
}


_READ_FROM = {
    "value_column": ("files",),
    "duration_column": ("durations", "access_logs"),
    "duration_unit": ("durations", "access_logs"),
    "start_column": ("access_logs",),
    "end_column": ("access_logs",),
    "running_column": ("occupancies",),
    "waiting_column": ("occupancies",),
    "replicas_column": ("occupancies",),
    "kv_column": ("occupancies",),
}
"""Which options bring the files that a column is looked for in."""


def spelled(field: str) -> str:
    """How a field is spelled on the command line."""
    return SPELLED.get(field, f"--{field.replace('_', '-')}")


def past_wanted(typed: dict[str, object], command: str) -> PastWanted:
    """What is wanted, from the options as typed, by field; None, False and an empty list: not given.

    Args:
        typed: By field; other fields are left alone.
        command: Whose options these are, for a message.

    Raises:
        InputError: An option's value is wrong, or it does not go with another.
    """
    given = texts.given(typed, PastWanted.__dataclass_fields__)
    _require_one_source(given, command)
    _require_read(given)
    read = {name: _READERS[name](value) if name in _READERS else value for name, value in given.items()}
    return PastWanted(**read)  # type: ignore[arg-type]


def _require_one_source(given: dict[str, object], command: str) -> None:
    sources = [field for field in ("files", "example", "access_logs", "url") if field in given]
    if not sources:
        raise InputError(
            command, f"needs demand histories (FILE), --access-log, --prometheus or --example {EXAMPLE}"
        )
    if len(sources) > 1 and sources != ["files", "access_logs"]:
        raise InputError(
            spelled(sources[1]), f"can't stand beside {spelled(sources[0])}; the past comes from one place"
        )
    foreign = [*OF_FILES] if sources[0] in ("url", "example") else []
    foreign += OF_PROMETHEUS if sources[0] != "url" else ()
    for field in foreign:
        if field in given:
            what = "files" if field in OF_FILES else "Prometheus"
            raise InputError(
                spelled(field), f"is about {what}, and the past comes from {spelled(sources[0])}"
            )


def _require_read(given: dict[str, object]) -> None:
    """Whatever names a column must have a file in which it is looked for."""
    for field, files in _READ_FROM.items():
        if field in given and not any(name in given for name in files):
            raise InputError(spelled(field), f"says nothing without {' or '.join(map(spelled, files))}")


def _named_files(option: str) -> Callable[[object], tuple[Named, ...]]:
    def read(typed: object) -> tuple[Named, ...]:
        assert isinstance(typed, Sequence)
        found = tuple(_named_file(option, str(text)) for text in typed)
        names = [each.name for each in found if each.name]
        for name in names:
            if names.count(name) > 1 and option == "FILE":
                raise InputError(
                    option, f"two histories are named {shown(name)}; give each a name of its own"
                )
        return found

    return read


def _named_file(option: str, text: str) -> Named:
    name, mark, path = text.partition("=")
    if not mark or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,126}", name) or name.startswith("s3:"):
        name, path = "", text
    if not path:
        raise InputError(option, f"{shown(text)} names no file; write FILE or NAME=FILE")
    return Named(name, path)


def _metrics(typed: object) -> tuple[tuple[str, str], ...]:
    assert isinstance(typed, Sequence)
    found = []
    for text in typed:
        role, mark, name = str(text).partition("=")
        if not mark or not re.fullmatch(r"[a-zA-Z_:][a-zA-Z0-9_:]*", name):
            raise InputError(
                "--metric", f"{shown(text)} is not ROLE=NAME, such as running=my_running_requests"
            )
        found.append((texts.named("--metric", role, ROLES), name))
    return tuple(found)


def _strings(typed: object) -> tuple[str, ...]:
    assert isinstance(typed, Sequence)
    return tuple(str(text) for text in typed)


_READERS: dict[str, Callable[[object], object]] = {
    "files": _named_files("FILE"),
    "access_logs": _named_files("--access-log"),
    "durations": _named_files("--durations"),
    "occupancies": _named_files("--occupancy"),
    "example": texts.chosen("--example", (EXAMPLE,)),
    "duration_unit": texts.chosen("--duration-unit", UNITS),
    "since_s": texts.duration("--since", 3_600.0, LONGEST_S),
    "step_s": texts.duration("--step", 1.0, DAY_S),
    "metrics": _metrics,
    "by": lambda text: tuple(part.strip() for part in str(text).split(",")),
    "demand": texts.chosen("--demand", DEMANDS),
    "timeout_s": texts.duration("--timeout", 1.0, 3_600.0),
    "headers": _strings,
}
