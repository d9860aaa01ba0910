"""The JSON of `query` and `query_range`, checked, as arrays."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace.observe.prometheus.refusal import Unanswered, one_line

Labels = tuple[tuple[str, str], ...]
"""Names and values, sorted."""
_KINDS = ("matrix", "vector", "scalar", "string")
_LATEST_S = 1e12


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One query's answer over neighbouring steps.

    Attributes:
        labels: Of each series.
        values: shape [series, steps]; NaN: no value.
        warnings: What the server said beside it; an answer with one is not kept.
    """

    labels: tuple[Labels, ...]
    values: NDArray[np.float64]
    warnings: tuple[str, ...] = ()


def decoded(body: bytes) -> Any:
    """The JSON of a body.

    Raises:
        ValueError: It is none.
    """
    return json.loads(body)


def piece(where: str, found: Any, step_s: int, first: int, steps: int) -> Piece:
    """A `query_range` answer.

    Args:
        where: The address, for messages.
        found: The JSON.
        step_s: Step of the question.
        first: The step asked for first, counted from 0 s.
        steps: How many were asked for.

    A value evaluated at e is of the step that ends there, also where a cache in between has moved e down to a
    multiple of the step.

    Raises:
        Unanswered: It is no such answer.
    """
    result, warnings = _result(where, found, "matrix")
    values = np.full((len(result), steps), np.nan)
    labels = []
    for row, series in zip(values, result, strict=True):
        try:
            labels.append(_labels(series["metric"]))
            pairs = series.get("values", [])
            at = np.array([pair[0] for pair in pairs], dtype=np.float64)
            row_values = np.array([float(pair[1]) for pair in pairs], dtype=np.float64)
            if not (np.abs(at) < _LATEST_S).all():  # NaN neither
                raise ValueError
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise Unanswered(
                f"{where}: its answer holds a series that is none: it is not Prometheus' API"
            ) from None
        place = np.ceil(at / step_s - 1e-6).astype(np.int64) - 1 - first
        inside = (place >= 0) & (place < steps)
        row[place[inside]] = row_values[inside]
    if len(set(labels)) < len(labels):
        raise Unanswered(
            f"{where}: its answer holds two series with the same labels, so neither can be believed"
        )
    return Piece(tuple(labels), values, warnings)


def number(where: str, found: Any) -> float:
    """The one value of a `query` answer; NaN where there is none.

    Raises:
        Unanswered: It is no such answer.
    """
    result, _ = _result(where, found, "vector")
    try:
        return float(result[0]["value"][1]) if result else math.nan
    except (KeyError, TypeError, ValueError, IndexError):
        raise Unanswered(
            f"{where}: its answer holds a value that is none: it is not Prometheus' API"
        ) from None


def _result(where: str, found: Any, kind: str) -> tuple[list[Any], tuple[str, ...]]:
    data = found.get("data") if isinstance(found, dict) else None
    if (
        not isinstance(data, dict)
        or found.get("status") != "success"
        or not isinstance(data.get("result"), list)
    ):
        raise Unanswered(f"{where}: its answer is JSON, but not that of Prometheus' API")
    if data.get("resultType") != kind:
        given = data.get("resultType")
        other = f"a {given}" if given in _KINDS else "something else"
        raise Unanswered(f"{where}: it answers with {other}, where a {kind} was asked for")
    warnings = found.get("warnings")
    said = warnings if isinstance(warnings, list) else []
    return data["result"], tuple(one_line(str(warning)) for warning in said[:3])


def _labels(metric: dict[str, Any]) -> Labels:
    return tuple(sorted((str(name), str(value)) for name, value in metric.items()))
