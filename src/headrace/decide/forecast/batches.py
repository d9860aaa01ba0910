"""Fits of some models and fits of others, put together: many models are fitted a few at a time, to stay in cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

Batch = TypeVar("Batch")
TOGETHER = 16
"""Models fitted at once; more of them leave the processor's cache and take longer each."""

ROOM_BYTES = 1 << 24
"""More than a fit of that many needs at once (12 MiB at the most)."""


def keep_room() -> None:
    """Have memory that is freed kept for what is allocated next. Changes no number.

    glibc returns freed memory to the system as soon as it is twice the largest block that it has seen freed, and a fit
    frees more than that several times: of the CPU of a fit a third went into getting the same pages back. A larger
    block, never touched and freed at once, moves that limit. Other libraries take no notice.
    """
    np.empty(ROOM_BYTES, np.uint8)


def joined(parts: Sequence[Batch]) -> Batch:
    """One batch of the models of all parts, in that order.

    Args:
        parts: Fits, or states, of the same shape but for the number of models; at least one.
    """
    whole: Batch = _joined(parts)
    return whole


def _joined(parts: Sequence[Any]) -> Any:
    first = parts[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(parts, axis=0)
    if isinstance(first, tuple):
        each = [_joined(values) for values in zip(*parts, strict=True)]
        return type(first)(*each) if hasattr(first, "_fields") else tuple(each)
    if is_dataclass(first):
        values = {
            field.name: _joined([getattr(part, field.name) for part in parts]) for field in fields(first)
        }
        return replace(first, **values)  # type: ignore[type-var]
    return first
