"""What a model has and still wants is not taken for one of equal priority; asking again changes nothing."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from headrace.decide.allot import Want, allot

COUNT = st.integers(0, 30)
SIZE = st.sampled_from([0, 1, 2, 8])


def wants_of(priorities: st.SearchStrategy[int]) -> st.SearchStrategy[list[Want]]:
    want = st.builds(Want, st.uuids().map(str), COUNT, COUNT, COUNT, SIZE, priorities)
    return st.lists(want, max_size=10, unique_by=lambda each: each.name)


@given(wants_of(st.just(0)), st.integers(0, 600))
def test_what_runs_and_is_wanted_stays_where_floors_leave_room(wants: list[Want], schedulable: int) -> None:
    kept = [max(want.floor, min(want.have, want.want)) for want in wants]
    assume(sum(n * want.accelerators for n, want in zip(kept, wants, strict=True)) <= schedulable)
    for grant, least in zip(allot(wants, schedulable), kept, strict=True):
        assert grant.replicas >= least


@given(wants_of(st.integers(0, 2)), st.integers(0, 600))
def test_asking_again_with_what_was_granted_changes_nothing(wants: list[Want], schedulable: int) -> None:
    grants = allot(wants, schedulable)
    again = [want._replace(have=grant.replicas) for want, grant in zip(wants, grants, strict=True)]
    assert [g.replicas for g in allot(again, schedulable)] == [g.replicas for g in grants]
