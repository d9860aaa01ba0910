"""Commands whose options are texts and flags, handed over as they were typed.

Typer checks each option by a pydantic adapter, even one that was not given: importing pydantic and building the
adapters takes longer than all else that happens before the first row. Our options are read by ourselves.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class AsTyped:
    """Stands where Typer would put its adapter."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value itself; none of several is an empty list."""
        if param.multiple:
            return list(value or ())
        return value


class PlainCommand(TyperCommand):
    """A command without adapters."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, ``--help`` among them."""
        return _read_by_us(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """The program without adapters."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, ``--help`` among them."""
        return _read_by_us(super().get_params(ctx))


def _read_by_us(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "_runtime_param", None) is None:
            param._runtime_param = AsTyped()
    return params
