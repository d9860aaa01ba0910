"""A second look changes nothing: not in the same moment, and not later as long as nothing is known."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fleets import NOW_S, TICK_S, fleets, pasts, rules, snapshots

from headrace.decide.step import step
from headrace.snapshot import Sample, State


@given(st.data())
def test_in_the_same_moment(data: st.DataObject) -> None:
    fleet = data.draw(fleets())
    snapshot = data.draw(snapshots())
    once = step(fleet, data.draw(pasts(fleet)), snapshot)
    assert step(fleet, once[0], snapshot) == once


@given(st.data(), st.integers(1, 12))
def test_while_nothing_is_known(data: st.DataObject, ticks: int) -> None:
    """Neither do orders pile up, nor does anything begin to drain."""
    fleet = data.draw(fleets(rules.map(lambda rule: rule._replace(floor_gain=0.0, sync_s=0.0))))
    fleet = replace(fleet, scale=replace(fleet.scale, surge=None))
    blind = data.draw(snapshots())
    unknown = tuple(
        replace(r, sample=None if r.state is State.READY else Sample(1.0, 0.0)) for r in blind.replicas
    )
    ready = sum(replica.state is State.READY for replica in unknown)
    blind = replace(blind, replicas=unknown, gateway=None)
    memory, first = step(fleet, data.draw(pasts(fleet, blind)), blind)
    assert first.hold or not ready
    for tick in range(1, ticks + 1):
        memory, verdict = step(fleet, memory, replace(blind, at_s=NOW_S + tick * TICK_S))
        assert verdict.hold
        assert verdict.replicas == first.replicas
        assert set(verdict.drain) == set(first.drain)
