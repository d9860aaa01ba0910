"""Law: no policy that is never over costs less than the clairvoyant bound, whatever its numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from headrace.decide import rules
from headrace.simulate import bound
from headrace.simulate.inputs import Setting, inputs, past_curve
from headrace.simulate.runner import Runner
from headrace.spec import Rule


@given(
    seed=st.integers(0, 10**6),
    startup_s=st.sampled_from([10.0, 40.0, 200.0]),
    drain_s=st.sampled_from([0.0, 30.0, 300.0]),
    headroom=st.floats(0.0, 3.0),
    family=st.sampled_from(["reactive", "hpa", "real"]),
    hold=st.booleans(),
)
def test_the_bound_is_not_above_a_policy_that_is_never_over(
    seed: int, startup_s: float, drain_s: float, headroom: float, family: str, hold: bool
) -> None:
    random = np.random.default_rng(seed)
    steps = random.normal(0, 0.05, 400).cumsum()
    setting = Setting(startup_s, 20.0, drain_s, 10.0, 1.0, 1)
    demand = 6.0 * np.exp(steps - steps.mean())
    if hold:  # enough replicas at all times: every history has policies that are never over
        setting = setting._replace(least=int(np.ceil(demand.max())))
    rule: Rule = {
        "reactive": rules.reactive(1.0 / (1.0 + headroom)),
        "hpa": rules.hpa(1.0 / (1.0 + headroom)),
        "real": rules.real_demand(startup_s, headroom),
    }[family]
    tally = Runner(interpret=True).tally(
        rule, setting, inputs(rule, setting, past_curve(demand, setting, 1000.0))
    )
    assume(tally.over == 0.0)
    assert bound.least_paid(bound.whole_demand(demand), setting.timing) <= tally.paid
