"""Who leaves and who is taken back does not depend on the order of the list, and each is named once."""

from __future__ import annotations

import math
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.answers import sample_load
from headrace.decide.victim import gone, leaving_order, undo_order
from headrace.snapshot import Replica, Sample, State

NUMBER = st.floats(0.0, 300.0) | st.sampled_from([math.nan, -1.0, 0.0, 1.0])
SAMPLE = st.none() | st.builds(Sample, NUMBER, NUMBER)
FLEETS = st.lists(
    st.builds(
        Replica,
        st.text("ab01", min_size=1, max_size=4),
        st.sampled_from(State),
        st.sampled_from([0.0, 10.0, 20.0]),
        SAMPLE,
        st.booleans(),
    ),
    max_size=10,
    unique_by=lambda replica: replica.name,
)


@given(FLEETS, st.randoms(use_true_random=False))
def test_listing_order_changes_nothing(fleet: list[Replica], shuffle: Random) -> None:
    shuffled = list(fleet)
    shuffle.shuffle(shuffled)
    assert leaving_order(shuffled) == leaving_order(fleet)
    assert undo_order(shuffled) == undo_order(fleet)


@given(FLEETS)
def test_each_replica_is_named_once_in_the_order_it_belongs_to(fleet: list[Replica]) -> None:
    leaving, undone = leaving_order(fleet), undo_order(fleet)
    assert sorted((*leaving, *undone)) == sorted(replica.name for replica in fleet)
    assert set(undone) == {replica.name for replica in fleet if replica.state is State.DRAINING}


@given(FLEETS)
def test_no_ready_replica_leaves_while_one_with_less_known_work_stays(fleet: list[Replica]) -> None:
    states = {replica.name: replica.state for replica in fleet}
    loads = {replica.name: sample_load(replica.sample) for replica in fleet}
    order = leaving_order(fleet)
    starting = [name for name in order if states[name] is State.STARTING]
    assert list(order[: len(starting)]) == starting
    known = [math.inf if (load := loads[name]) is None else load for name in order[len(starting) :]]
    assert known == sorted(known)


@given(FLEETS, st.floats(0.0, 1e4), st.floats(0.0, 1e3), st.floats(0.0, 1e4))
def test_what_may_go_may_still_go_later(
    fleet: list[Replica], at_s: float, drain_s: float, later_s: float
) -> None:
    for replica in fleet:
        if gone(replica, at_s, drain_s):
            assert replica.state is State.DRAINING
            assert gone(replica, at_s + later_s, drain_s)
