"""More schedulable accelerators never give anyone fewer replicas, where all replicas are of one size.

Where they are not, they may: `test_more_accelerators_may_move_them_to_a_larger_replica` in `allot`'s tests.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headrace.decide.allot import Want, allot

COUNT = st.integers(0, 30)


@given(
    st.lists(
        st.builds(Want, st.uuids().map(str), COUNT, COUNT, COUNT, st.just(1), st.integers(0, 2)),
        max_size=10,
        unique_by=lambda want: want.name,
    ),
    st.sampled_from([1, 2, 8]),
    st.integers(0, 600),
    st.integers(0, 100),
)
def test_in_one_size(wants: list[Want], size: int, schedulable: int, more: int) -> None:
    wants = [want._replace(accelerators=size) for want in wants]
    for less, greater in zip(allot(wants, schedulable), allot(wants, schedulable + more), strict=True):
        assert greater.replicas >= less.replicas
