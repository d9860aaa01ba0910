"""The allotted accelerators never exceed what is schedulable, and no replica is granted that nobody wants."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.allot import Want, allot

COUNT = st.integers(0, 1_000)
WANTS = st.lists(
    st.builds(Want, st.uuids().map(str), COUNT, COUNT, COUNT, st.integers(0, 16), st.integers(-2, 2)),
    max_size=20,
    unique_by=lambda want: want.name,
)


@given(WANTS, st.integers(-10, 50_000))
def test_sum_of_accelerators(wants: list[Want], schedulable: int) -> None:
    grants = allot(wants, schedulable)
    used = sum(grant.replicas * want.accelerators for grant, want in zip(grants, wants, strict=True))
    assert used <= max(0, schedulable)


@given(WANTS, st.integers(0, 50_000))
def test_nobody_gets_more_than_it_wants_and_a_reason_stands_where_it_gets_less(
    wants: list[Want], schedulable: int
) -> None:
    for grant, want in zip(allot(wants, schedulable), wants, strict=True):
        wanted = max(want.floor, want.want)
        assert grant.name == want.name
        assert 0 <= grant.replicas <= wanted
        assert bool(grant.reason) == (grant.replicas < wanted)


@given(WANTS, st.integers(0, 50_000))
def test_no_accelerator_is_idle_that_one_more_wanted_replica_could_use(
    wants: list[Want], schedulable: int
) -> None:
    grants = allot(wants, schedulable)
    left = schedulable - sum(g.replicas * w.accelerators for g, w in zip(grants, wants, strict=True))
    for grant, want in zip(grants, wants, strict=True):
        if grant.replicas < max(want.floor, want.want):
            assert want.accelerators > left
