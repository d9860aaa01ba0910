"""Who is there, and in which order they go or come back."""

from __future__ import annotations

from dataclasses import replace

from headrace.decide.present import Present, present
from headrace.memory import COLD, Memory
from headrace.snapshot import Replica, Snapshot, State
from headrace.spec import Phase, Start
from headrace.verdict import Verdict

START = Start(phases=(Phase("start-up", 100.0, 150.0),))
"""Overdue after 300 s."""


def starting(name: str, since_s: float, *, placed: bool = True) -> Replica:
    return Replica(name, State.STARTING, since_s, schedulable=placed)


def seen(*replicas: Replica, memory: Memory = COLD) -> Present:
    return present(START, Snapshot(1_000.0, replicas), memory)


def test_starts_that_cannot_be_placed_go_before_overdue_ones_and_those_before_the_newest() -> None:
    there = seen(
        starting("new", 990.0),
        starting("older", 900.0),
        starting("overdue", 600.0),
        starting("long overdue", 500.0),
        starting("nowhere", 980.0, placed=False),
    )
    assert {replica.name for replica in there.late} == {"overdue", "long overdue", "nowhere"}
    assert there.starts_leaving() == ("nowhere", "long overdue", "overdue", "new", "older")
    assert there.have == 5


def test_one_that_was_told_to_drain_and_serves_on_comes_back_before_one_that_drains() -> None:
    """Its word was lost, so nothing has to be undone."""
    told = Replica("told", State.READY, 0.0)
    drains = Replica("drains", State.DRAINING, 990.0)
    memory = replace(COLD, at_s=990.0, verdict=Verdict(1, drain=("told", "drains")))
    there = seen(Replica("a", State.READY, 0.0), drains, told, memory=memory)
    assert [replica.name for replica in there.ready] == ["a"]
    assert there.have == 1
    assert there.drains_returning()[0] == "told"
    assert sorted(set(there.drains_returning())) == ["drains", "told"]
