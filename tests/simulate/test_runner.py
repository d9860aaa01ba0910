"""The runner: the same figures however it runs, whatever ran before, and compiled only where that is worth it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headrace.decide import rules
from headrace.simulate import compiled, fluid
from headrace.simulate.fluid import Inputs, Tally
from headrace.simulate.inputs import Setting, inputs, past_curve
from headrace.simulate.runner import WORTH_COMPILING_TICKS, Runner

SETTING = Setting(startup_s=30.0, lag_s=10.0, per_replica=1.0, accelerators=1)
RULE = rules.hpa(0.8)


def made(setting: Setting, ticks: int = 200) -> Inputs:
    demand = 6.0 + 5.0 * np.sin(np.arange(ticks) / 7.0)
    return inputs(RULE, setting, past_curve(demand, setting))


@pytest.fixture
def kernel_calls(monkeypatch: pytest.MonkeyPatch) -> list[Path | None]:
    """The caches that a kernel was asked of; what answers is the interpreted loop, called as a kernel is."""
    calls: list[Path | None] = []

    def run(cache: Path | None) -> object:
        calls.append(cache)
        return lambda *arguments: fluid.run(*arguments)

    monkeypatch.setattr(compiled, "run", run)
    monkeypatch.setattr(compiled, "available", lambda: True)
    monkeypatch.setattr(compiled, "is_kept", lambda cache: False)
    return calls


def test_a_kernel_is_compiled_only_once_that_is_worth_it(
    kernel_calls: list[Path | None], tmp_path: Path
) -> None:
    runner = Runner(tmp_path)
    assert runner.worth_compiling_ticks == WORTH_COMPILING_TICKS
    runner.worth_compiling_ticks = 500
    tallies = [runner.tally(RULE, SETTING, made(SETTING)) for _ in range(4)]
    assert kernel_calls == [tmp_path, tmp_path]  # of 200, 400, 600 and 800 ticks
    assert tallies == [tallies[0]] * 4


def test_a_kept_kernel_is_used_at_once(
    kernel_calls: list[Path | None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiled, "is_kept", lambda cache: cache == tmp_path)
    Runner(tmp_path).tally(RULE, SETTING, made(SETTING))
    assert kernel_calls == [tmp_path]
    Runner(tmp_path, interpret=True).tally(RULE, SETTING, made(SETTING))
    assert kernel_calls == [tmp_path]


def test_what_ran_before_leaves_nothing_behind(kernel_calls: list[Path | None]) -> None:
    """A longer drain, a longer history and a shorter one after each other, on one scratch."""
    shared = Runner(None)
    shared.worth_compiling_ticks = 0
    for drain_s, ticks in ((0.0, 100), (300.0, 100), (300.0, 240), (40.0, 60)):
        setting = SETTING._replace(drain_s=drain_s)
        alone = Runner(interpret=True).traced(RULE, setting, made(setting, ticks))
        tally, trace = shared.traced(RULE, setting, made(setting, ticks))
        assert tally == alone[0]
        np.testing.assert_array_equal(trace, alone[1])
    assert len(kernel_calls) == 4


@pytest.mark.parametrize("interpret", [True, False], ids=["interpreted", "as a kernel"])
def test_the_least_wins_over_the_most(kernel_calls: list[Path | None], *, interpret: bool) -> None:
    runner = Runner(None, interpret=interpret)
    runner.worth_compiling_ticks = 0
    tally = runner.tally(RULE, SETTING._replace(least=12, most=3), made(SETTING))
    assert tally == Tally(0.0, 0.0, 12.0 * 200, 0.0)
    assert bool(kernel_calls) != interpret
