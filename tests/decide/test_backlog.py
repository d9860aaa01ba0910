"""What counts as a backlog, how samples are put in groups, and the fit that never falls."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from headrace.decide.backlog import ENOUGH_SPELLS, SPELL_S, backlogs, groups, isotonic
from headrace.occupancy import Occupancy


def samples(
    running: list[float], waiting: list[float], replicas: float = np.nan, step_s: float = SPELL_S
) -> Occupancy:
    count = len(running)
    return Occupancy(
        np.arange(count, dtype=np.float64) * step_s,
        np.array(running),
        np.array(waiting),
        np.full(count, replicas),
        step_s,
    )


class TestBacklogs:
    def test_two_percent_of_the_slots_of_one_replica(self) -> None:
        seen = samples([0.0] * 4, [0.0, 5.0, 5.12, 100.0])
        assert backlogs(seen, 256).tolist() == [False, False, True, True]

    def test_at_least_one_request(self) -> None:
        assert backlogs(samples([0.0] * 3, [0.0, 0.9, 1.0]), 8).tolist() == [False, False, True]

    def test_counted_over_the_fleet_since_a_mean_hides_one_that_queues(self) -> None:
        assert backlogs(samples([0.0, 0.0], [0.5, 0.6], replicas=10.0), 256).tolist() == [False, True]

    def test_an_unknown_queue_is_none(self) -> None:
        assert backlogs(samples([1.0], [np.nan]), 8).tolist() == [False]


class TestGroups:
    def test_each_has_enough_spells_but_the_last(self) -> None:
        ratio = np.linspace(0.0, 1.0, 101)
        found = groups(samples((ratio * 100).tolist(), [0.0] * 101), 100)
        assert sum(group.samples for group in found) == 101
        assert all(group.spells >= ENOUGH_SPELLS for group in found[:-1])
        assert all(one.high_ratio <= other.low_ratio for one, other in itertools.pairwise(found))
        assert found[0].low_ratio == 0.0
        assert found[-1].high_ratio == 1.0

    def test_samples_of_one_spell_count_once(self) -> None:
        found = groups(samples([5.0] * 1_000, [0.0] * 1_000, step_s=6.0), 100)
        assert (found[0].samples, found[0].spells) == (1_000, 10)

    def test_a_multiple_of_the_step_begins_its_group(self) -> None:
        (found,) = groups(samples([15.0] * 20, [0.0] * 20), 100)
        assert (found.low_ratio, found.high_ratio, found.mean_ratio) == pytest.approx((0.15, 0.2, 0.15))

    def test_what_is_not_known_is_left_out_and_more_than_all_slots_are_all(self) -> None:
        found = groups(samples([np.nan, 10.0, 300.0], [0.0, np.nan, 8.0]), 100)
        assert [(group.low_ratio, group.samples, group.waiting) for group in found] == [(0.95, 1, 8.0)]

    def test_no_sample_no_group(self) -> None:
        assert groups(samples([], []), 100) == ()

    def test_a_dent_in_the_share_is_fitted_flat(self) -> None:
        running = [10.0] * 20 + [30.0] * 20 + [50.0] * 20
        waiting = [0.0] * 20 + ([9.0] * 6 + [0.0] * 14) + ([9.0] * 4 + [0.0] * 16)
        found = groups(samples(running, waiting), 100)
        assert [group.backlog_ratio for group in found] == [0.0, 0.3, 0.2]
        assert [group.backlog_fit for group in found] == pytest.approx([0.0, 0.25, 0.25])
        assert all(group.backlog_low <= group.backlog_fit <= group.backlog_high for group in found)


def test_isotonic_pools_neighbours_in_the_wrong_order_by_weight() -> None:
    fit = isotonic(np.array([0.0, 0.5, 0.2, 0.9]), np.array([1.0, 1.0, 2.0, 1.0]))
    assert fit.tolist() == pytest.approx([0.0, 0.3, 0.3, 0.9])


def test_isotonic_leaves_what_never_falls() -> None:
    values = np.array([0.0, 0.1, 0.1, 1.0])
    assert isotonic(values, np.ones(4)).tolist() == values.tolist()
    assert isotonic(np.array([3.0, 2.0, 1.0]), np.ones(3)).tolist() == [2.0, 2.0, 2.0]
