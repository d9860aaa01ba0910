"""Which of a new and an old pod comes first, and from when on a rollout is stuck."""

from __future__ import annotations

import pytest

from headrace.decide.grace import grace_s
from headrace.decide.rollout import LEAST_DEADLINE_S, progress_deadline_s, start_deadline_s, strategy
from headrace.decide.startup import overdue_s, probe_budget
from headrace.spec import Phase

START = (Phase("node", 120.0, 300.0), Phase("weights", 400.0, 700.0))


@pytest.mark.parametrize(
    ("fewest", "spare", "wanted", "found"),
    [
        (1, None, "auto", (1, 0)),
        (1, 0, "auto", (1, 0)),
        (1, 0, "replace", (1, 0)),
        (2, None, "auto", (1, 0)),
        (2, 8, "auto", (1, 0)),
        (2, 7, "auto", (0, 1)),
        (2, 0, "auto", (0, 1)),
        (2, 0, "surge", (1, 0)),
        (2, 99, "replace", (0, 1)),
    ],
)
def test_a_single_replica_is_never_taken_first(
    fewest: int, spare: int | None, wanted: str, found: tuple[int, int]
) -> None:
    chosen = strategy(fewest, 8, spare, wanted)
    assert (chosen.max_surge, chosen.max_unavailable) == found


def test_reasons_name_what_they_rest_on() -> None:
    assert strategy(1, 8, 3).why == (
        "a single replica: the new pod must be ready before the only one goes; it needs 8 accelerators and 3 are "
        "spare, so it waits until some are free"
    )
    assert "which is not known" in strategy(4, 8, None).why
    assert strategy(4, 8, 3).why.startswith("3 of the 8 accelerators")


def test_a_rollout_is_stuck_once_a_start_is() -> None:
    stuck_s = start_deadline_s(START)
    assert stuck_s >= overdue_s(START)
    assert stuck_s >= probe_budget(START).budget_s
    surge, replace = strategy(2, 1, None), strategy(2, 1, 0)
    assert progress_deadline_s(START, 300.0, surge) == stuck_s
    assert progress_deadline_s(START, 300.0, replace) == stuck_s + grace_s(300.0)


def test_a_fast_start_leaves_kubernetes_its_own_deadline() -> None:
    assert (
        progress_deadline_s((Phase("wake", 3.0, 4.0),), 60.0, strategy(2, 1, None)) == LEAST_DEADLINE_S == 600
    )
