"""A fleet written back as a file: only what differs from the defaults, and nothing that reads as another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headrace.config import document, fleets
from headrace.spec import Capacity, ModelFleet, Phase, Rule, Scale, Start, Surge

PLAIN = ModelFleet(name="llama", capacity=Capacity(slots=256), scale=Scale(max_replicas=8))


def test_only_what_is_said() -> None:
    assert document(PLAIN) == (
        "apiVersion: headrace.dev/v1alpha1\nkind: ModelFleet\nmetadata:\n  name: llama\n"
        "spec:\n  capacity:\n    slots: 256\n  scale:\n    max: 8\n"
    )


def test_nested_and_quoted() -> None:
    fleet = replace(
        PLAIN,
        name="010",
        scale=Scale(max_replicas=8, surge=Surge(0.35, 300.0)),
        start=Start(phases=(Phase("no", 0.25, 1.0), Phase("weights, from disk", 90.0, 120.0))),
    )
    assert document(fleet) == (
        'apiVersion: headrace.dev/v1alpha1\nkind: ModelFleet\nmetadata:\n  name: "010"\n'
        "spec:\n  capacity:\n    slots: 256\n  scale:\n    max: 8\n"
        "    surge:\n      rise: 35%\n      within: 5m\n"
        '  start:\n    - name: "no"\n      median: 250ms\n      p90: 1s\n'
        "    - name: weights, from disk\n      median: 1m30s\n"
    )
    assert fleets(document(fleet), "f.yaml") == (fleet,)


@pytest.mark.parametrize(
    "fleet",
    [
        replace(PLAIN, name="Llama"),
        replace(PLAIN, engine="tgi"),
        replace(PLAIN, capacity=Capacity(slots=0)),
        replace(PLAIN, capacity=Capacity(slots=1, requests_per_s=float("nan"))),
        replace(PLAIN, scale=Scale(max_replicas=8, rule=Rule(curve_weight=0.5))),
        replace(PLAIN, scale=Scale(max_replicas=8, rule=Rule(down_step=2.0))),
        replace(PLAIN, scale=Scale(min_replicas=9, max_replicas=8)),
        replace(PLAIN, start=Start(phases=(Phase("a: b", 1.0, 2.0),))),
        replace(PLAIN, start=Start(phases=())),
    ],
)
def test_what_no_file_can_say_is_refused(fleet: ModelFleet) -> None:
    with pytest.raises(ValueError, match="no file can say this fleet"):
        document(fleet)
