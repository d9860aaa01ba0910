"""A fit and a state as plain lists and numbers, ready for JSON, and back again to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from headrace.decide.forecast.band import Opinion
from headrace.decide.forecast.decay import Floats
from headrace.decide.forecast.fitted import Fit, Step
from headrace.decide.forecast.state import State

Plain: TypeAlias = int | float | Sequence["Plain"] | Mapping[str, "Plain"] | None
"""What `json` writes; NaN is None, since JSON has no word for it."""

STATE_ARRAYS = ("logs", "means", "error_total", "error_count", "tracker", "ridge_ahead", "upper_ahead")


def state_to_plain(state: State) -> dict[str, Plain]:
    """The state, to be kept over a restart."""
    arrays: dict[str, Plain] = {name: _listed(getattr(state, name)) for name in STATE_ARRAYS}
    return {"at": state.at, **arrays}


def state_from_plain(plain: Mapping[str, Plain]) -> State:
    """The state that was written; it goes on with the very same numbers."""
    arrays = {name: _array(plain[name]) for name in STATE_ARRAYS}
    return State(at=_whole(plain["at"]), **arrays)


def fit_to_plain(fit: Fit) -> dict[str, Plain]:
    """The fit, start included; some 20 kB a model."""
    return {
        "windows_per_day": fit.windows_per_day,
        "level": fit.level,
        "offset": _listed(fit.offset),
        "centre": _listed(fit.centre),
        "most": _listed(fit.most),
        "seasonals": _listed(fit.seasonals),
        "steps": [_step_to_plain(step) for step in fit.steps],
        "start": state_to_plain(fit.start),
    }


def fit_from_plain(plain: Mapping[str, Plain]) -> Fit:
    """The fit that was written."""
    steps, start, level = plain["steps"], plain["start"], plain["level"]
    assert isinstance(steps, Sequence)
    assert isinstance(start, Mapping)
    assert isinstance(level, float)
    return Fit(
        windows_per_day=_whole(plain["windows_per_day"]),
        level=level,
        offset=_array(plain["offset"]),
        centre=_array(plain["centre"]),
        most=_array(plain["most"]),
        seasonals=_array(plain["seasonals"]),
        steps=tuple(_step_from_plain(step) for step in steps),
        start=state_from_plain(start),
    )


def _step_to_plain(step: Step) -> dict[str, Plain]:
    opinions: dict[str, Plain] = {
        name: [_listed(part) for part in opinion]
        for name, opinion in (("middle", step.middle), ("upper", step.upper))
    }
    arrays: dict[str, Plain] = {name: _listed(getattr(step, name)) for name in ("ridge", "scale", "unit")}
    return {"ahead": step.ahead, **arrays, **opinions}


def _step_from_plain(plain: Plain) -> Step:
    assert isinstance(plain, Mapping)
    opinions = {}
    for name in ("middle", "upper"):
        parts = plain[name]
        assert isinstance(parts, Sequence)
        opinions[name] = Opinion(*(_array(part) for part in parts))
    return Step(
        ahead=_whole(plain["ahead"]),
        ridge=_array(plain["ridge"]),
        scale=_array(plain["scale"]),
        middle=opinions["middle"],
        upper=opinions["upper"],
        unit=_array(plain["unit"]),
    )


def _listed(values: Floats) -> Plain:
    objects = values.astype(object)
    objects[np.isnan(values)] = None
    listed: Plain = objects.tolist()
    return listed


def _array(plain: Plain) -> Floats:
    return np.array(plain, dtype=np.float64)


def _whole(plain: Plain) -> int:
    assert isinstance(plain, int)
    return plain
