"""What was asked of `headrace simulate`: the texts of its options, read strictly, each mistake in one sentence.

Nothing here takes long to import: a wrong option is told before anything is read or computed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from headrace import units
from headrace.cli import texts
from headrace.cli.texts import DAY_S
from headrace.errors import InputError

EXAMPLES = ("seed-day", "llm-week")
BETWEEN = ("rough", "line", "hold")
POLICY_NAMES = ("fixed", "hpa", "reactive", "predictive", "known-curve", "default")
"""As in `simulate.policies`, which takes numpy to import."""
LONGEST_S = 3_650 * DAY_S
SURGE_LASTS_S = 3_600.0
"""Length of a surge whose text gives none, as the built-in day's."""


class Removal(NamedTuple):
    """A removal discipline: four fields of `spec.Rule`."""

    down_window_s: float
    down_step: float
    down_interval_s: float
    low_timer: bool = False


REMOVAL_BY_NAME = {
    "seed": Removal(600.0, 1.0, 120.0, low_timer=True),
    "fast": Removal(300.0, math.inf, 0.0),
    "slow": Removal(600.0, 1.0, 120.0),
}
REMOVALS = tuple(REMOVAL_BY_NAME)


class AddedSurge(NamedTuple):
    """A surge to add to demand."""

    rise_ratio: float
    ramp_s: float
    lasts_s: float
    """The ramp included."""
    at_s: float
    """Seconds after midnight where it comes each day, else after the beginning of the history."""
    daily: bool
    text: str
    """As it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """All of it, read; None: not said."""

    file: Path | None = None
    example: str | None = None
    time_column: str | None = None
    value_column: str | None = None
    days: int | None = None
    learn_s: float | None = None
    between: str = "rough"
    keep_dips: bool = False
    noise: bool = False
    surges: tuple[AddedSurge, ...] | None = None
    seed: int = 7
    fleet: str | None = None
    per_replica: float | None = None
    replicas: float | None = None
    accelerators: int | None = None
    startup_s: float | None = None
    drain_s: float | None = None
    lag_s: float = 60.0
    tick_s: float | None = None
    policies: tuple[str, ...] = POLICY_NAMES
    over_ratios: tuple[float, ...] | None = None
    removal: Removal | None = None
    sweep: bool = False
    as_json: bool = False
    chart: Path | None = None
    interpret: bool = False
    quiet: bool = False


def wanted(typed: dict[str, object]) -> Wanted:
    """What is wanted, from the options as typed, by field; None, False and an empty list: not given.

    Raises:
        InputError: An option's value is wrong, or it does not go with another; the option is its source.
    """
    given = {name: value for name, value in typed.items() if value not in (None, False, [], ())}
    _require_agreement(given)
    read = {name: _READERS[name](value) if name in _READERS else value for name, value in given.items()}
    return Wanted(**read)  # type: ignore[arg-type]


def _option(field: str) -> str:
    """How a field is spelled on the command line."""
    return _SPELLED.get(field, f"--{field.replace('_', '-')}")


_SPELLED = {
    "file": "FILE",
    "learn_s": "--learn",
    "startup_s": "--startup",
    "drain_s": "--drain",
    "lag_s": "--lag",
    "tick_s": "--tick",
    "surges": "--surge",
    "policies": "--policy",
    "over_ratios": "--over",
    "as_json": "--json",
}
_OUTPUT = ("as_json", "chart", "interpret", "quiet")
_OF_SEED_DAY = ("surges", "lag_s", "per_replica", "accelerators", "drain_s", *_OUTPUT)
_EXCLUDED = (
    ("sweep", ("fleet", "per_replica", "replicas", "startup_s"), "which sets replicas and start-up itself"),
    ("sweep", ("chart",), "which is a table of many runs; leave it out to draw one"),
    ("per_replica", ("replicas",), "since one follows from the other"),
)
"""A field, those that can't stand beside it, and why."""


def _require_agreement(given: dict[str, object]) -> None:
    """Options that need or exclude each other."""
    example = given.get("example")
    if "file" not in given and example is None:
        raise InputError(
            "headrace simulate",
            f"needs a demand history (FILE) or --example {' or --example '.join(EXAMPLES)}",
        )
    if "file" in given and example is not None:
        raise InputError("--example", f"can't stand beside a file ({given['file']}); give one of the two")
    if example == EXAMPLES[0]:
        for field in given:
            if field not in ("example", *_OF_SEED_DAY):
                allowed = ", ".join(_option(field) for field in _OF_SEED_DAY)
                raise InputError(
                    _option(field),
                    f"does not go with --example seed-day, whose rows are set; allowed are {allowed}",
                )
    if example is not None:
        for field in ("time_column", "value_column"):
            if field in given:
                raise InputError(_option(field), "names a column of a file, and an example has none")
    for field, others, why in _EXCLUDED:
        for other in others:
            if field in given and other in given:
                raise InputError(_option(other), f"can't stand beside {_option(field)}, {why}")


