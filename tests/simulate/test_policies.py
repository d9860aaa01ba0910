"""The policies that are compared: names, what their one number means, and that no range favours one of them."""

from __future__ import annotations

import pytest

from headrace.decide import rules
from headrace.simulate import policies
from headrace.simulate.inputs import Setting
from headrace.spec import Surge

SETTING = Setting(startup_s=360.0, lag_s=30.0, tick_s=15.0)
SWEPT = [policy for policy in policies.POLICIES if not policy.is_fixed]


@pytest.mark.parametrize("policy", SWEPT, ids=lambda policy: policy.name)
def test_no_policy_is_held_back_by_its_range(policy: policies.Policy) -> None:
    """Below what is seen (a target above one) for all alike, and as far up."""
    assert policy.lowest <= -0.2
    assert policy.highest == 20.0


def test_a_headroom_number_is_one_over_the_target_less_one() -> None:
    assert policies.HPA.rule(0.25, SETTING) == rules.hpa(0.8)
    assert policies.REACTIVE.rule(0.25, SETTING) == rules.reactive(0.8)
    assert policies.PREDICTIVE.rule(0.25, SETTING) == rules.predictive(0.8, 30.0, 15.0)


def test_the_known_curve_s_number_is_the_rise_of_a_surge_of_five_minutes() -> None:
    assert policies.KNOWN_CURVE.rule(0.5, SETTING) == rules.known_curve(
        Surge(0.5, 300.0), 30.0 + 360.0 + 15.0
    )


def test_the_default_is_the_rule_that_a_fleet_of_this_start_up_time_gets() -> None:
    assert policies.DEFAULT.rule(0.4, SETTING) == rules.real_demand(360.0, 0.4)
    fast = SETTING._replace(startup_s=20.0)
    assert policies.DEFAULT.rule(0.4, fast) == rules.real_demand(20.0, 0.4)
    assert policies.DEFAULT.rule(0.4, fast) != policies.DEFAULT.rule(0.4, SETTING)
