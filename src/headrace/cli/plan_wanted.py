"""What was asked of `headrace plan`, read strictly from the texts of its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from headrace import units
from headrace.cli import texts
from headrace.cli.past_wanted import PastWanted, past_wanted
from headrace.cli.texts import DAY_S
from headrace.errors import InputError
from headrace.spec import Surge

TODAY = ("fixed", "hpa", "reactive", "predictive")
BETWEEN = ("rough", "line", "hold")
ENGINES = ("vllm", "sglang")
COMMAND = "headrace plan"
LONGEST_DRAIN_S = 3_600.0
"""Durations beyond an hour are not told apart."""


class TodayWanted(NamedTuple):
    """A policy by its name, and its number as people write it."""

    policy: str
    number: float
    """Replicas of a fixed fleet, else the target (0 to 1]."""
    text: str
    """For people."""
    typed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWanted:
    """All of it; None: not said."""

    past: PastWanted
    fleet: str | None = None
    slots: int | None = None
    per_replica: float | None = None
    kv_tokens: int | None = None
    tokens_per_request: float | None = None
    accelerators: int | None = None
    startup_s: float | None = None
    engine: str | None = None
    over: float | None = None
    surge: Surge | None = None
    target: float | None = None
    least: int | None = None
    most: int | None = None
    pool: int | None = None
    lag_s: float | None = None
    tick_s: float | None = None
    prompts: str | None = None
    prompt_column: str | None = None
    prefill_rate: float | None = None
    first_token_s: float | None = None
    chunk: int | None = None
    drain_range: tuple[float, float] | None = None
    """The shortest and the longest N, in seconds."""
    drain_cut: float | None = None
    between: str = "rough"
    keep_dips: bool = False
    seed: int = 7
    today: TodayWanted | None = None
    today_min: int | None = None
    today_max: int | None = None
    today_drain_s: float | None = None
    holdout_s: float | None = None
    tolerance: float | None = None
    out: Path | None = None
    report: Path | None = None
    as_json: bool = False
    interpret: bool = False
    quiet: bool = False


_SPELLED = {
    "startup_s": "--startup",
    "least": "--min",
    "most": "--max",
    "lag_s": "--lag",
    "tick_s": "--tick",
    "first_token_s": "--first-token",
    "today_drain_s": "--today-drain",
    "holdout_s": "--holdout",
    "as_json": "--json",
}
_NEEDS = (
    ("prompt_column", "prompts"),
    ("prefill_rate", "prompts"),
    ("first_token_s", "prompts"),
    ("chunk", "prompts"),
    ("today_min", "today"),
    ("today_max", "today"),
    ("tolerance", "holdout_s"),
)


def spelled(field: str) -> str:
    """How a field is spelled on the command line."""
    return _SPELLED.get(field, f"--{field.replace('_', '-')}")


def plan_wanted(typed: dict[str, object]) -> PlanWanted:
    """What is wanted, from the options as typed, by field; None, False and an empty list: not given.

    Raises:
        InputError: An option's value is wrong, or it does not go with another.
    """
    past = past_wanted(typed, COMMAND)
    given = texts.given(typed, PlanWanted.__dataclass_fields__)
    for field, needed in _NEEDS:
        if field in given and needed not in given:
            raise InputError(spelled(field), f"says nothing without {spelled(needed)}")
    if "slots" not in given and "fleet" not in given:
        raise InputError(
            COMMAND, "needs to know what a replica runs at once; give --slots (its --max-num-seqs) or --fleet"
        )
    read = {name: _READERS[name](value) if name in _READERS else value for name, value in given.items()}
    asked = PlanWanted(past=past, **read)  # type: ignore[arg-type]
    if asked.least is not None and asked.most is not None and asked.most < asked.least:
        raise InputError("--max", f"{asked.most} is below --min, {asked.least}")
    _require_limits_of_today(asked)
    if asked.out is not None and asked.out == asked.report:
        raise InputError(
            "--report", f"{units.shown(str(asked.report))} is what --out writes; name another file"
        )
    return asked


def _require_limits_of_today(asked: PlanWanted) -> None:
    least, most = asked.today_min, asked.today_max
    if asked.today is not None and asked.today.policy == "fixed":
        for option, limit in (("--today-min", least), ("--today-max", most)):
            if limit is not None:
                raise InputError(
                    option, f"says nothing beside --today {asked.today.typed}, which never scales"
                )
    if least is not None and most is not None and most < least:
        raise InputError("--today-max", f"{most} is below --today-min, {least}")


def _today(text: object) -> TodayWanted:
    name, mark, number = str(text).partition(":")
    if not mark:
        raise InputError("--today", f"{units.shown(text)} has no number; write fixed:12 or hpa:70%")
    policy = texts.named("--today", name, TODAY)
    if policy == "fixed":
        return TodayWanted(policy, texts.count("--today", 1, 10_000)(number), f"fixed at {number}", str(text))
    target = _ratio("--today", 0.05, 1.0)(number)
    return TodayWanted(policy, target, f"{policy} at {units.ratio_text(target)}", str(text))


def _surge(text: object) -> Surge:
    rise, mark, ramp = str(text).removeprefix("+").partition("/")
    if not mark:
        raise InputError(
            "--surge", f"{units.shown(text)} is not a class of surge; write RISE/RAMP such as 35%/5m"
        )
    if rise and not rise.endswith("%") and "." not in rise:
        raise InputError("--surge", f"{units.shown(text)} has a rise without %; write 35%/5m, or 0.35/5m")
    return Surge(_ratio("--surge", 0.01, 10.0)(rise), texts.duration_s("--surge", ramp, 1.0, 6 * 3_600.0))


def _drain_range(text: object) -> tuple[float, float]:
    option = "--drain-range"
    shortest, mark, longest = str(text).partition("..")
    if not mark:
        raise InputError(
            option, f"{units.shown(text)} is not a range; write SHORTEST..LONGEST such as 60s..900s"
        )
    least_s, most_s = (texts.duration_s(option, part, 1.0, LONGEST_DRAIN_S) for part in (shortest, longest))
    if most_s < least_s:
        raise InputError(option, f"{units.shown(text)} ends before it begins; write the shorter one first")
    return least_s, most_s


def _ratio(option: str, least: float, most: float) -> Callable[[object], float]:
    return lambda text: texts.within(
        option, texts.read(option, units.ratio, text), least, most, text, units.ratio_text
    )


_READERS: dict[str, Callable[[object], object]] = {
    "fleet": texts.place("--fleet", "FILE or FILE#NAME"),
    "slots": texts.count("--slots", 1, 65_536),
    "per_replica": texts.positive("--per-replica", 1e-9, 1e12),
    "kv_tokens": texts.count("--kv-tokens", 1, 10**12),
    "tokens_per_request": texts.positive("--tokens-per-request", 1.0, 1e9),
    "accelerators": texts.count("--accelerators", 1, 16_384),
    "startup_s": texts.duration("--startup", 0.1, DAY_S),
    "engine": texts.chosen("--engine", ENGINES),
    "over": _ratio("--over", 0.0, 0.5),
    "surge": _surge,
    "target": _ratio("--target", 0.05, 1.0),
    "least": texts.count("--min", 1, 10_000),
    "most": texts.count("--max", 1, 10_000),
    "pool": texts.count("--pool", 1, 1_000_000),
    "lag_s": texts.duration("--lag", 0.0, 3_600.0),
    "tick_s": texts.duration("--tick", 1.0, 3_600.0),
    "prefill_rate": texts.positive("--prefill-rate", 1.0, 1e9),
    "first_token_s": texts.duration("--first-token", 0.01, 3_600.0),
    "chunk": texts.count("--chunk", 1, 10_000_000),
    "drain_range": _drain_range,
    "drain_cut": _ratio("--drain-cut", 0.0001, 0.5),
    "between": texts.chosen("--between", BETWEEN),
    "seed": texts.count("--seed", 0, 2**32 - 1),
    "today": _today,
    "today_min": texts.count("--today-min", 1, 10_000),
    "today_max": texts.count("--today-max", 1, 10_000),
    "today_drain_s": texts.duration("--today-drain", 0.0, DAY_S),
    "holdout_s": texts.duration("--holdout", 3_600.0, 3_650 * DAY_S),
    "tolerance": _ratio("--tolerance", 0.0, 10.0),
    "prompts": texts.place("--prompts"),
    "out": lambda text: Path(texts.place("--out", "FILE.yaml")(text)),
    "report": lambda text: Path(texts.place("--report", "FILE.html")(text)),
}
