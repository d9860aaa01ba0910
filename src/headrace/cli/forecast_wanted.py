"""What was asked of `headrace forecast`, read strictly from the texts of its options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headrace import units
from headrace.cli import texts
from headrace.cli.past_wanted import PastWanted, past_wanted
from headrace.errors import InputError

COMMAND = "headrace forecast"
FURTHEST_S = 3_600.0
AHEAD_S = 720.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastWanted:
    """All of it."""

    past: PastWanted
    backtest: bool = False
    ahead_s: tuple[float, ...] = ()
    """(): one window, and `AHEAD_S`."""
    level: float = 0.95
    keep_dips: bool = False
    seed: int = 7
    as_json: bool = False
    quiet: bool = False


def forecast_wanted(typed: dict[str, object]) -> ForecastWanted:
    """What is wanted, from the options as typed, by field; None, False and an empty list: not given.

    Raises:
        InputError: An option's value is wrong, or it does not go with another.
    """
    past = past_wanted(typed, COMMAND)
    given = texts.given(typed, ForecastWanted.__dataclass_fields__)
    if "ahead_s" in given and "backtest" not in given:
        raise InputError(
            "--ahead", "says nothing without --backtest; the next hour is forecast window by window"
        )
    read = {name: _READERS[name](value) if name in _READERS else value for name, value in given.items()}
    return ForecastWanted(past=past, **read)  # type: ignore[arg-type]


def _ahead(typed: object) -> tuple[float, ...]:
    assert isinstance(typed, Sequence)
    return tuple(dict.fromkeys(texts.duration_s("--ahead", text, 1.0, FURTHEST_S) for text in typed))


def _level(text: object) -> float:
    value = texts.read("--level", units.ratio, text)
    return texts.within("--level", value, 0.5, 0.999, text, units.ratio_text)


_READERS: dict[str, Callable[[object], object]] = {
    "ahead_s": _ahead,
    "level": _level,
    "seed": texts.count("--seed", 0, 2**32 - 1),
}
