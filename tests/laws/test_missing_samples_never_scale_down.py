"""Missing samples never scale down: what there is, and what was decided before, stays."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fleets import fleets, pasts, snapshots, staying

from headrace.decide.step import step
from headrace.snapshot import State
from headrace.verdict import Verdict


@given(st.data())
def test_missing(data: st.DataObject) -> None:
    fleet = data.draw(fleets())
    memory = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots())
    lost = tuple(replace(r, sample=None) if r.state is State.READY else r for r in snapshot.replicas)
    blind = replace(snapshot, replicas=lost, gateway=None)
    _, verdict = step(fleet, memory, blind)
    assert verdict.hold
    assert verdict.replicas >= staying(blind, memory)
    before = memory.verdict or Verdict(0)
    told = {*before.drain, *before.remove}
    gone = {r.name for r in blind.replicas if r.state is State.DRAINING} | told
    assert {*verdict.drain, *verdict.remove} <= gone
    assert "unknown" in verdict.reasons[0]
