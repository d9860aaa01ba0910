"""Slots are lowered to what the KV cache holds, by the best that says it and all over a plan; else a note says why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.plan.asks import ask, demand, fleet, occupancy, runner

from headrace.durations import durations
from headrace.occupancy import Occupancy
from headrace.plan.ask import Prompts, Today, until
from headrace.plan.basis import basis
from headrace.plan.kv import LEAST_MOMENTS, MOST_MOMENTS, kv_cache
from headrace.plan.propose import proposal
from headrace.simulate.policies import POLICIES
from headrace.spec import ModelFleet

TAKEN = durations(np.tile([10.0, 20.0, 90.0], 1_000))
HPA = next(policy for policy in POLICIES if policy.name == "hpa")


def sized(kv_tokens: int | None = 32_000, slots: int = 64, engines: int = 1) -> ModelFleet:
    known = fleet(slots=slots)
    return replace(known, capacity=replace(known.capacity, kv_tokens=kv_tokens, data_parallel=engines))


def used(share: float, moments: int = 10_000, *, most: int = 20) -> Occupancy:
    """One to `most` running requests a replica, each with its share of the cache; none is always there."""
    running = np.random.default_rng(1).integers(0, most, moments).astype(np.float64)
    usage = running * share
    usage[::7] = np.nan
    return occupancy(running, np.zeros(moments), usage=usage)


def prompts(tokens: float) -> Prompts:
    return Prompts(np.array([0.5, 1.0, 1.5]) * tokens, 8_000.0, 10.0)


def test_what_was_given_comes_before_what_was_seen_and_that_before_prompts() -> None:
    everything = {"tokens_per_request": 1_000.0, "occupancy": used(1 / 40), "prompts": prompts(1_600.0)}
    found = kv_cache(ask(demand(4), sized(), **everything))
    assert (found.slots, found.why) == (
        32,
        "a replica holds 32 requests, not 64: each holds 1,000 tokens, as given",
    )
    del everything["tokens_per_request"]
    found = kv_cache(ask(demand(4), sized(), **everything))
    assert found.slots == 40
    assert found.per_request == pytest.approx(800.0)
    assert "each holds 800 tokens in the mean of 8," in found.why
    del everything["occupancy"]
    found = kv_cache(ask(demand(4), sized(), **everything))
    assert found.slots == 20
    assert "each holds 1,600 tokens, those of the mean prompt (what is generated comes on top" in found.why


def test_shares_lower_the_slots_as_a_controller_would_where_the_size_is_not_known() -> None:
    found = kv_cache(ask(demand(4), sized(None), occupancy=used(0.04)))
    assert found.slots == 25
    assert "a replica holds 25 requests, not 64: each holds 4 % of the KV cache in the mean" in found.why
    roomy = kv_cache(ask(demand(4), sized(None), occupancy=used(0.01)))
    assert (roomy.slots, roomy.why, roomy.notes) == (64, "", ())


def test_each_engine_has_a_cache_of_its_own() -> None:
    # 20 running on a replica of two engines at 50 % each: 5 % of a cache each, so that each engine holds 20
    running = np.full(1_000, 20.0)
    found = kv_cache(
        ask(
            demand(4),
            sized(None, engines=2),
            occupancy=occupancy(running, 0.0 * running, usage=0.025 * running),
        )
    )
    assert found.slots == 40


def test_where_nothing_says_it_the_note_does_and_nothing_is_lowered() -> None:
    for more in ({}, {"occupancy": used(1 / 40, LEAST_MOMENTS)}, {"occupancy": used(60.0)}):
        found = kv_cache(ask(demand(4), sized(), **more))
        assert (found.slots, found.per_request, found.why) == (64, None, "")
        (note,) = found.notes
        assert note.startswith("kvTokens lowers none of the 64 slots: nothing given says how many tokens")
    assert kv_cache(ask(demand(4), sized(None), prompts=prompts(1e6))) == (fleet().capacity, None, "", ())


def test_a_cache_that_holds_more_than_the_slots_is_said_to() -> None:
    found = kv_cache(ask(demand(4), sized(), tokens_per_request=400.0))
    assert (found.slots, found.notes) == (64, ())
    assert found.why == "the KV cache holds more than the 64 slots: each request holds 400 tokens, as given"


def test_more_samples_than_are_needed_are_thinned_without_a_change() -> None:
    found = kv_cache(ask(demand(4), sized(None), occupancy=used(0.04, 4 * MOST_MOMENTS)))
    assert found.slots == 25


def test_the_whole_plan_follows_the_lowered_slots() -> None:
    history = demand(4)
    low = proposal(
        ask(history, sized(), tokens_per_request=1_000.0, target_ratio=0.5, durations=TAKEN), runner()
    )
    half = proposal(ask(history, sized(None, slots=32), target_ratio=0.5, durations=TAKEN), runner())
    assert low.base.setting == half.base.setting
    assert low.base.setting.per_replica == 16.0
    assert low.proposed.outcome == half.proposed.outcome
    assert low.bound.outcome == half.bound.outcome
    for name in ("min", "max", "headroom", "drain N", "grace", "replica size"):
        one, other = (next(n for n in made.numbers if n.name == name) for made in (low, half))
        assert one == other, name
    target = next(number for number in low.numbers if number.name == "target")
    assert target.why.endswith("; a replica holds 32 requests, not 64: each holds 1,000 tokens, as given")
    assert low.fleet.capacity == sized().capacity, "a file says max-num-seqs and kvTokens as they are"
    assert any(note.startswith("A file keeps the 64 slots") for note in low.notes)


def test_the_floor_and_the_target_count_in_the_lowered_slots() -> None:
    minutes = np.arange(7 * 1_440)
    noon = minutes % 1_440 // 60 == 12
    running, waiting = np.where(noon, 32.0, 10.0), np.where(noon, 100.0, 0.0)
    seen = occupancy(running, waiting, usage=running / 32.0)
    found = basis(ask(demand(7), sized(None), occupancy=seen))
    assert found.kv.slots == found.goal.slots == 32
    assert found.low is not None
    assert found.low.replicas == 17, "4 replicas with 132 each at noon want 16.5 of 32"


def test_what_is_held_out_is_not_looked_at() -> None:
    days = np.repeat([0.02, 0.05], 2_880)
    running = np.full(len(days), 10.0)
    whole = ask(demand(4), sized(None), occupancy=occupancy(running, 0.0 * running, usage=running * days))
    assert whole.past.occupancy is not None
    early = until(whole, float(whole.past.occupancy.at_s[2_880]))
    assert (kv_cache(whole).slots, kv_cache(early).slots) == (28, 50)


@pytest.mark.parametrize(("target", "is_told"), [(0.7, True), (0.4, False)])
def test_an_hpa_that_counts_in_slots_that_are_not_there_is_told(target: float, is_told: bool) -> None:
    today = Today("hpa", 0.0, HPA, 1.0 / target - 1.0)
    notes = kv_cache(ask(demand(4), sized(), tokens_per_request=1_000.0, today=today)).notes
    assert any("44.8 running requests per replica can never be reached" in note for note in notes) is is_told
