"""What a right file becomes: every default filled in, with the values that the reasons are given for."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.config import fleets, load_fleets
from headrace.decide.rules import real_demand
from headrace.spec import Capacity, ModelFleet, Phase, Rule, Scale, Slo, Start, Surge

EXAMPLES = Path(__file__).parents[2] / "examples"

TEMPLATE = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata: {{name: llama}}
spec:
  capacity: {{{capacity}}}
  scale: {{{scale}}}
  start: {start}
"""


def fleet(capacity: str = "slots: 256", scale: str = "max: 8", start: str = "3m") -> ModelFleet:
    (read,) = fleets(TEMPLATE.format(capacity=capacity, scale=scale, start=start), "f.yaml")
    return read


def test_all_defaults() -> None:
    assert fleet() == ModelFleet(
        name="llama",
        engine="vllm",
        slo=Slo(over_ratio=0.001),
        capacity=Capacity(slots=256, data_parallel=1, accelerators=1),
        scale=Scale(min_replicas=1, max_replicas=8, rule=Rule(down_window_s=300.0, down_interval_s=0.0)),
        start=Start(phases=(Phase("start-up", 180.0, 240.0),)),
    )
    text = TEMPLATE.format(capacity="slots: 256", scale="max: 8", start="3m")
    without_start = text.replace("  start: 3m\n", "")
    assert fleets(without_start, "f.yaml") == fleets(text, "f.yaml")


def test_the_defaults_of_the_file_are_those_of_the_spec() -> None:
    assert fleet().start == Start()
    assert fleet().slo == Slo()
    assert fleet(scale="max: 1").scale == Scale()


def test_every_key() -> None:
    read = fleet(
        "slots: 128, dataParallel: 2, accelerators: 4, kvTokens: 900000, requestsPerSecond: 450/m",
        "min: 2, max: 9, target: 85%, headroom: -0.1, surge: {rise: 0.35, within: 5m}, priority: -3, "
        "downWindow: 10m, downInterval: 90s, drain: 90s",
        "[{name: node, median: 4m, p90: 9m}, {name: weights, median: 1m30s}]",
    )
    assert read.capacity == Capacity(
        slots=128, data_parallel=2, accelerators=4, kv_tokens=900_000, requests_per_s=7.5
    )
    assert read.scale == Scale(
        min_replicas=2,
        max_replicas=9,
        target_ratio=0.85,
        priority=-3,
        surge=Surge(0.35, 300.0),
        drain_s=90.0,
        rule=real_demand(330.0, -0.1)._replace(down_window_s=600.0, down_interval_s=90.0, down_step=1.0),
    )
    assert read.start.phases == (Phase("node", 240.0, 540.0), Phase("weights", 90.0, 120.0))


@pytest.mark.parametrize(
    ("start", "scale", "removal"),
    [
        ("5m", "max: 8", (300.0, 0.0, float("inf"))),
        ("5m0.001s", "max: 8", (300.0, 0.0, float("inf"))),
        ("[{name: a, median: 4m}, {name: b, median: 2m}]", "max: 8", (300.0, 0.0, float("inf"))),
        ("12m", "max: 8, downInterval: 2m", (300.0, 120.0, 1.0)),
        ("12m", "max: 8, downWindow: 0s", (0.0, 0.0, float("inf"))),
        ("20s", "max: 8, downInterval: 1s", (300.0, 1.0, 1.0)),
    ],
)
def test_removal_is_as_fast_as_it_is_said_to_be(
    start: str, scale: str, removal: tuple[float, float, float]
) -> None:
    rule = fleet(scale=scale, start=start).scale.rule
    assert (rule.down_window_s, rule.down_interval_s, rule.down_step) == removal


@pytest.mark.parametrize(("start", "exponent"), [("20s", 0.5), ("5m", 0.5), ("5m1s", 0.25), ("12m", 0.25)])
def test_headroom_follows_the_start_up_time(start: str, exponent: float) -> None:
    assert fleet(scale="max: 8", start=start).scale.rule.exponent == exponent


def test_accelerators_follow_the_engines() -> None:
    assert fleet("slots: 8, dataParallel: 4").capacity.accelerators == 4
    assert fleet("slots: 8, dataParallel: 4, accelerators: 8").capacity.accelerators == 8


def test_names_that_yaml_would_not_read_as_text_are_right_in_quotes() -> None:
    text = TEMPLATE.format(capacity="slots: 1", scale="max: 1", start="[{name: 'no', median: 1s}]")
    (read,) = fleets(text.replace("name: llama", 'name: "123"'), "f.yaml")
    assert read.name == "123"
    assert read.start.phases[0].name == "no"


def test_several_fleets_share_by_anchor() -> None:
    text = TEMPLATE.format(capacity="slots: 256", scale="max: 8", start="3m")
    both = text + "---\n" + text.replace("llama", "qwen") + "---\n# nothing\n"
    assert [read.name for read in fleets(both.encode(), "f.yaml")] == ["llama", "qwen"]
    merged = text.replace("scale: {max: 8}", "scale:\n    <<: {max: 5, min: 2}\n    max: 8")
    assert fleets(merged, "f.yaml")[0].scale.max_replicas == 8
    assert fleets(merged, "f.yaml")[0].scale.min_replicas == 2


def test_the_examples() -> None:
    read = {path.name: load_fleets(path) for path in sorted(EXAMPLES.glob("*.yaml"))}
    assert sorted(read) == ["fleet-of-three.yaml", "llama-70b.yaml", "phases.yaml", "serve.yaml"]
    assert [one.name for one in read["fleet-of-three.yaml"]] == ["chat", "code", "embed-batch"]
    priorities = [one.scale.priority for one in read["fleet-of-three.yaml"]]
    assert priorities == [100, 50, 0]
    (small,) = load_fleets(str(EXAMPLES / "llama-70b.yaml"))
    assert (small.capacity.slots, small.capacity.accelerators) == (256, 8)
    assert len((EXAMPLES / "llama-70b.yaml").read_text().splitlines()) <= 12
    (phased,) = read["phases.yaml"]
    assert [phase.name for phase in phased.start.phases][:2] == ["node", "image"]
