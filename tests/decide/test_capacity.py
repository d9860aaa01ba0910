"""Slots of replicas and fleets, targets that can be reached, and Little's law, with real figures."""

from __future__ import annotations

import math

import pytest

from headrace.decide.capacity import (
    fleet_slots,
    rate_for_slots,
    replica_capacity,
    replica_slots,
    service_s,
    slots_for_rate,
    target_slots,
    unreachable_reason,
)
from headrace.spec import Capacity


@pytest.mark.parametrize(
    ("max_num_seqs", "data_parallel", "kv_tokens", "tokens_per_request", "slots"),
    [
        (256, 1, None, None, 256),
        (256, 4, None, None, 1024),
        (256, 1, 400_000, None, 256),
        (256, 1, None, 2_000.0, 256),
        (256, 1, 400_000, 2_000.0, 200),
        (256, 2, 400_000, 2_000.0, 400),
        (256, 1, 400_000, 131_072.0, 3),
        (256, 1, 400_000, 900_000.0, 1),
        (256, 8, 400_000, 900_000.0, 8),
        (256, 1, 400_000, 100.0, 256),
        (256, 1, 400_000, math.nan, 256),
        (256, 1, 400_000, 0.0, 256),
        (256, 1, 400_000, 1e-309, 256),
        (256, 1, 0, 2_000.0, 256),
    ],
)
def test_replica_slots(
    max_num_seqs: int,
    data_parallel: int,
    kv_tokens: int | None,
    tokens_per_request: float | None,
    slots: int,
) -> None:
    assert replica_slots(max_num_seqs, data_parallel, kv_tokens, tokens_per_request) == slots


def test_rounding_takes_no_slot_away() -> None:
    assert [replica_slots(9_999, 1, 1.0, 1.0 / n) for n in range(1, 2_000)] == list(range(1, 2_000))


def test_fleet_counts_ready_replicas_only() -> None:
    assert fleet_slots(3, 256) == 768
    assert fleet_slots(0, 256) == 0
    assert fleet_slots(-1, 256) == 0


def test_target_at_six_tenths() -> None:
    assert target_slots(256, 0.6) == pytest.approx(153.6)


def test_capacity_for_the_scaling_rule_follows_the_kv_cache() -> None:
    capacity = Capacity(slots=256, kv_tokens=400_000)
    assert replica_capacity(capacity, 0.75) == 192.0
    assert replica_capacity(capacity, 0.75, 2_000.0) == 150.0


class TestUnreachableReason:
    def test_target_above_max_num_seqs(self) -> None:
        assert unreachable_reason(300, Capacity(slots=256)) == (
            "a target of 300 running requests per replica can never be reached, so nothing is ever added:"
            " max-num-seqs 256 lets 256 run; it must be below 256"
        )

    def test_target_at_max_num_seqs_is_never_passed(self) -> None:
        reason = unreachable_reason(256, Capacity(slots=256))
        assert "can be reached but never passed" in reason

    def test_target_below_is_fine(self) -> None:
        assert unreachable_reason(255.9, Capacity(slots=256)) == ""

    def test_an_hpa_ignores_its_tolerance(self) -> None:
        # 256 / 240 = 1.067 is within the 10 % that an HPA ignores
        reason = unreachable_reason(240, Capacity(slots=256), tolerance=0.1)
        assert "can never be passed by more than the tolerance of 0.1" in reason
        assert "below 232.727" in reason
        assert unreachable_reason(232, Capacity(slots=256), tolerance=0.1) == ""

    def test_data_parallel_ranks_count(self) -> None:
        assert unreachable_reason(300, Capacity(slots=256, data_parallel=2)) == ""
        assert "on each of 2 data-parallel ranks lets 512 run" in unreachable_reason(
            600, Capacity(slots=256, data_parallel=2)
        )

    def test_the_kv_cache_holds_less(self) -> None:
        capacity = Capacity(slots=256, kv_tokens=400_000)
        assert unreachable_reason(220, capacity) == ""
        reason = unreachable_reason(220, capacity, tokens_per_request=2_000.0)
        assert "the KV cache of 400,000 tokens holds 200 requests of 2,000 tokens" in reason
        assert unreachable_reason(199, capacity, tokens_per_request=2_000.0) == ""


def test_littles_law_on_a_replica_of_the_seed() -> None:
    capacity = Capacity(slots=150, requests_per_s=7.5)
    assert service_s(capacity) == 20.0
    assert slots_for_rate(7.5, 20.0) == 150.0
    assert rate_for_slots(150.0, 20.0) == 7.5


def test_service_time_counts_all_ranks() -> None:
    assert service_s(Capacity(slots=75, data_parallel=2, requests_per_s=7.5)) == 20.0


@pytest.mark.parametrize("requests_per_s", [None, 0.0, math.nan])
def test_service_time_needs_a_measured_rate(requests_per_s: float | None) -> None:
    assert service_s(Capacity(slots=150, requests_per_s=requests_per_s)) is None
