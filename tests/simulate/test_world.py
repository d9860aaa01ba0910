"""A world of single replicas obeys verdicts as levels, and what can go wrong in it goes wrong as told."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.journal import Tick, decode, encode
from headrace.simulate.fluid import Inputs, Timing
from headrace.simulate.world import NONE, Counts, Mishaps, Run, World, run
from headrace.snapshot import State
from headrace.spec import Capacity, ModelFleet, Phase, Rule, Scale, Start
from headrace.verdict import Verdict

TIMING = Timing(tick_s=10.0, lag_ticks=0, start_ticks=3, drain_ticks=2)
RULE = Rule(
    floor_gain=0.0,
    curve_weight=0.0,
    samples=1,
    headroom=0.0,
    exponent=1.0,
    on_curve=False,
    down_window_s=30.0,
)


def world(demand: list[float], mishaps: Mishaps = NONE, most: int = 20) -> World:
    fleet = ModelFleet(
        name="m",
        capacity=Capacity(slots=64),
        scale=Scale(min_replicas=1, max_replicas=most, drain_s=60.0, rule=RULE),
        start=Start(phases=(Phase("start-up", 30.0, 36.0),)),
    )
    return World(fleet, TIMING, Inputs(*[np.array(demand)] * 6), mishaps)


def stepped(before: float, after: float, ticks: int = 40) -> list[float]:
    return [before] * 5 + [after] * (ticks - 5)


def ready(ran: Run) -> list[int]:
    return [counts.ready for counts in ran.counts]


def test_begins_with_what_is_needed() -> None:
    assert run(world(stepped(4.0, 4.0))).counts == [Counts(4, 0, 0)] * 40


def test_starts_take_their_time_and_are_paid() -> None:
    ran = run(world(stepped(2.0, 5.0, 12)))
    assert ran.counts == [Counts(2, 0, 0)] * 6 + [Counts(2, 3, 0)] * 2 + [Counts(5, 0, 0)] * 4
    assert ran.tally == (3.0, 9.0, 2 * 6 + 5 * 6, 1.0)


def test_drains_take_their_time_and_are_paid() -> None:
    ran = run(world(stepped(5.0, 2.0, 12)))
    assert ran.counts[6:] == [Counts(5, 0, 0)] * 2 + [Counts(2, 0, 3)] + [Counts(2, 0, 0)] * 3
    assert ran.tally.paid == 5 * 9 + 2 * 3


def test_levels_are_obeyed_twice_as_once() -> None:
    here = world([3.0] * 5)
    here.begin()
    names = [replica.name for replica in here.observe().replicas]
    verdict = Verdict(4, drain=(names[0],))
    assert here.act(verdict)
    assert here.counts() == Counts(2, 2, 1)
    assert not here.act(verdict)
    assert here.act(Verdict(5))
    assert here.counts() == Counts(3, 2, 0), "who is no longer named comes back"
    new = [replica.name for replica in here.observe().replicas if replica.state is State.STARTING]
    assert here.act(Verdict(3, remove=tuple(new)))
    assert here.counts() == Counts(3, 0, 0)


def test_stuck_starts_stay_and_are_not_piled_up() -> None:
    ran = run(world(stepped(2.0, 5.0), Mishaps(stuck=frozenset({0}))))
    assert ran.counts[-1] == Counts(4, 1, 0)
    assert max(sum(counts) for counts in ran.counts) == 5
    assert any("may take" in alarm for alarm in ran.verdicts[-1].alarms)


def test_unplaceable_starts_say_so() -> None:
    ran = run(world(stepped(2.0, 5.0), Mishaps(unplaceable=frozenset({1}))))
    assert ran.counts[-1] == Counts(4, 1, 0)
    assert any("can't be placed" in alarm for alarm in ran.verdicts[6].alarms)


def test_silence_holds() -> None:
    ran = run(world(stepped(5.0, 2.0), Mishaps(missing=frozenset(range(5, 30)))))
    assert [verdict.hold for verdict in ran.verdicts] == [True] + [False] * 4 + [True] * 25 + [False] * 10
    assert ready(ran)[:33] == [5] * 33
    assert ready(ran)[-1] == 2


def test_a_lost_verdict_costs_one_tick() -> None:
    in_time = ready(run(world(stepped(2.0, 5.0))))
    late = ready(run(world(stepped(2.0, 5.0), Mishaps(lost=frozenset({5})))))
    assert late == [2, *in_time[:-1]]


def test_the_dead_are_replaced_where_they_are_needed() -> None:
    ran = run(world(stepped(4.0, 4.0), Mishaps(deaths=frozenset({10}))))
    assert ready(ran)[9:15] == [4, 3, 3, 3, 4, 4]


@pytest.mark.parametrize(("schedulable", "most"), [(3, 3), (50, 5)])
def test_no_more_than_can_be_scheduled(schedulable: int, most: int) -> None:
    ran = run(world([2.0, *stepped(2.0, 5.0)], Mishaps(schedulable=schedulable)))
    assert max(sum(counts) for counts in ran.counts) == most


def test_gaps_are_seen_as_such_and_fail_nobody() -> None:
    ran = run(world([3.0] * 5 + [float("nan")] * 10 + [3.0] * 5))
    assert ran.tally.over == 0.0
    assert ran.counts == [Counts(3, 0, 0)] * 20
    assert all(verdict.hold for verdict in ran.verdicts[5:15])


def test_the_journal_is_what_happened() -> None:
    ran = run(world(stepped(2.0, 5.0)), is_journaled=True)
    assert len(ran.journal) == 41
    assert [entry.verdict for entry in ran.journal if isinstance(entry, Tick)] == ran.verdicts
    assert [decode(encode(entry)) for entry in ran.journal] == ran.journal
    assert run(world(stepped(2.0, 5.0))).journal == []
