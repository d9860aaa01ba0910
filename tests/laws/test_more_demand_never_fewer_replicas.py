"""More demand never means fewer replicas: neither a raised newest sample, nor a window of demand scaled as a whole."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fleets import NOW_S, TICK_S, fleets, pasts, rules, slots, snapshots

from headrace.decide.step import step
from headrace.memory import COLD, Memory
from headrace.snapshot import Gateway, Snapshot
from headrace.spec import ModelFleet
from headrace.verdict import Verdict

FACTORS = st.floats(1.0, 8.0)


def times(snapshot: Snapshot, factor: float) -> Snapshot:
    gateway = snapshot.gateway
    if gateway is None:
        return snapshot
    return replace(snapshot, gateway=Gateway(gateway.in_flight * factor, gateway.queued * factor))


@given(st.data(), FACTORS)
def test_a_raised_newest_sample(data: st.DataObject, factor: float) -> None:
    fleet = data.draw(fleets())
    memory = data.draw(pasts(fleet))
    snapshot = data.draw(snapshots(is_known=True))
    _, low = step(fleet, memory, snapshot)
    _, high = step(fleet, memory, times(snapshot, factor))
    assert high.want >= low.want
    assert high.replicas >= low.replicas


def through(fleet: ModelFleet, window: list[Snapshot], factor: float) -> tuple[Memory, Verdict]:
    memory, verdict = COLD, Verdict(0)
    for snapshot in window:
        memory, verdict = step(fleet, memory, times(snapshot, factor))
    return memory, verdict


@given(st.data(), FACTORS)
def test_a_window_scaled_as_a_whole(data: st.DataObject, factor: float) -> None:
    """The fleet stands still while the window is seen (nothing may go down in it), then one tick decides."""
    rule = data.draw(rules)._replace(down_window_s=300.0, sync_s=0.0)
    fleet = data.draw(fleets(st.just(rule)))
    last = data.draw(snapshots(is_known=True))
    ticks = data.draw(st.integers(1, 8))
    window = [
        replace(last, at_s=NOW_S - before * TICK_S, gateway=Gateway(data.draw(slots), 0.0))
        for before in range(ticks, -1, -1)
    ]
    _, low = through(fleet, window, 1.0)
    _, high = through(fleet, window, factor)
    assert high.want >= low.want
    assert high.replicas >= low.replicas
