"""Several models on one pool over time: who lacks how many for how long, as `allot` says tick by tick."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.allot import Want, allot
from headrace.simulate.pool import Claimant, pool


def wants(*counts: int) -> np.ndarray:
    return np.array(counts, dtype=np.int64)


def test_a_pool_that_is_enough() -> None:
    found = pool([Claimant("a", wants(1, 3, 2)), Claimant("b", wants(2, 1, 1), accelerators=2)], 6, 10.0)
    assert found.granted.tolist() == [[1, 3, 2], [2, 1, 1]]
    assert (found.tight_ratio, found.enough) == (0.0, 5)
    assert [lack.why for lack in found.lacks] == [
        "a always gets what it wants",
        "b always gets what it wants",
    ]
    assert found.why == "6 accelerators are enough: all models together want 5 at most"


def test_the_higher_priority_gets_its_wish() -> None:
    claimants = [
        Claimant("low", wants(2, 3, 4, 4), priority=0),
        Claimant("high", wants(1, 3, 4, 1), priority=1),
    ]
    found = pool(claimants, 5, 10.0)
    assert found.granted.tolist() == [[2, 2, 1, 4], [1, 3, 4, 1]]
    low, high = found.lacks
    assert (low.short_ratio, low.lacking, low.most, low.longest_s) == (0.5, 2.0, 3, 20.0)
    assert low.why == "low lacks 2 replicas on average and 3 at most in 50 % of the time, up to 20 s on end"
    assert high.most == 0
    assert found.used.tolist() == [3, 5, 5, 5]
    assert found.wanted.tolist() == [3, 6, 8, 5]
    assert found.why == "5 accelerators are too few in 50 % of the time: all models together want 8 at most"


def test_floors_come_before_wishes_and_are_counted_where_they_fail() -> None:
    claimants = [
        Claimant("floored", wants(0, 0, 0), floor=3),
        Claimant("wishing", wants(9, 9, 9), floor=0, priority=9),
    ]
    found = pool(claimants, np.array([5, 3, 2]), 10.0)
    assert found.granted.tolist() == [[3, 3, 2], [2, 0, 0]]
    assert found.lacks[0].below_floor_ratio == pytest.approx(1 / 3)
    assert "it does not get its floor of 3" in found.lacks[0].why


def test_what_runs_is_not_taken_for_another_of_its_own_priority() -> None:
    found = pool([Claimant("a", wants(4, 4, 4)), Claimant("b", wants(1, 4, 4))], 5, 10.0)
    assert found.granted.tolist() == [[4, 4, 4], [1, 1, 1]]


def test_a_replica_larger_than_the_pool_is_named() -> None:
    found = pool([Claimant("large", wants(1), accelerators=8)], 4, 10.0)
    assert found.lacks[0].why.endswith("one replica needs 8 accelerators, and the pool has 4")


CLAIMS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 6), min_size=12, max_size=12),
        st.integers(0, 3),
        st.sampled_from([1, 2, 8]),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=5,
)


@given(CLAIMS, st.lists(st.integers(0, 30), min_size=12, max_size=12), st.booleans())
def test_as_if_allot_were_asked_at_every_tick(
    claims: list[tuple[list[int], int, int, int]], sizes: list[int], is_steady: bool
) -> None:
    claimants = [
        Claimant(f"m{at}", np.repeat(wants(*want), 2), floor, cards, priority)
        for at, (want, floor, cards, priority) in enumerate(claims)
    ]
    schedulable = np.repeat(np.array([sizes[0]] * 12 if is_steady else sizes), 2)
    found = pool(claimants, schedulable, 10.0)
    have = [max(each.floor, int(each.want[0])) for each in claimants]
    for tick, size in enumerate(schedulable.tolist()):
        asked = [
            Want(each.name, each.floor, int(each.want[tick]), had, each.accelerators, each.priority)
            for each, had in zip(claimants, have, strict=True)
        ]
        have = [grant.replicas for grant in allot(asked, size)]
        assert found.granted[:, tick].tolist() == have
