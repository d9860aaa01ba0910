"""From a want to what moves: counts only, one tick."""

from __future__ import annotations

import math

import pytest

from headrace.decide.move import Counts, Move, filled, move, window
from headrace.memory import PastWant
from headrace.spec import Rule

FAST = Rule(down_window_s=300.0, down_interval_s=0.0)
SLOW = FAST._replace(down_interval_s=120.0, down_step=1.0)
TIMER = SLOW._replace(low_timer=True, undo=False)


class TestWindow:
    def test_only_what_can_become_the_greatest_is_kept(self) -> None:
        wants: tuple[PastWant, ...] = ()
        for tick, want in enumerate([5.0, 3.0, 4.0, 4.0, 2.0]):
            wants = window(wants, PastWant(tick * 10.0, want), 300.0)
        assert wants == ((0.0, 5.0), (30.0, 4.0), (40.0, 2.0))

    def test_a_want_leaves_when_it_is_as_old_as_the_window(self) -> None:
        wants = (PastWant(0.0, 9.0), PastWant(10.0, 5.0))
        assert window(wants, PastWant(29.0, 1.0), 30.0)[0] == (0.0, 9.0)
        assert window(wants, PastWant(30.0, 1.0), 30.0)[0] == (10.0, 5.0)

    def test_without_a_window_now_alone_counts(self) -> None:
        assert window((PastWant(0.0, 9.0),), PastWant(10.0, 1.0), 0.0) == ((10.0, 1.0),)


@pytest.mark.parametrize(
    ("rule", "counts", "want", "greatest", "free_s", "expected"),
    [
        (FAST, Counts(3, 1, 0, 0), 6.0, 6.0, -math.inf, Move(-math.inf, ordered=2)),
        (FAST, Counts(3, 1, 0, 1), 6.0, 6.0, -math.inf, Move(-math.inf, ordered=1, undone=1)),
        (FAST, Counts(3, 1, 0, 5), 6.0, 6.0, -math.inf, Move(-math.inf, undone=2)),
        (TIMER, Counts(3, 1, 0, 5), 6.0, 6.0, 900.0, Move(math.inf, ordered=2)),
        (FAST, Counts(5, 2, 0, 0), 2.0, 4.0, -math.inf, Move(1_000.0, cancelled=2, drained=1)),
        (FAST, Counts(5, 2, 0, 0), 2.0, 7.0, -math.inf, Move(-math.inf)),
        (SLOW, Counts(5, 2, 0, 0), 2.0, 4.0, 1_000.0, Move(1_120.0, cancelled=1)),
        (SLOW, Counts(5, 0, 0, 0), 2.0, 4.0, 1_001.0, Move(1_001.0)),
        (TIMER, Counts(5, 2, 0, 0), 2.0, 9.0, math.inf, Move(1_300.0)),
        (TIMER, Counts(5, 2, 0, 0), 2.0, 9.0, 1_000.0, Move(1_120.0, drained=1)),
        (TIMER, Counts(5, 2, 0, 0), 5.0, 9.0, 1_000.0, Move(math.inf)),
        (TIMER, Counts(5, 2, 1, 0), 2.0, 9.0, 1_000.0, Move(1_120.0, cancelled=1)),
        (FAST._replace(down_step=0.5), Counts(5, 0, 0, 0), 2.0, 2.0, 0.0, Move(1_000.0, drained=1)),
    ],
)
def test_move(
    rule: Rule, counts: Counts, want: float, greatest: float, free_s: float, expected: Move
) -> None:
    assert move(rule, counts, want, greatest, 1_000.0, free_s) == expected


def test_filling_up_never_removes() -> None:
    assert filled(FAST, Counts(5, 0, 0, 2), 3.0, 7.0) == Move(7.0)
    assert filled(FAST, Counts(5, 0, 0, 2), 8.0, 7.0) == Move(7.0, ordered=1, undone=2)
