"""Lines of a journal are read strictly: what is wrong is one sentence with file, line, place and value."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from headrace.errors import InputError
from headrace.journal import Cut, Opening, Tick, decode, digest, encode, memory_digest, read
from headrace.memory import COLD
from headrace.snapshot import Gateway, Outlook, Replica, Sample, Snapshot, State
from headrace.spec import Capacity, ModelFleet
from headrace.verdict import Verdict

FLEET = ModelFleet(name="m", capacity=Capacity(slots=10))
OPENING = encode(Opening(FLEET, COLD))
SNAPSHOT = Snapshot(
    10.0,
    (
        Replica("a", State.READY, 0.0, Sample(3.0, 0.0)),
        Replica("b", State.READY, 0.0),
        Replica("c", State.STARTING, 5.0, schedulable=False),
    ),
    Gateway(3.0, 0.0),
    Outlook(1.0, 2.0, 3.0, float("nan")),
)
TICK = encode(Tick("m", digest(FLEET), SNAPSHOT, "0", Verdict(2, reasons=("because",))))


def test_replicas_are_rows_without_trailing_defaults() -> None:
    tree = json.loads(TICK)
    assert (tree["v"], tree["kind"], tree["fleet"], tree["snapshot"]["at_s"]) == (1, "tick", "m", 10.0)
    assert tree["snapshot"]["replicas"] == [
        ["a", "ready", 0.0, [3.0, 0.0]],
        ["b", "ready", 0.0],
        ["c", "starting", 5.0, None, False],
    ]
    assert tree["snapshot"]["outlook"] == [1.0, 2.0, 3.0, "nan"]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('"v":1', '"v":2', "has version 2; only version 1 is read here"),
        ('"v":1,', "", "has no version; only version 1 is read here"),
        ('"v":1', '"v":true', "has version true; only version 1 is read here"),
        ('"kind":"tick"', '"kind":"tock"', "kind must be opening or tick"),
        ('"want":0', '"want":0.5', "verdict.want: 0.5 is not a whole number"),
        ('"hold":false', '"hold":0', "verdict.hold: 0 is not true or false"),
        ('"want":0,', "", "verdict.want: is missing"),
        ('"want":0', '"wont":0', "verdict.wont: is not known"),
        (
            '["b","ready",0.0]',
            '["b","redy",0.0]',
            'snapshot.replicas[1].state: "redy" is none of starting, ready, draining',
        ),
        ('["b","ready",0.0]', '["b"]', "snapshot.replicas[1].state: is missing"),
        (
            '["b","ready",0.0]',
            '["b","ready",0.0,null,true,1]',
            "snapshot.replicas[1]: has 6 fields, at most 5 are known",
        ),
        ('["b","ready",0.0]', '"b"', 'snapshot.replicas[1]: "b" is not a list'),
        ('"at_s":10.0', '"at_s":"soon"', 'snapshot.at_s: "soon" is not a number'),
        ('"at_s":10.0', '"at_s":1e999', "snapshot.at_s: inf is too large for a number"),
        ('"at_s":10.0', '"at_s":true', "snapshot.at_s: true is not a number"),
        ('"reasons":["because"]', '"reasons":[1]', "verdict.reasons[0]: 1 is not a text"),
        ('"gateway":[3.0,0.0]', '"gateway":[3.0]', "snapshot.gateway.queued: is missing"),
    ],
)
def test_wrong_values(before: str, after: str, sentence: str) -> None:
    assert TICK.count(before) == 1
    with pytest.raises(InputError) as refused:
        decode(TICK.replace(before, after), "j.jsonl", 12)
    assert str(refused.value) == f"j.jsonl, line 12: {sentence}"


@pytest.mark.parametrize("line", ["", "nonsense", "[" * 100_000, '{"v":1,"at_s":NaN}', "\x00", TICK[:-1]])
def test_no_json(line: str) -> None:
    with pytest.raises(InputError, match=r"^j\.jsonl, line 3: .* is not a line of JSON$"):
        decode(line, "j.jsonl", 3)


@pytest.mark.parametrize("line", ["1", "null", '"v"', "[1]", "{}"])
def test_json_that_is_no_entry(line: str) -> None:
    with pytest.raises(InputError, match="has no version"):
        decode(line)


def test_reads_what_was_written_and_passes_empty_lines() -> None:
    entries = list(read([OPENING + "\n", "\n", TICK + "\n"]))
    assert [encode(entry) for entry in entries if not isinstance(entry, Cut)] == [OPENING, TICK]


def test_a_cut_last_line_is_noted() -> None:
    *_, last = read([OPENING, TICK, TICK[:40]])
    assert last == Cut(3)
    assert last.sentence == "line 3 was cut short, as by a crash, and is left out"


def test_a_cut_line_before_a_restart_is_noted() -> None:
    kinds = [type(entry) for entry in read([OPENING, TICK[:40], OPENING, TICK])]
    assert kinds == [Opening, Cut, Opening, Tick]


def test_a_broken_line_in_the_middle_is_refused() -> None:
    with pytest.raises(InputError, match=r"^j, line 2: is cut short, and no opening follows$"):
        list(read([OPENING, TICK[:40], TICK], "j"))


def test_a_tick_needs_its_opening() -> None:
    with pytest.raises(InputError, match=r'^j, line 1: a tick of fleet "m" stands before its opening$'):
        list(read([TICK], "j"))


def test_a_tick_needs_the_spec_of_its_opening() -> None:
    other = encode(Opening(replace(FLEET, engine="sglang"), COLD))
    with pytest.raises(
        InputError, match=r'^j, line 2: a tick of fleet "m" has another spec than its opening$'
    ):
        list(read([other, TICK], "j"))


def test_digests_follow_values() -> None:
    assert digest(FLEET) == digest(ModelFleet(name="m", capacity=Capacity(slots=10)))
    assert digest(FLEET) != digest(replace(FLEET, engine="sglang"))
    assert len(digest(FLEET)) == 16
    spoken = replace(COLD, verdict=Verdict(1, reasons=("one",)))
    assert memory_digest(spoken) == memory_digest(replace(COLD, verdict=Verdict(1, reasons=("other",))))
    assert memory_digest(spoken) != memory_digest(replace(COLD, verdict=Verdict(2, reasons=("one",))))
