"""The benchmark of tuning times what it says it times, and a week at ten-second ticks takes at most two CPU seconds."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from headrace.simulate.runner import Runner


def test_a_week_is_tuned_in_two_seconds_of_cpu_without_numba(
    benchmark_script: Callable[[str], ModuleType],
) -> None:
    script = benchmark_script("tune")
    _, demand = next(script.demands(1, None))
    assert len(demand) == 14 * 8_640
    costs = {cost.call: cost for cost in script.costs(Runner(interpret=True), demand, 180.0)}
    assert {cost.tuned.days for cost in costs.values()} == {7.0}
    # a third of that as measured on a machine that does nothing else; one with neighbours is slower
    assert costs["0.1 % of requests"].cpu_s < 2.0
    assert costs["0.01 % of requests"].tuned.headroom > costs["0.1 % of requests"].tuned.headroom
    assert costs["+35 % in five minutes"].tuned.fallback == ""
