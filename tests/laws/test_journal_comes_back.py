"""What is written into a journal is what is read from it: decode(encode(x)) == x, NaN and infinity included."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import InputError
from headrace.journal import Opening, Tick, decode, digest, encode, read
from headrace.memory import DemandMemory, Held, Memory, PastWant
from headrace.snapshot import Gateway, Outlook, Replica, Sample, Snapshot, State
from headrace.spec import Capacity, ModelFleet, Phase, Rule, Scale, Slo, Start, Surge
from headrace.verdict import Verdict

floats = st.floats()
texts = st.text(max_size=12)
counts = st.integers(0, 10**6)
optional = st.none() | floats
names = st.lists(texts, max_size=4).map(tuple)

verdicts = st.builds(Verdict, counts, names, names, st.booleans(), counts, names, names)
samples = st.builds(Sample, floats, floats, floats, optional)
replicas = st.builds(Replica, texts, st.sampled_from(State), floats, st.none() | samples, st.booleans())
snapshots = st.builds(
    Snapshot,
    floats,
    st.lists(replicas, max_size=4).map(tuple),
    st.none() | st.builds(Gateway, floats, floats),
    st.none() | st.builds(Outlook, floats, floats, floats, floats),
    st.none() | counts,
)
kinds = {float: floats, int: counts, bool: st.booleans()}
rules = st.builds(Rule, **{name: kinds[kind] for name, kind in get_type_hints(Rule).items()})
fleets = st.builds(
    ModelFleet,
    name=texts,
    engine=texts,
    capacity=st.builds(
        Capacity, slots=counts, data_parallel=counts, kv_tokens=st.none() | counts, requests_per_s=optional
    ),
    slo=st.builds(Slo, over_ratio=floats),
    scale=st.builds(
        Scale, surge=st.none() | st.builds(Surge, floats, floats), rule=rules, target_ratio=floats
    ),
    start=st.builds(Start, phases=st.lists(st.builds(Phase, texts, floats, floats), max_size=3).map(tuple)),
)
memories = st.builds(
    Memory,
    optional,
    optional,
    st.lists(floats, max_size=4).map(tuple),
    floats,
    st.lists(st.builds(PastWant, floats, floats), max_size=4).map(tuple),
    optional,
    st.booleans(),
    st.builds(
        DemandMemory, optional, optional, optional, optional, counts, st.builds(Held, optional, optional)
    ),
    st.none() | verdicts,
)
entries = st.builds(Opening, fleets, memories) | st.builds(Tick, texts, texts, snapshots, texts, verdicts)


def same(one: object, other: object) -> bool:
    """Equal in type and value, where NaN equals NaN and 0.0 is not -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return one.hex() == other.hex() if math.isfinite(one) else str(one) == str(other)
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return one == other


@given(entries)
def test_comes_back(entry: Opening | Tick) -> None:
    line = encode(entry)
    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert same(decode(line), entry)
    assert encode(decode(line + "\n")) == line
    json.loads(line, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))


@given(entries, st.data())
def test_a_line_cut_anywhere_is_noted_at_the_end_and_refused_before_a_tick(
    entry: Opening | Tick, data: st.DataObject
) -> None:
    line = encode(entry)
    cut = line[: data.draw(st.integers(1, len(line) - 1))]
    (found,) = read([cut])
    assert found == (1,)
    fleet = ModelFleet(name="m", capacity=Capacity(slots=1))
    good = encode(Opening(fleet, Memory()))
    tick = encode(Tick("m", digest(fleet), Snapshot(0.0), "", Verdict(1)))
    assert [type(e).__name__ for e in read([good, cut, good, tick])] == ["Opening", "Cut", "Opening", "Tick"]
    with pytest.raises(InputError, match="line 2"):
        list(read([good, cut, tick]))


TREES = st.recursive(
    st.none() | st.booleans() | floats.filter(math.isfinite) | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(entries, st.data())
def test_anything_else_is_refused_in_one_sentence(entry: Opening | Tick, data: st.DataObject) -> None:
    tree = json.loads(encode(entry))
    at, name = tree, data.draw(st.sampled_from(sorted(tree)))
    while isinstance(at[name], dict) and at[name] and data.draw(st.booleans()):
        at = at[name]
        name = data.draw(st.sampled_from(sorted(at)))
    at[name] = data.draw(TREES)
    sentence = ""
    try:
        decode(json.dumps(tree), "j.jsonl", 7)
    except InputError as refused:
        sentence = str(refused)
    assert sentence == "" or sentence.startswith("j.jsonl, line 7: ")
    assert "\n" not in sentence
