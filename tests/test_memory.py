"""A memory stays small however long it lives, whatever it sees, and knows nothing at first."""

from __future__ import annotations

import numpy as np

from headrace.decide.step import step
from headrace.journal import Opening, decode, encode
from headrace.memory import COLD, Memory
from headrace.snapshot import Gateway, Replica, Snapshot, State
from headrace.spec import Capacity, ModelFleet, Rule, Scale

FLEET = ModelFleet(
    name="m",
    capacity=Capacity(slots=10),
    scale=Scale(min_replicas=1, max_replicas=40, rule=Rule(samples=4, down_window_s=86_400.0)),
)


def remembered(ticks: int) -> Memory:
    random = np.random.default_rng(5)
    memory = COLD
    there = tuple(Replica(f"r{name}", State.READY, -1e6) for name in range(10))
    for tick in range(ticks):
        gateway = None if tick % 97 == 0 else Gateway(float(random.integers(0, 300)), 0.0)
        memory, _ = step(FLEET, memory, Snapshot(tick * 10.0, there, gateway))
    return memory


def test_bounded_after_many_ticks() -> None:
    memory = remembered(3_000)
    assert len(memory.levels) == 5
    assert len(memory.wants) <= 41
    wants = [past.want for past in memory.wants]
    assert wants == sorted(wants, reverse=True)
    assert len(set(wants)) == len(wants)
    assert len(encode(Opening(FLEET, memory))) < 8_000


def test_survives_a_restart_by_way_of_text() -> None:
    memory = remembered(50)
    entry = decode(encode(Opening(FLEET, memory)))
    assert isinstance(entry, Opening)
    assert entry.memory == memory
    snapshot = Snapshot(500.0, (Replica("r0", State.READY, 0.0),), Gateway(55.0, 0.0))
    assert step(FLEET, entry.memory, snapshot) == step(FLEET, memory, snapshot)


def test_cold_knows_nothing() -> None:
    assert COLD.at_s is None
    assert COLD.verdict is None
    assert COLD.demand.slots is None
