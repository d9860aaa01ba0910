"""A pool shared by several models: laid over one another in time, and told who lacks how many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import DAY_S, MONDAY_S, OF_DAY, ask, demand, fleet, runner

from headrace.plan.pooled import pooled
from headrace.plan.proposal import Proposal
from headrace.plan.propose import proposal
from headrace.spec import Capacity


@pytest.fixture(scope="module")
def pair() -> tuple[Proposal, Proposal]:
    two_cards = replace(fleet(), capacity=Capacity(slots=64, accelerators=2))
    one = proposal(ask(demand(3)), runner())
    other = ask(demand(4, mean=300.0, seed=2, start_s=MONDAY_S), two_cards)
    return one, proposal(other._replace(past=replace(other.past, name="code")), runner())


def wants(made: Proposal) -> np.ndarray:
    """Accelerators ready and starting at each tick of Tuesday and Wednesday."""
    held = (made.proposed.replicas[0] + made.proposed.replicas[1]) * made.fleet.capacity.accelerators
    return np.asarray(held[: 2 * OF_DAY])


def test_a_pool_of_what_both_want_at_most_is_enough(pair: tuple[Proposal, Proposal]) -> None:
    together = np.sum([wants(made) for made in pair], axis=0)
    most = int(together.max())
    found = pooled(pair, most)
    assert found.aligned
    assert found.days == 2.0
    assert np.array_equal(found.pool.wanted, together)
    assert found.pool.tight_ratio == 0.0
    assert pooled(pair, most - 1).pool.tight_ratio > 0.0


def test_too_small_a_pool_leaves_no_card_idle_that_fits(pair: tuple[Proposal, Proposal]) -> None:
    found = pooled(pair, 10)
    assert found.sizes == (1, 2)
    assert (found.pool.used <= 10).all()
    assert (found.pool.used >= np.minimum(found.pool.wanted, 10) - 1).all()
    assert sum(lack.short_ratio for lack in found.pool.lacks) > 0.0


def test_histories_of_different_times_are_laid_over_one_another() -> None:
    early, late = (
        proposal(ask(demand(3, start_s=MONDAY_S + days * DAY_S)), runner()) for days in (0.0, 100.0)
    )
    found = pooled((early, late), 60)
    assert not found.aligned
    assert found.days == 2.0
    assert np.array_equal(found.pool.wanted, 2 * wants(early))


def test_a_few_hours_in_common_are_no_trial() -> None:
    early, late = (
        proposal(ask(demand(3, start_s=MONDAY_S + days * DAY_S)), runner()) for days in (0.0, 1.75)
    )
    found = pooled((early, late), 60)  # Wednesday from 18:00 on is in both
    assert not found.aligned
    assert found.days == 2.0


def test_one_model_alone_has_a_pool_too(pair: tuple[Proposal, Proposal]) -> None:
    found = pooled(pair[:1], 1)
    assert found.pool.used.max() == 1
