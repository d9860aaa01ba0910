"""Journals from committed worlds run through today's code without a difference; another rule shows where it differs.

Where a change of behaviour or of the format is meant, ``python -m tests.decide.test_replay`` (from the root of the
checkout) writes the golden journals anew, and the diff of the verdicts belongs to the change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headrace.decide import rules, scale
from headrace.decide.replay import Difference, replay
from headrace.journal import Cut, Opening, Tick, encode, read
from headrace.simulate import seed_table
from headrace.simulate.fluid import Inputs
from headrace.simulate.inputs import Setting, inputs
from headrace.simulate.seed_day import DaySurge
from headrace.simulate.world import Mishaps, World, run
from headrace.spec import Capacity, ModelFleet, Phase, Rule, Scale, Start

DATA = Path(__file__).resolve().parents[1] / "data"
SURGE_FROM, SURGE_TO = 15 * 360 - 20, 15 * 360 + 110
"""Ticks of the built-in day around its surge, which is cut short here."""


def fleet_of(name: str, rule: Rule, setting: Setting) -> ModelFleet:
    return ModelFleet(
        name=name,
        capacity=Capacity(slots=150, accelerators=8),
        scale=Scale(min_replicas=1, max_replicas=30, drain_s=60.0, rule=rule),
        start=Start(
            phases=(
                Phase("weights", setting.startup_s - 20.0, setting.startup_s),
                Phase("engine", 20.0, 30.0),
            )
        ),
    )


def surge_world() -> World:
    """The built-in day's surge under the seed's predictive rule at 75 %, then the first removals."""
    setting = Setting(drain_s=60.0, startup_s=180.0)
    rule = rules.predictive(0.75, setting.lag_s, setting.tick_s)._replace(down_window_s=60.0)
    columns = inputs(rule, setting, seed_table.traffic(setting, DaySurge(lasts_s=500.0)))
    part = Inputs(*(column[SURGE_FROM:SURGE_TO] for column in columns))
    return World(fleet_of("surge", rule, setting), setting.timing, part)


def mishaps_world() -> World:
    """Waves under a rule with fast removal and undo: starts that hang, lost verdicts, deaths, silence, few cards."""
    setting = Setting(drain_s=60.0, startup_s=40.0, lag_s=20.0)
    rule = Rule(samples=3, headroom=0.3, down_window_s=60.0, curve_weight=0.5, floor_gain=0.5, on_curve=False)
    at = np.arange(140)
    demand = 5.0 + 3.0 * np.sin(at / 9.0) + 0.3 * np.sin(at * 1.7)
    curve = 5.0 + 2.0 * np.sin(at / 9.0)
    seen = np.concatenate([np.full(2, demand[0]), demand[:-2]])
    seen[50:54] = np.nan
    mean = np.full(len(at), 5.0)
    columns = Inputs(demand, seen, curve, curve + 1.0, curve, mean)
    mishaps = Mishaps(
        stuck=frozenset({1, 6}),
        unplaceable=frozenset({3}),
        missing=frozenset({80, 81}),
        lost=frozenset({10, 11, 40, 70, 100}),
        deaths=frozenset({30, 90}),
        schedulable=11,
    )
    return World(fleet_of("mishaps", rule, setting), setting.timing, columns, mishaps)


WORLDS: dict[str, Callable[[], World]] = {"surge": surge_world, "mishaps": mishaps_world}


def golden(name: str) -> list[Opening | Tick | Cut]:
    path = DATA / f"{name}.jsonl"
    with path.open(encoding="utf-8") as lines:
        return list(read(lines, path.name))


def with_rule(entries: list[Opening | Tick | Cut], **changes: Any) -> list[Opening | Tick | Cut]:
    """The journal, as if it had been another rule's."""
    opening = entries[0]
    assert isinstance(opening, Opening)
    rule = opening.fleet.scale.rule._replace(**changes)
    fleet = replace(opening.fleet, scale=replace(opening.fleet.scale, rule=rule))
    return [replace(opening, fleet=fleet), *entries[1:]]


@pytest.mark.parametrize("name", WORLDS)
def test_golden_journals_replay_without_a_difference(name: str) -> None:
    entries = golden(name)
    assert 100 < len(entries) <= 200
    assert list(replay(entries)) == []


@pytest.mark.parametrize("name", WORLDS)
def test_golden_journals_are_what_the_world_writes(name: str) -> None:
    written = run(WORLDS[name](), is_journaled=True).journal
    assert written[0] == golden(name)[0]
    counts = [[len(e.snapshot.replicas) for e in es if isinstance(e, Tick)] for es in (written, golden(name))]
    assert counts[0] == counts[1]


def test_golden_journals_hold_what_they_are_for() -> None:
    ticks = [entry for entry in golden("mishaps") if isinstance(entry, Tick)]
    said = [sentence for tick in ticks for sentence in (*tick.verdict.reasons, *tick.verdict.alarms)]
    for what in ("to start", "given up", "to drain", "taken back", "unknown", "may take", "can't be placed"):
        assert any(what in sentence for sentence in said), what
    assert any(tick.verdict.hold for tick in ticks[1:])
    said = [reason for tick in golden("surge") if isinstance(tick, Tick) for reason in tick.verdict.reasons]
    assert any("the next removal is allowed in" in reason for reason in said)


@pytest.mark.parametrize("name", WORLDS)
def test_another_rule_shows_differences(name: str) -> None:
    entries = golden(name)
    differences = list(replay(with_rule(entries, headroom=1.0)))
    assert {difference.field for difference in differences} >= {"want", "replicas"}
    first = next(difference for difference in differences if difference.field == "want")
    assert int(str(first.would_be)) > int(str(first.was))


def test_a_mutated_line_of_the_rule_shows_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "settled", lambda wanted, have, tolerance: float(np.floor(wanted)))
    differences = list(replay(golden("surge")))
    assert any(difference.field == "replicas" for difference in differences)


def test_what_is_only_remembered_differently_is_said_once() -> None:
    """A rule that averages fewer samples remembers something else, at once and for as long as it lives."""
    entries = golden("mishaps")
    differences = list(replay(with_rule(entries, samples=2)))
    assert differences[0].field == "memory"
    assert differences[0].was != differences[0].would_be
    assert sum(difference.field == "memory" for difference in differences) < 5


def test_texts_count_where_asked() -> None:
    entries = golden("surge")
    tick = entries[5]
    assert isinstance(tick, Tick)
    entries[5] = replace(tick, verdict=replace(tick.verdict, reasons=("because",)))
    assert list(replay(entries)) == []
    (found,) = replay(entries, texts=True)
    expected = Difference("surge", tick.snapshot.at_s, "reasons", ("because",), tick.verdict.reasons)
    assert found == expected


def test_an_opening_begins_anew() -> None:
    """After a restart the memory is the opening's, not what was remembered before."""
    entries = golden("surge")
    assert list(replay([*entries, *entries])) == []


def write_golden() -> None:
    """Writes the golden journals anew."""
    DATA.mkdir(exist_ok=True)
    for name, world in WORLDS.items():
        lines = [encode(entry) for entry in run(world(), is_journaled=True).journal]
        (DATA / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_golden()
