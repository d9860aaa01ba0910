"""From answers to a past: silence is not idleness, full is a lower bound, false values are holes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headrace.durations import Buckets
from headrace.observe.prometheus.pasts import Grid, Row, Seen, model_name, past
from headrace.past import Past

NAN = math.nan


def row(*values: float) -> Row:
    return np.array(values, dtype=np.float64)


def read(seen: Seen, *, unit: str = "slots", slots: int | None = None, step_s: int = 60) -> Past:
    assert seen.running is not None or seen.finished is not None or seen.demand is not None
    steps = next(len(each) for each in seen if isinstance(each, np.ndarray))
    found = past("m", seen, Grid(100, steps, step_s), unit, slots)
    assert found is not None
    return found


def test_demand_is_what_runs_and_waits() -> None:
    found = read(Seen(running=row(4, 5, 6), waiting=row(0, 1, 2), answered=row(2, 2, 2)))
    assert found.demand.values.tolist() == [4, 6, 8]
    assert found.demand.start_s == 6_000
    assert found.notes == ()


def test_a_silent_replica_is_taken_to_be_as_busy_as_the_others() -> None:
    seen = Seen(row(30, 20, 30, 30), row(0, 2, 0, 0), answered=row(3, 2, 3, 3), silent=row(NAN, 1, NAN, NAN))
    found = read(seen)
    assert found.demand.values.tolist() == [30, 33, 30, 30]
    assert found.replicas is not None
    assert found.replicas.values.tolist() == [3, 3, 3, 3]
    assert found.occupancy is not None
    assert found.occupancy.replicas.tolist() == [3, 2, 3, 3]
    assert found.occupancy.running.tolist() == [10, 10, 10, 10]
    assert found.notes == (
        "In 1 steps some replicas did not answer: each is taken to be as busy as those that did.",
    )


def test_kv_usage_stands_beside_what_runs_and_is_unknown_where_it_is_no_share() -> None:
    seen = Seen(row(8, 8, 8, 8), row(0, 0, NAN, 0), answered=row(2, 2, 2, 2), kv_usage=row(0.2, 40, 0.3, NAN))
    found = read(seen).occupancy
    assert found is not None
    assert found.kv_usage_ratio is not None
    assert found.kv_usage_ratio[0] == 0.2
    assert np.isnan(found.kv_usage_ratio[1:]).tolist() == [True, True]
    without = read(Seen(row(8, 8), row(0, 0), answered=row(2, 2))).occupancy
    assert without is not None
    assert without.kv_usage_ratio is None


def test_where_most_are_silent_demand_is_not_known() -> None:
    seen = Seen(row(30, 10, 30), row(0, 0, 0), answered=row(3, 1, 3), silent=row(0, 2, 0))
    assert np.isnan(read(seen).demand.values).tolist() == [False, True, False]


def test_a_rate_lacks_those_that_were_silent_a_step_before() -> None:
    seen = Seen(finished=row(4, 2, 2, 4), answered=row(2, 1, 2, 2), silent=row(0, 1, 0, 0))
    assert read(seen, unit="requests").demand.values.tolist() == [4, 4, 4, 4]


def test_without_a_queue_demand_is_what_runs_and_says_so() -> None:
    found = read(Seen(running=row(4, 5), answered=row(1, 1)))
    assert found.demand.values.tolist() == [4, 5]
    assert found.occupancy is None
    assert "demand is what runs" in found.notes[0]


def test_the_ends_without_values_are_left_out_and_told_from_an_hour_on() -> None:
    values = row(*[NAN] * 60, 1, NAN, 2, *[NAN] * 59)
    found = read(Seen(values, np.where(np.isnan(values), NAN, 0.0), answered=values))
    assert (found.demand.start_s, len(found.demand)) == (160 * 60, 3)
    assert np.isnan(found.demand.values).tolist() == [False, True, False]
    assert found.notes == ("The first 60 min have no value and are left out.",)
    assert found.lower_bound is not None
    assert len(found.lower_bound) == 3
    assert found.occupancy is not None
    assert found.occupancy.at_s.tolist() == [160 * 60, 162 * 60]


def test_values_that_can_not_be_true_are_holes_and_counted() -> None:
    found = read(Seen(row(4, -1, math.inf, 6, 7), row(0, 0, 0, -1, 0), answered=row(1, 1, 1, 1, 1)))
    assert np.isnan(found.demand.values).tolist() == [False, True, True, True, False]
    assert found.notes == ("3 values are negative or infinite: taken for holes.",)


@pytest.mark.parametrize("values", [(), (1.0,), (NAN, 3.0, NAN)])
def test_fewer_than_two_points_are_no_past(values: tuple[float, ...]) -> None:
    seen = Seen(row(*values), row(*values), answered=row(*values))
    assert past("m", seen, Grid(0, len(values), 60), "slots", None) is None


FULL = [
    pytest.param(Seen(row(9, 9, 9), row(0, 2, 0)), None, 60, [0, 0, 0], id="a queue of one step"),
    pytest.param(Seen(row(9, 9, 9), row(0, 2, 2)), None, 60, [0, 1, 1], id="a queue of two steps"),
    pytest.param(Seen(row(9, 9, 9), row(0, 2, 0)), None, 300, [0, 1, 0], id="a queue of one long step"),
    pytest.param(Seen(row(200, 200, 9), row(2, 2, 2)), None, 300, [0, 0, 1], id="a queue in passing"),
    pytest.param(Seen(row(9, 9, 9), row(0, 0, 0), kv_usage=row(0.94, 0.95, 1)), None, 60, [0, 1, 1], id="KV"),
    pytest.param(
        Seen(row(9, 9, 9), row(0, 0, 0), kv_usage=row(NAN, 40, 95)), None, 60, [0, 0, 0], id="KV in percent"
    ),
    pytest.param(Seen(row(14, 15, 16), row(0, 0, 0)), 8, 60, [0, 1, 1], id="slots of two"),
    pytest.param(Seen(row(14, 15, 16), row(0, 0, 0)), None, 60, [0, 0, 0], id="slots not known"),
    pytest.param(Seen(row(NAN, 16, 16), row(NAN, 0, 0)), 8, 60, [1, 1], id="a hole is not full"),
]


@pytest.mark.parametrize(("seen", "slots", "step_s", "full"), FULL)
def test_demand_seen_while_full_is_a_lower_bound(
    seen: Seen, slots: int | None, step_s: int, full: list[int]
) -> None:
    found = read(seen._replace(answered=row(2, 2, 2)), slots=slots, step_s=step_s)
    assert found.lower_bound is not None
    assert found.lower_bound.astype(int).tolist() == full


def test_buckets_are_taken_apart_and_the_last_is_above_every_bound() -> None:
    buckets = {math.inf: row(10, NAN, 20), 1.0: row(2, NAN, 4), 5.0: row(9, NAN, 15)}
    found = read(Seen(row(1, 1), row(0, 0), answered=row(1, 1), buckets=buckets, total=row(33, NAN, 66)))
    assert found.durations == Buckets((1.0, 5.0), (6.0, 18.0, 6.0), 99.0)
    assert found.durations.count == 30.0


def test_buckets_of_two_kinds_do_not_fall() -> None:
    buckets = {1.0: row(10), 2.0: row(5), math.inf: row(12)}
    found = read(Seen(row(1, 1), row(0, 0), answered=row(1, 1), buckets=buckets))
    assert found.durations == Buckets((1.0, 2.0), (10.0, 0.0, 2.0), None)
    assert "different buckets" in found.notes[0]


@pytest.mark.parametrize(
    "buckets", [{}, {1.0: row(3)}, {1.0: row(0), math.inf: row(0)}, {math.inf: row(NAN)}]
)
def test_a_histogram_of_nothing_is_none(buckets: dict[float, Row]) -> None:
    assert read(Seen(row(1, 1), row(0, 0), answered=row(1, 1), buckets=buckets)).durations is None


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"namespace": "prod", "model_name": "meta/llama"}, "prod/meta/llama"),
        ({"model_name": "llama"}, "llama"),
        ({"namespace": "", "model_name": "llama"}, "llama"),
        ({"pod": "a"}, ""),
    ],
)
def test_a_model_is_called_by_the_labels_it_has(labels: dict[str, str], name: str) -> None:
    assert model_name(tuple(sorted(labels.items())), ("namespace", "model_name")) == name
