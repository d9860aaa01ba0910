"""The policies that are compared, each with the one number that says how much headroom it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from headrace.decide import rules
from headrace.decide.headroom import start_delay_s
from headrace.simulate.inputs import Setting
from headrace.spec import Rule, Surge

SURGE_RAMP_S = 300.0
"""Ramp of the class of surge whose rise is the known-curve rule's one number."""


class Policy(NamedTuple):
    """A way to scale."""

    name: str
    rule: Callable[[float, Setting], Rule]
    """The rule at a headroom number, in a setting."""
    lowest: float
    """Smallest headroom number worth trying."""
    highest: float
    number: str
    """What the number is, for people."""
    is_fixed: bool = False
    """True: the number is a replica count, and nothing is ever scaled."""


def _fixed(_replicas: float, _setting: Setting) -> Rule:
    return rules.fixed()


def _hpa(headroom: float, _setting: Setting) -> Rule:
    return rules.hpa(1.0 / (1.0 + headroom))


def _reactive(headroom: float, _setting: Setting) -> Rule:
    return rules.reactive(1.0 / (1.0 + headroom))


def _predictive(headroom: float, setting: Setting) -> Rule:
    return rules.predictive(1.0 / (1.0 + headroom), setting.lag_s, setting.tick_s)


def _known_curve(rise: float, setting: Setting) -> Rule:
    delay_s = start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s)
    return rules.known_curve(Surge(rise, SURGE_RAMP_S), delay_s)


def _real_demand(headroom: float, setting: Setting) -> Rule:
    return rules.real_demand(setting.startup_s, headroom)


FIXED = Policy("fixed", _fixed, 1.0, 1_000_000.0, "replicas", is_fixed=True)
HPA = Policy("hpa", _hpa, -0.2, 20.0, "1/target - 1")
REACTIVE = Policy("reactive", _reactive, -0.2, 20.0, "1/target - 1")
PREDICTIVE = Policy("predictive", _predictive, -0.2, 20.0, "1/target - 1")
KNOWN_CURVE = Policy("known-curve", _known_curve, -0.9, 20.0, "rise of the surge to survive")
DEFAULT = Policy("default", _real_demand, -0.2, 20.0, "x")

POLICIES = (FIXED, HPA, REACTIVE, PREDICTIVE, KNOWN_CURVE, DEFAULT)
"""In the order in which they are shown."""