def _policies(typed: object) -> tuple[str, ...]:
    assert isinstance(typed, Iterable)
    wanted = {texts.named("--policy", str(text), POLICY_NAMES) for text in typed}
    return tuple(name for name in POLICY_NAMES if name in wanted)


def _over_ratios(text: object) -> tuple[float, ...]:
    ratios = []
    for part in str(text).split(","):
        ratio = texts.read("--over", units.ratio, part.strip())
        if ratio > 0.5:
            raise InputError("--over", f"{units.shown(part.strip())} is above the largest allowed share, 50%")
        ratios.append(ratio)
    return tuple(dict.fromkeys(ratios))


def _removal(text: object) -> Removal:
    words = str(text)
    if words in REMOVAL_BY_NAME:
        return REMOVAL_BY_NAME[words]
    parts = words.split("/")
    if len(parts) != 3:
        raise InputError(
            "--removal",
            f"{units.shown(words)} is not a removal discipline; write WINDOW/STEP/INTERVAL such as 600s/1/120s or "
            f"300s/all/0s, or one of {', '.join(REMOVALS)}",
        )
    window_s, interval_s = (texts.duration_s("--removal", part, 0.0, DAY_S) for part in (parts[0], parts[2]))
    step = math.inf if parts[1] == "all" else float(texts.count("--removal", 1, 10_000)(parts[1]))
    return Removal(window_s, step, interval_s)


def _surges(typed: object) -> tuple[AddedSurge, ...]:
    assert isinstance(typed, Sequence)
    if "none" not in typed:
        return tuple(_surge(str(text)) for text in typed)
    if len(typed) > 1:
        raise InputError("--surge", "none can't stand beside another surge")
    return ()


def _surge(text: str) -> AddedSurge:
    what, at, when = text.partition("@")
    parts = what.removeprefix("+").split("/")
    if not at or len(parts) not in (2, 3):
        raise InputError(
            "--surge",
            f"{units.shown(text)} is not a surge; write RISE/RAMP@WHEN or RISE/RAMP/LENGTH@WHEN, such as "
            "35%/5m@15:00 or 35%/5m/2h@9d15h",
        )
    rise = texts.read("--surge", units.ratio, parts[0])
    if not 0.0 < rise <= 100.0:
        raise InputError("--surge", f"a rise of {units.shown(parts[0])} must be above 0% and at most 10000%")
    ramp_s = texts.duration_s("--surge", parts[1], 0.0, DAY_S)
    lasts_s = (
        texts.duration_s("--surge", parts[2], 1.0, LONGEST_S)
        if len(parts) == 3
        else max(SURGE_LASTS_S, ramp_s)
    )
    if lasts_s < ramp_s:
        raise InputError(
            "--surge", f"{units.shown(text)} is over before its ramp is; LENGTH includes the ramp"
        )
    if clock := re.fullmatch(r"([0-9]{1,2}):([0-9]{2})", when):
        hour, minute = int(clock[1]), int(clock[2])
        if hour > 23 or minute > 59:
            raise InputError("--surge", f"{units.shown(when)} is not a time of day; write 00:00 to 23:59")
        return AddedSurge(rise, ramp_s, lasts_s, hour * 3600.0 + minute * 60.0, True, text)
    return AddedSurge(rise, ramp_s, lasts_s, texts.duration_s("--surge", when, 0.0, LONGEST_S), False, text)


_READERS: dict[str, Callable[[object], object]] = {
    "file": lambda text: Path(str(text)),
    "chart": lambda text: Path(str(text)),
    "example": texts.chosen("--example", EXAMPLES),
    "fleet": texts.place("--fleet", "FILE or FILE#NAME"),
    "days": texts.count("--days", 1, 3_650),
    "learn_s": texts.duration("--learn", 0.0, LONGEST_S),
    "between": texts.chosen("--between", BETWEEN),
    "surges": _surges,
    "seed": texts.count("--seed", 0, 2**32 - 1),
    "per_replica": texts.positive("--per-replica", 1e-9, 1e12),
    "replicas": texts.positive("--replicas", 1e-3, 10_000.0),
    "accelerators": texts.count("--accelerators", 1, 16_384),
    "startup_s": texts.duration("--startup", 0.0, DAY_S),
    "drain_s": texts.duration("--drain", 0.0, DAY_S),
    "lag_s": texts.duration("--lag", 0.0, 3_600.0),
    "tick_s": texts.duration("--tick", 1.0, 3_600.0),
    "policies": _policies,
    "over_ratios": _over_ratios,
    "removal": _removal,
}
