"""Draws of fleets, snapshots and memories, for the laws about `step`."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import strategies as st

from headrace.decide.step import step
from headrace.memory import COLD, Memory
from headrace.snapshot import Gateway, Outlook, Replica, Sample, Snapshot, State
from headrace.spec import Capacity, ModelFleet, Phase, Rule, Scale, Start, Surge
from headrace.verdict import Verdict

SLOTS = 64
TICK_S = 10.0
NOW_S = 100_000.0

ratios = st.floats(0.0, 1.0)
rules = st.builds(
    Rule,
    floor_gain=st.sampled_from([0.0, 0.8, 1.3]),
    curve_weight=st.sampled_from([0.0, 0.5, 1.0]) | ratios,
    curve_softening=st.sampled_from([0.0, 0.05]),
    samples=st.integers(1, 5),
    slope_gain=st.just(0.0) | ratios,
    floor_exponent=st.sampled_from([1.0, 0.5]) | ratios,
    noise=st.sampled_from([0.0, 0.02]) | ratios,
    ceiling_gain=st.sampled_from([math.inf, 1.3]) | st.floats(0.1, 3.0),
    headroom=st.floats(-0.2, 2.0),
    exponent=st.sampled_from([0.0, 0.5, 1.0]) | ratios,
    on_curve=st.booleans(),
    tolerance=st.sampled_from([0.0, 0.1]),
    sync_s=st.sampled_from([0.0, 15.0, 30.0]),
    down_window_s=st.sampled_from([0.0, 30.0, 300.0]),
    down_interval_s=st.sampled_from([0.0, 20.0, 120.0]),
    down_step=st.sampled_from([1.0, 2.0, math.inf]),
    low_timer=st.booleans(),
    undo=st.booleans(),
)


@st.composite
def fleets(draw: st.DrawFn, rules: st.SearchStrategy[Rule] = rules) -> ModelFleet:
    least = draw(st.integers(0, 6))
    startup_s = draw(st.sampled_from([20.0, 180.0, 720.0]))
    return ModelFleet(
        name="m",
        capacity=Capacity(slots=SLOTS, data_parallel=draw(st.sampled_from([1, 2]))),
        scale=Scale(
            min_replicas=least,
            max_replicas=least + draw(st.integers(1, 30)),
            target_ratio=draw(st.sampled_from([1.0, 0.7])),
            surge=draw(st.none() | st.just(Surge(0.35, 300.0))),
            drain_s=draw(st.sampled_from([30.0, 300.0])),
            rule=draw(rules),
        ),
        start=Start(phases=(Phase("start-up", startup_s, 1.3 * startup_s),)),
    )


slots = st.floats(0.0, 25.0 * SLOTS)
samples = st.none() | st.builds(
    Sample, running=st.floats(0.0, 2.0 * SLOTS), waiting=st.sampled_from([0.0, 0.0, 40.0])
)
gateways = st.builds(Gateway, in_flight=slots, queued=st.sampled_from([0.0, 0.0, 100.0]))
outlooks = st.none() | st.builds(Outlook, slots, slots, slots, st.floats(1.0, 10.0 * SLOTS))


@st.composite
def replicas(draw: st.DrawFn, now_s: float, most: int = 9) -> tuple[Replica, ...]:
    """Replicas in any state, with names that come back from draw to draw."""
    names = draw(st.lists(st.integers(0, 30), max_size=most, unique=True))
    return tuple(
        Replica(
            name=f"r{name:02d}",
            state=draw(st.sampled_from([State.READY, State.READY, State.STARTING, State.DRAINING])),
            since_s=now_s - draw(st.sampled_from([3.0, 13.0, 103.0, 403.0, 5_003.0])),
            sample=draw(samples),
            schedulable=draw(st.sampled_from([True, True, True, False])),
        )
        for name in names
    )


@st.composite
def snapshots(draw: st.DrawFn, at_s: float = NOW_S, is_known: bool = False) -> Snapshot:
    """A snapshot at a time.

    Args:
        draw: Of hypothesis.
        at_s: Its time.
        is_known: True: the gateway always answers.
    """
    return Snapshot(
        at_s=at_s,
        replicas=draw(replicas(at_s)),
        gateway=draw(gateways if is_known else st.none() | gateways),
        outlook=draw(outlooks),
        schedulable=draw(st.none() | st.integers(0, 30)),
    )


@st.composite
def pasts(draw: st.DrawFn, fleet: ModelFleet, now: Snapshot | None = None, most: int = 4) -> Memory:
    """A memory that ticks before `NOW_S` really left behind; cold, if there were none.

    Args:
        draw: Of hypothesis.
        fleet: Whose.
        now: What is seen afterwards: the ticks saw those of its replicas that were there. None: they saw any.
        most: Ticks.
    """
    memory = COLD
    for before in range(draw(st.integers(0, most)), 0, -1):
        snapshot = draw(snapshots(NOW_S - before * TICK_S))
        if now is not None:
            here = tuple(replica for replica in now.replicas if replica.since_s <= snapshot.at_s)
            snapshot = replace(snapshot, replicas=here)
        memory, _ = step(fleet, memory, snapshot)
    return memory


def is_new(replica: Replica, memory: Memory) -> bool:
    """Whether it began to start after the last word: a new replica under an old name, which was told nothing."""
    return replica.state is State.STARTING and memory.at_s is not None and replica.since_s > memory.at_s


def staying(snapshot: Snapshot, memory: Memory) -> int:
    """Replicas that are starting or ready and were not told to go."""
    said = memory.verdict or Verdict(0)
    told = {*said.drain, *said.remove}
    return sum(
        r.state is not State.DRAINING and (r.name not in told or is_new(r, memory)) for r in snapshot.replicas
    )
