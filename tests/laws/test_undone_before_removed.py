"""What drains is taken back before anything starts, and nothing is sent away in a moment that takes something back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fleets import fleets, is_new, pasts, rules, snapshots, staying

from headrace.decide.step import step
from headrace.snapshot import State
from headrace.verdict import Verdict


@given(st.data())
def test_undone_first(data: st.DataObject) -> None:
    rule = data.draw(rules)._replace(undo=True, sync_s=0.0)
    fleet = data.draw(fleets(st.just(rule)))
    memory = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots())
    _, verdict = step(fleet, memory, snapshot)
    said = memory.verdict or Verdict(0)
    ending = {
        r.name
        for r in snapshot.replicas
        if r.name in said.remove and r.state is not State.READY and not is_new(r, memory)
    }
    could = {r.name for r in snapshot.replicas if r.state is State.DRAINING or r.name in said.drain} - ending
    could -= {r.name for r in snapshot.replicas if r.state is State.STARTING}
    back = could - {*verdict.drain, *verdict.remove}
    have = staying(snapshot, memory)
    if verdict.replicas > have + len(back):
        assert back == could, "something starts although a drain could be taken back"
    if back:
        assert verdict.replicas >= have + len(back)
        sent = {*verdict.drain, *verdict.remove} - could - ending
        assert not sent, "one is sent away while another is taken back"


@given(st.data())
def test_without_undo_no_drain_is_taken_back(data: st.DataObject) -> None:
    rule = data.draw(rules)._replace(undo=False)
    fleet = data.draw(fleets(st.just(rule)))
    memory = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots())
    _, verdict = step(fleet, memory, snapshot)
    draining = {replica.name for replica in snapshot.replicas if replica.state is State.DRAINING}
    assert draining <= {*verdict.drain, *verdict.remove}
