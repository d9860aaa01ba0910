"""Median, independent and summed 90th percentile stand in this order; cures only shorten; probes outlast."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.cures import CURES, Cure
from headrace.decide.startup import Usage, phases_after, probe_budget, saving, savings, total
from headrace.spec import Phase, Surge

NAMES = st.sampled_from(["node", "image", "boot", "download", "weights", "compile", "graphs", "other"])
SECONDS = st.floats(0.0, 3_600.0)
PHASES = st.lists(
    st.builds(lambda name, median, more: Phase(name, median, median + more), NAMES, SECONDS, SECONDS),
    max_size=8,
).map(tuple)
USAGES = st.builds(
    Usage,
    st.floats(0.0, 1e3),
    st.floats(0.0, 1e3),
    st.integers(1, 16),
    st.none() | st.builds(Surge, st.floats(0.0, 2.0), st.floats(0.0, 3_600.0)),
    st.floats(0.0, 600.0),
    st.floats(0.0, 60.0),
)


@given(PHASES)
def test_order(phases: tuple[Phase, ...]) -> None:
    whole = total(phases)
    assert whole.median_s <= whole.p90_independent_s <= whole.p90_s


@given(PHASES, st.sampled_from(CURES), USAGES)
def test_no_cure_lengthens_a_start_or_costs_headroom(
    phases: tuple[Phase, ...], cure: Cure, usage: Usage
) -> None:
    after = phases_after(phases, cure)
    assert [phase.name for phase in after] == [phase.name for phase in phases]
    assert all(b.median_s <= a.median_s and b.p90_s <= a.p90_s for a, b in zip(phases, after, strict=True))
    saved = saving(phases, cure, usage)
    assert 0.0 <= saved.saved_s <= total(phases).median_s
    assert saved.start_gpu_hours_per_day >= 0.0
    assert saved.headroom_gpu_hours_per_day >= -1e-6


@given(PHASES, USAGES)
def test_savings_are_sorted(phases: tuple[Phase, ...], usage: Usage) -> None:
    seconds = [each.saved_s for each in savings(phases, usage)]
    assert seconds == sorted(seconds, reverse=True)
    assert all(each > 0.0 for each in seconds)


@given(PHASES)
def test_a_probe_outlasts_a_slow_start_and_is_two_to_three_medians_where_that_does(
    phases: tuple[Phase, ...],
) -> None:
    inside = total(phase for phase in phases if phase.name not in ("node", "image"))
    probe = probe_budget(phases)
    assert probe.budget_s == probe.period_s * probe.failure_threshold
    assert 1 <= probe.period_s <= 10
    assert probe.budget_s >= 2.0 * inside.median_s
    assert probe.budget_s >= 1.5 * inside.p90_s - 1e-6
    if inside.p90_s <= 2.0 * inside.median_s and inside.median_s > 0.0:
        assert probe.budget_s <= 3.0 * inside.median_s + probe.period_s
