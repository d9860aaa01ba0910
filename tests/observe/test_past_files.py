"""The past put together from files: what was saturated is a lower bound, replicas are on the demand's steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from headrace.durations import Durations
from headrace.errors import InputError
from headrace.observe.past_files import read_past

FileOf = Callable[[str, "str | bytes"], str]


def test_three_files_are_one_past(file_of: FileOf) -> None:
    file_of("demand.csv", "ts,slots\n" + "".join(f"{at * 60},{at}\n" for at in range(5)))
    file_of("took.csv", "latency_ms\n1500\n2500\n")
    file_of(
        "seen.csv",
        "ts,running,waiting,replicas\n0,2,0,2\n30,2,2,2\n60,4,1,2\n90,4,1,2\n120,3,0,3\n150,3,1,3\n180,3,0,3\n",
    )
    shares: list[float] = []
    past = read_past(
        "demand.csv", durations="took.csv", occupancy="seen.csv", name="llama", progress=shares.append
    )
    assert past.name == "llama"
    assert past.demand.values.tolist() == [0, 1, 2, 3, 4]
    assert past.lower_bound is not None
    assert past.lower_bound.tolist() == [True, True, True, False, False]
    assert isinstance(past.durations, Durations)
    assert past.durations.count == 2
    assert past.replicas is not None
    np.testing.assert_array_equal(past.replicas.values, [2, 2, 3, 3, np.nan])
    assert past.occupancy is not None
    assert len(past.occupancy) == 7
    assert "In 60 % of the steps requests waited: demand seen then is taken for a lower bound." in past.notes
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_samples_hold_until_the_next_is_due(file_of: FileOf) -> None:
    file_of("demand.csv", "ts,value\n" + "".join(f"{at * 10},{at % 3}\n" for at in range(12)))
    file_of("seen.csv", "ts,running,waiting\n0,2,5\n30,2,0\n60,2,5\n")
    past = read_past("demand.csv", occupancy="seen.csv")
    assert past.lower_bound is not None
    assert past.lower_bound.tolist() == [True] * 3 + [False] * 3 + [True] * 3 + [False] * 3
    assert past.replicas is None


def test_arrivals_are_offered_whether_or_not_a_slot_is_free(file_of: FileOf) -> None:
    file_of("demand.csv", "ts,rps\n0,1\n60,2\n")
    file_of("seen.csv", "ts,running,waiting\n0,2,5\n60,2,5\n")
    assert read_past("demand.csv", occupancy="seen.csv").lower_bound is None


def test_demand_alone_is_a_past(file_of: FileOf) -> None:
    file_of("demand.csv", "ts,rps\n0,1\n60,2\n")
    past = read_past("demand.csv")
    assert (past.name, past.durations, past.occupancy, past.lower_bound) == ("demand.csv", None, None, None)


def test_a_counter_is_no_demand(file_of: FileOf) -> None:
    file_of("demand.csv", "ts,requests\n" + "".join(f"{at * 60},{at * 300}\n" for at in range(100)))
    with pytest.raises(InputError) as refused:
        read_past("demand.csv")
    assert str(refused.value) == (
        "demand.csv: the value column 'requests' looks like a counter: over 100 moments it only "
        "rises, from 0 to 29,700; "
        "allowed is what runs or comes per second at that moment, such as the counter's increase per second"
    )
