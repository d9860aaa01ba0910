"""Laws: decode(encode(x)) == x for numbers with units and for fleets; no input raises but in one sentence."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.serving import served_fleets

from headrace import units
from headrace.config import document, fleets
from headrace.decide.rules import real_demand
from headrace.documents import DEEPEST, documents
from headrace.errors import InputError
from headrace.spec import Capacity, ModelFleet, Phase, Scale, Slo, Start, Surge

finite = st.floats(min_value=0, allow_nan=False, allow_infinity=False)


@given(finite)
def test_units_come_back(value: float) -> None:
    assert units.duration_s(units.duration_text(value)) == value
    assert units.ratio(units.ratio_text(value)) == value
    assert units.number(units.number_text(value)) == value
    assert units.number(units.number_text(-value)) == -value
    assert units.size_bytes(units.size_text(value)) == value
    assert units.rate_per_s(units.rate_text(value)) == value


@given(
    st.one_of(
        st.text(max_size=30),
        st.text("0123456789.%-+eEhmsx/ GBiK:_,", max_size=12),
        st.integers(),
        st.floats(),
    )
)
def test_units_refuse_in_one_sentence(value: object) -> None:
    for read in (
        units.duration_s,
        units.ratio,
        units.number,
        units.count,
        units.size_bytes,
        units.rate_per_s,
    ):
        try:
            found = read(value)
        except units.UnitError as error:
            sentence = str(error)
        else:
            sentence = ""
            assert isinstance(found, int) or abs(found) < float("inf")
        assert sentence.isprintable()
        assert len(sentence) < 200


names = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
phase_names = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9 ,._/+-]{0,20}[A-Za-z0-9])?", fullmatch=True)


@st.composite
def starts(draw: st.DrawFn) -> Start:
    if draw(st.booleans()):
        median_s = draw(st.floats(0.1, 86_400))
        return Start(phases=(Phase("start-up", median_s, median_s * (4 / 3)),))
    phases = []
    for name in draw(st.lists(phase_names, min_size=1, max_size=5, unique=True)):
        median_s = draw(st.floats(0.1, 80_000))
        phases.append(Phase(name, median_s, draw(st.floats(median_s, 2 * median_s))))
    return Start(phases=tuple(phases))


@st.composite
def scales(draw: st.DrawFn, start: Start) -> Scale:
    low, high = sorted(draw(st.tuples(st.integers(1, 10_000), st.integers(1, 10_000))))
    interval_s = draw(st.one_of(st.just(0.0), st.floats(0, 21_600)))
    return Scale(
        min_replicas=low,
        max_replicas=high,
        target_ratio=draw(st.floats(0.05, 1)),
        priority=draw(st.integers(-1000, 1000)),
        surge=draw(st.none() | st.builds(Surge, st.floats(0.01, 10), st.floats(1, 21_600))),
        drain_s=draw(st.floats(1, 21_600)),
        rule=real_demand(sum(phase.median_s for phase in start.phases), draw(st.floats(-0.2, 8)))._replace(
            down_window_s=draw(st.floats(0, 21_600)),
            down_interval_s=interval_s,
            down_step=1.0 if interval_s else float("inf"),
        ),
    )


@st.composite
def capacities(draw: st.DrawFn) -> Capacity:
    data_parallel = draw(st.integers(1, 1024))
    return Capacity(
        slots=draw(st.integers(1, 65_536)),
        data_parallel=data_parallel,
        accelerators=draw(st.integers(data_parallel, 16_384)),
        kv_tokens=draw(st.none() | st.integers(1, 10**12)),
        requests_per_s=draw(st.none() | st.floats(0.001, 100_000)),
    )


@st.composite
def model_fleets(draw: st.DrawFn) -> ModelFleet:
    start = draw(starts())
    return ModelFleet(
        name=draw(names),
        capacity=draw(capacities()),
        engine=draw(st.sampled_from(["vllm", "sglang"])),
        slo=Slo(over_ratio=draw(st.floats(0, 0.5))),
        scale=draw(scales(start)),
        start=start,
    )


@given(st.lists(model_fleets(), min_size=1, max_size=3, unique_by=lambda fleet: fleet.name))
def test_fleets_come_back(wanted: list[ModelFleet]) -> None:
    text = "---\n".join(document(fleet) for fleet in wanted)
    assert fleets(text, "f.yaml") == tuple(wanted)
    assert fleets(text.encode().replace(b"\n", b"\r\n"), "f.yaml") == tuple(wanted)


@given(served_fleets())
def test_fleets_with_a_server_come_back(wanted: ModelFleet) -> None:
    assert fleets(document(wanted), "f.yaml") == (wanted,)


def refused_in_one_sentence(content: str | bytes) -> None:
    try:
        sentence = f"f.yaml has {len(fleets(content, 'f.yaml'))}"
    except InputError as error:
        sentence = str(error)
    assert sentence.startswith("f.yaml")
    assert sentence.isprintable()
    assert sentence != "f.yaml has 0"


@given(st.one_of(st.text(), st.binary(), st.text("{}[]&*!|>'\"%@`#,:?- \n\tab<~=0", max_size=60)))
def test_any_text_is_refused_in_one_sentence(content: str | bytes) -> None:
    refused_in_one_sentence(content)


words = st.sampled_from(
    ["apiVersion", "kind", "metadata", "name", "spec", "capacity", "slots", "scale", "max", "start"]
)
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=9),
    st.sampled_from(["3m", "75%", "<<", "no"]),
)
trees = st.recursive(
    values,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=5), inner, max_size=5)
    ),
)


@given(trees, trees, trees)
def test_any_tree_is_refused_in_one_sentence(spec: object, capacity: object, start: object) -> None:
    refused_in_one_sentence(json.dumps(spec))
    head = {"apiVersion": "headrace.dev/v1alpha1", "kind": "ModelFleet", "metadata": {"name": "a"}}
    refused_in_one_sentence(json.dumps({**head, "spec": spec}))
    refused_in_one_sentence(
        json.dumps(
            {**head, "spec": {"capacity": capacity, "scale": {"max": 2}, "start": start}}, ensure_ascii=False
        )
    )


@given(st.integers(1, 2 * DEEPEST), st.sampled_from(["[", "{a: ", "- ", "? "]))
def test_any_depth_is_read_or_refused(levels: int, opening: str) -> None:
    closing = {"[": "]", "{a: ": "}"}.get(opening, "")
    try:
        documents(opening * levels + "x" + closing * levels, "f.yaml")
    except InputError:
        assert levels >= DEEPEST or opening == "? "
    else:
        assert levels < DEEPEST
