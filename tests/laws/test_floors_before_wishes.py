"""Nobody loses its floor for another's wish, and a floor only for floors of its own or a higher priority."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.allot import Want, allot

COUNT = st.integers(0, 30)
WANTS = st.lists(
    st.builds(
        Want, st.uuids().map(str), COUNT, COUNT, COUNT, st.sampled_from([0, 1, 2, 8]), st.integers(0, 2)
    ),
    max_size=10,
    unique_by=lambda want: want.name,
)


@given(WANTS, st.integers(0, 600))
def test_a_floor_is_missed_only_where_floors_alone_fill_the_accelerators(
    wants: list[Want], schedulable: int
) -> None:
    grants = allot(wants, schedulable)
    for grant, want in zip(grants, wants, strict=True):
        if grant.replicas < want.floor:
            floors = sum(
                min(other_grant.replicas, other.floor) * other.accelerators
                for other_grant, other in zip(grants, wants, strict=True)
                if other.priority >= want.priority
            )
            assert floors + want.accelerators > schedulable


@given(WANTS, st.integers(0, 600))
def test_wishes_change_nothing_about_floors(wants: list[Want], schedulable: int) -> None:
    floors_only = allot(
        [want._replace(want=0, have=min(want.have, want.floor)) for want in wants], schedulable
    )
    for grant, floor_grant, want in zip(allot(wants, schedulable), floors_only, wants, strict=True):
        assert min(grant.replicas, want.floor) >= floor_grant.replicas


@given(WANTS, st.integers(0, 600))
def test_a_wish_of_lower_priority_takes_nothing(wants: list[Want], schedulable: int) -> None:
    """What the highest priority gets does not depend on what the others wish above their floors."""
    if not wants:
        return
    highest = max(want.priority for want in wants)
    modest = [w if w.priority == highest else w._replace(want=w.floor) for w in wants]
    for grant, modest_grant, want in zip(
        allot(wants, schedulable), allot(modest, schedulable), wants, strict=True
    ):
        if want.priority == highest:
            assert grant.replicas == modest_grant.replicas
