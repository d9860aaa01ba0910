"""Allotment grants whole bundles at once, and what comes out is what handing out one replica at a time gives.

The reference below is the rule as it reads: exact fractions, no bundles, every open model looked at for each
card.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.decide.allot import Want, allot


@st.composite
def all_wants(draw: st.DrawFn, most: int = 12) -> list[Want]:
    """Up to eight models of mixed sizes and priorities."""
    count = st.integers(0, most)
    rows = draw(
        st.lists(
            st.tuples(count, count, count, st.sampled_from([0, 1, 1, 2, 4, 8]), st.integers(0, 2)), max_size=8
        )
    )
    names = draw(st.permutations([f"m{i}" for i in range(len(rows))]))
    return [Want(name, *row) for name, row in zip(names, rows, strict=True)]


def one_at_a_time(wants: list[Want], left: int) -> list[int]:
    left = max(0, left)
    got = {want.name: 0 for want in wants}
    priorities = sorted({want.priority for want in wants}, reverse=True)
    stages: tuple[tuple[Callable[[Want], int], ...], ...] = (
        (lambda w: min(w.have, w.floor), lambda w: w.floor),
        (lambda w: max(w.floor, min(w.have, w.want)), lambda w: max(w.floor, w.want)),
    )
    for goals in stages:
        for priority in priorities:
            for goal in goals:
                passed_over: set[str] = set()
                while True:
                    lacking = [
                        (Fraction(got[w.name] - goal(w), goal(w)), w.name, w)
                        for w in wants
                        if w.priority == priority and got[w.name] < goal(w) and w.name not in passed_over
                    ]
                    if not lacking:
                        break
                    _, name, want = min(lacking)
                    if want.accelerators > left:
                        passed_over.add(name)
                    else:
                        got[name] += 1
                        left -= want.accelerators
    return [got[want.name] for want in wants]


@settings(max_examples=300)
@given(all_wants(), st.integers(-1, 200))
def test_bundles_change_nothing(wants: list[Want], schedulable: int) -> None:
    assert [grant.replicas for grant in allot(wants, schedulable)] == one_at_a_time(wants, schedulable)


@settings(max_examples=20)
@given(all_wants(most=150), st.integers(0, 1_000))
def test_nor_for_large_fleets(wants: list[Want], schedulable: int) -> None:
    assert [grant.replicas for grant in allot(wants, schedulable)] == one_at_a_time(wants, schedulable)


@given(all_wants(), st.integers(0, 200), st.randoms(use_true_random=False))
def test_the_order_of_asking_changes_nothing(wants: list[Want], schedulable: int, shuffle: Random) -> None:
    shuffled = list(wants)
    shuffle.shuffle(shuffled)
    assert set(allot(wants, schedulable)) == set(allot(shuffled, schedulable))
