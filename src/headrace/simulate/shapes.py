"""The kinds of rule that replay chooses among, each with one number left open."""

from __future__ import annotations

from headrace.decide import rules
from headrace.decide.headroom import start_delay_s
from headrace.simulate.inputs import Setting
from headrace.simulate.week import Shape
from headrace.spec import Rule, Surge


def _default(headroom: float, setting: Setting) -> Rule:
    return rules.real_demand(setting.startup_s, headroom)


def _proportional(headroom: float, setting: Setting) -> Rule:
    return _default(headroom, setting)._replace(exponent=1.0)


def _even(headroom: float, setting: Setting) -> Rule:
    return _default(headroom, setting)._replace(exponent=0.25)


def _on_sight(headroom: float, setting: Setting) -> Rule:
    return _default(headroom, setting)._replace(exponent=1.0, on_curve=False, curve_weight=0.5)


DEFAULT = Shape("default", _default)
SHAPES = (
    DEFAULT,
    Shape("proportional", _proportional),
    Shape("even", _even),
    Shape("on sight", _on_sight),
)
"""For a target: headroom as the default has it, in proportion to the curve, nearly the same at all hours, and in
proportion to what is seen."""


def surviving(surge: Surge) -> tuple[Shape, ...]:
    """For a class of surge: the default, and the default above the floor that the surge asks for on a known curve."""

    def on_floor(headroom: float, setting: Setting) -> Rule:
        delay_s = start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s)
        return rules.surviving(_default(headroom, setting), surge, delay_s)

    return DEFAULT, Shape("on the surge's floor", on_floor)
