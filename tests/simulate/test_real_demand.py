"""The default against an HPA on six real histories, at equal service; the draws were set before it was chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from headrace.simulate import policies, sweep
from headrace.simulate.runner import Runner

SEEDS = [11, 12, 13]
OVER_RATIO = 0.0001


@pytest.mark.real_data
def test_the_default_costs_less_than_an_hpa_at_equal_service(
    shared_data: Path, benchmark_script: Callable[[str], ModuleType]
) -> None:
    script = benchmark_script("real_demand")
    plan = sweep.Plan((policies.HPA, policies.DEFAULT), (60.0,), (180.0, 720.0), (OVER_RATIO,))
    found = script.costs(Runner(), shared_data / "demand", script.MAIN, SEEDS, plan)
    warm = script.saving_ratio(found, script.MAIN, 60.0, 180.0, OVER_RATIO)
    cold = script.saving_ratio(found, script.MAIN, 60.0, 720.0, OVER_RATIO)
    # 5.0 % and 13.5 % as measured; docs/policy.md says how far the draw moves them
    assert warm[-1] >= 0.04
    assert cold[-1] >= 0.13
    assert [round(100 * saving, 1) for saving in (warm[-1], cold[-1])] == [5.0, 13.5]
