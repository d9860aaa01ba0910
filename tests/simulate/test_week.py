"""A week is searched over its hardest stretches, and the number is the one that the whole week would have given."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.simulate import hardest, seed_day, shapes, sweep
from headrace.simulate.inputs import Setting, after, inputs, past_curve
from headrace.simulate.number import RESOLUTION, Search, smallest_number
from headrace.simulate.policies import HPA, REACTIVE
from headrace.simulate.runner import Runner
from headrace.simulate.split import Split, split
from headrace.simulate.week import Shape, Week

SETTING = Setting(startup_s=180.0, drain_s=300.0, per_replica=1.0, accelerators=1)
RUNNER = Runner(interpret=True)
HPA_SHAPE = Shape("hpa", HPA.rule)


def days(shape: Shape, setting: Setting = SETTING) -> Split:
    """Three random days at 30 replicas, the first learned from."""
    demand = sweep.scaled(seed_day.random_days(3, 3).ravel(), 30.0)
    traffic = after(past_curve(demand, setting), 8_640)
    return split(shape.rule, setting, inputs(shape.rule(8.0, setting), setting, traffic))


@pytest.mark.parametrize("shape", [*shapes.SHAPES, HPA_SHAPE], ids=lambda shape: shape.name)
@pytest.mark.parametrize("startup_s", [180.0, 720.0])
def test_the_hardest_stretches_lead_to_the_number_of_the_whole(shape: Shape, startup_s: float) -> None:
    whole = days(shape, SETTING._replace(startup_s=startup_s))
    allowed = 1e-4 * float(whole.inputs.demand.sum())
    week = Week(whole, RUNNER)
    found = week.smallest(Search(allowed))
    plain = smallest_number(Week(whole, RUNNER).outcome, Search(allowed), 0.3)
    assert found is not None
    assert plain is not None
    assert found == pytest.approx(plain, abs=2 * RESOLUTION)
    assert week.outcome(found).over <= allowed
    assert Week(whole, RUNNER).outcome(found - 2 * RESOLUTION).over > allowed


def test_most_runs_are_over_a_part_of_the_week() -> None:
    whole = days(shapes.DEFAULT)
    counted = hardest.counted_ticks(whole, hardest.needed(whole))
    ticks = hardest.run_ticks(whole, counted)
    assert 0.01 <= counted.mean() < 0.2
    assert ticks.mean() < 0.45
    assert np.all(ticks[counted])
    part = hardest.only(whole, ticks, counted)
    assert len(part.ahead) == len(part.inputs.seen) == int(ticks.sum())
    assert int(np.count_nonzero(~np.isnan(part.inputs.demand))) == int(counted.sum())


def test_a_rule_that_removes_slowly_is_run_on_the_whole() -> None:
    assert not hardest.forgets_fast(REACTIVE.rule(0.3, SETTING))
    assert hardest.forgets_fast(shapes.DEFAULT.rule(0.3, SETTING))
    assert not hardest.forgets_fast(HPA.rule(0.3, SETTING))
    week = Week(days(Shape("reactive", REACTIVE.rule)), RUNNER)
    allowed = 1e-3 * float(week.split.inputs.demand.sum())
    found = week.smallest(Search(allowed))
    assert found is not None
    assert week.outcome(found).over <= allowed


def test_the_estimate_is_near_what_is_found() -> None:
    whole = days(shapes.DEFAULT)
    allowed = 1e-3 * float(whole.inputs.demand.sum())
    estimate = hardest.number_estimate(hardest.needed(whole), whole.unit, allowed)
    found = Week(whole, RUNNER).smallest(Search(allowed))
    assert estimate == pytest.approx(found, abs=0.05)


def test_the_estimate_is_exact_where_one_tick_decides() -> None:
    """Two ticks lack 3 and 1 units of 2 replicas: at 3 nothing is missing, at 2 two replicas are, at 1 four."""
    needs, unit = np.array([1.0, 3.0, np.nan]), np.full(3, 2.0)
    assert hardest.number_estimate(needs, unit, 0.0) == 3.0
    assert hardest.number_estimate(needs, unit, 4.0) == 1.0
    assert np.isnan(hardest.number_estimate(np.full(3, np.nan), unit, 1.0))


def test_a_gap_all_through_needs_nothing() -> None:
    whole = days(shapes.DEFAULT)
    nothing = np.full(len(whole.ahead), np.nan)
    gap = whole._replace(inputs=whole.inputs._replace(demand=nothing, seen=nothing), ahead=nothing)
    assert Week(gap, RUNNER).smallest(Search(0.0)) == -0.2
