"""`headrace replay`: exit 0 and a sentence where nothing differs, exit 1 and what differs where something does."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headrace.cli import replayed
from headrace.config import fleets
from headrace.decide.step import step
from headrace.journal import Opening, Tick, digest, encode, memory_digest
from headrace.memory import COLD
from headrace.snapshot import Replica, Sample, Snapshot, State
from headrace.spec import ModelFleet

FLEET = fleets(
    "apiVersion: headrace.dev/v1alpha1\nkind: ModelFleet\nmetadata: {name: chat}\n"
    "spec: {capacity: {slots: 8}, scale: {max: 40}}",
    "fleet",
)[0]
START_S = 1_700_000_000.0


def entries(ticks: int = 20) -> list[Opening | Tick]:
    """What a controller would have written while demand rises."""
    memory = COLD
    written: list[Opening | Tick] = [Opening(FLEET, memory)]
    for tick in range(ticks):
        at_s = START_S + 10.0 * tick
        ready = tuple(
            Replica(f"chat-{n}", State.READY, START_S - 600, Sample(min(8.0, 2.0 + tick), 0.0))
            for n in range(3)
        )
        snapshot = Snapshot(at_s, ready, schedulable=40)
        memory, verdict = step(FLEET, memory, snapshot)
        written.append(Tick(FLEET.name, digest(FLEET), snapshot, memory_digest(memory), verdict))
    return written


@pytest.fixture
def journal(tmp_path: Path) -> Callable[..., Path]:
    def written(of: list[Opening | Tick], end: str = "") -> Path:
        path = tmp_path / "chat.jsonl"
        path.write_text("".join(encode(entry) + "\n" for entry in of) + end)
        return path

    return written


def changed(of: list[Opening | Tick], at: int, **fields: Any) -> list[Opening | Tick]:
    tick = of[at]
    assert isinstance(tick, Tick)
    return [*of[:at], replace(tick, verdict=replace(tick.verdict, **fields)), *of[at + 1 :]]


def test_what_was_decided_is_decided_again(run: Callable[..., Any], journal: Callable[..., Path]) -> None:
    ended = run("replay", journal(entries()))
    assert ended == (0, "20 decisions of 1 fleet replayed: today's code decides all of them the same.\n", "")


def test_what_would_differ_is_shown_and_exits_1(
    run: Callable[..., Any], journal: Callable[..., Path]
) -> None:
    other = changed(entries(), 5, replicas=17)
    ended = run("replay", journal(other))
    assert ended.code == 1
    lines = ended.out.splitlines()
    assert lines[0].split() == ["fleet", "at", "field", "was", "would", "be"]
    assert lines[1].split()[:4] == ["chat", "2023-11-14T22:14:00Z", "replicas", "17"]
    assert lines[-1] == "20 decisions of 1 fleet replayed: 1 would be another with today's code."


def test_json_has_all_of_it(run: Callable[..., Any], journal: Callable[..., Path]) -> None:
    other = changed(changed(entries(), 5, replicas=17), 6, drain=("chat-1",))
    ended = run("replay", journal(other), "--json")
    assert ended.code == 1
    found = json.loads(ended.out)
    assert found["ticks"] == 20
    assert [(d["fleet"], d["at_s"], d["field"], d["was"]) for d in found["differences"]] == [
        ("chat", START_S + 40.0, "replicas", 17),
        ("chat", START_S + 50.0, "drain", ["chat-1"]),
    ]


def test_another_wording_counts_only_if_asked(run: Callable[..., Any], journal: Callable[..., Path]) -> None:
    path = journal(changed(entries(), 5, reasons=("because",)))
    assert run("replay", path, "--quiet") == (0, "", "")
    ended = run("replay", path, "--texts")
    assert ended.code == 1
    assert "because" in ended.out


def test_the_rest_is_counted(run: Callable[..., Any], journal: Callable[..., Path]) -> None:
    other = entries(60)
    for at in range(1, 61):
        other = changed(other, at, replicas=39)
    path = journal(other)
    assert "… and 20 more (--all shows them" in run("replay", path).out
    assert "more" not in run("replay", path, "--all").out


def test_a_line_that_a_crash_cut_short_is_said(run: Callable[..., Any], journal: Callable[..., Path]) -> None:
    ended = run("replay", journal(entries(), '{"v": 1, "kind": "tick", "fle'))
    assert ended.code == 0
    assert ended.out.startswith("Line 22 was cut short")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "chat.jsonl: holds no decision"),
        (b"\xff\xfe\x00", "chat.jsonl, line 1: is not a journal; it is not text in UTF-8"),
        (b'{"v": 99}\n', "chat.jsonl, line 1: has version 99"),
        (b"ts,rps\n1,2\n{}\n", "chat.jsonl, line"),
    ],
)
def test_what_is_no_journal(run: Callable[..., Any], tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(content)
    ended = run("replay", path)
    assert ended.code == 2
    assert ended.out == ""
    assert words in ended.err
    assert ended.err.count("\n") == 1


def test_a_missing_journal(run: Callable[..., Any], tmp_path: Path) -> None:
    assert run("replay", tmp_path / "none").err == f"error: {tmp_path / 'none'}: there is no such file\n"


def spec_of(fleet: ModelFleet) -> list[Opening | Tick]:
    """The journal of a fleet whose file no reader would have taken."""
    opening, *ticks = entries()
    assert isinstance(opening, Opening)
    written: list[Opening | Tick] = [replace(opening, fleet=fleet)]
    return written + [replace(tick, spec=digest(fleet)) for tick in ticks if isinstance(tick, Tick)]


@pytest.mark.parametrize(
    "scale",
    [
        {"tick_s": 0.0},
        {"target_ratio": 0.0},
        {"max_replicas": 10**400},
        {"rule": FLEET.scale.rule._replace(exponent=1e308)},
    ],
    ids=["no tick", "no target", "no float", "overflow"],
)
def test_numbers_that_nothing_can_be_decided_with(
    run: Callable[..., Any], journal: Callable[..., Path], scale: dict[str, Any]
) -> None:
    path = journal(spec_of(replace(FLEET, scale=replace(FLEET.scale, **scale))))
    ended = run("replay", path)
    assert (ended.code, ended.out) == (2, "")
    assert "has numbers that nothing can be decided with" in ended.err
    assert ", line 2, or the opening before it: " in ended.err


@pytest.mark.parametrize("at_s", [math.nan, math.inf])
def test_json_has_no_nan(run: Callable[..., Any], journal: Callable[..., Path], at_s: float) -> None:
    opening, first, *others = entries()
    assert isinstance(first, Tick)
    path = journal([opening, replace(first, snapshot=replace(first.snapshot, at_s=at_s)), *others])
    ended = run("replay", path, "--json")
    assert ended.code == 1
    assert json.loads(ended.out, parse_constant=pytest.fail)["differences"][0]["at_s"] is None


def test_texts_of_a_journal_give_no_commands_to_the_terminal(
    run: Callable[..., Any], journal: Callable[..., Path]
) -> None:
    ended = run("replay", journal(changed(entries(), 5, reasons=("\x1b[31mred\n",))), "--texts")
    assert ended.code == 1
    assert "\x1b" not in ended.out
    assert "\\x1b[31mred" in ended.out


def test_a_file_without_line_ends_is_not_read_whole(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replayed, "LONGEST_LINE_BYTES", 2**20)
    path = tmp_path / "chat.jsonl"
    with path.open("wb") as file:
        file.truncate(2**32)  # sparse: four gigabytes that would not fit
    ended = run("replay", path)
    assert ended.code == 2
    assert "line 1: longer than 1 MiB, the most that is read" in ended.err


def test_a_byte_order_mark_does_not_matter(run: Callable[..., Any], journal: Callable[..., Path]) -> None:
    path = journal(entries())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert run("replay", path, "--quiet") == (0, "", "")
