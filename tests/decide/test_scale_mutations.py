"""A changed line of `decide/scale.py` changes what is simulated: the simulator has no rule of its own.

Each mutation is an edit of the source's text. The mutated text becomes a module of its own, the fluid loop's text
another one beside it that refers to it; the tree is never touched. An edit also changes the key of kernels.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from headrace.decide import rules, scale
from headrace.decide.headroom import start_delay_s
from headrace.simulate import compiled, fluid, seed_table
from headrace.simulate.inputs import Setting, Traffic, inputs
from headrace.spec import Rule

SETTING = Setting()
DRAINED = SETTING._replace(drain_s=300.0)
DAY = seed_table.traffic(SETTING)

MUTATIONS = {
    "power: the root forgotten": ("return math.sqrt(base)", "return base"),
    "power: the zeroth power is the first": ("return 1.0", "return base"),
    "level: not softened": ("seen / power(at_seen + soft, weight)", "seen / power(at_seen, weight)"),
    "level: curve left out": ("return seen / power(at_seen + soft, weight)", "return seen"),
    "average: one sample more": ("last - samples + 1)", "last - samples)"),
    "carried: not at all": ("return mean + further", "return mean"),
    "carried: no ceiling": ("if mean + further > most:", "if False:"),
    "carried: the ceiling for what is seen": ("return most if most > mean else mean", "return most"),
    "ceiling: none": ("return gain * power(peak_soft, 1.0 - weight)", "return math.inf"),
    "ceiling: the curve twice": ("power(peak_soft, 1.0 - weight)", "power(peak_soft, weight)"),
    "rise: falls, not rises": ("if levels[last] > levels[first]", "if levels[last] < levels[first]"),
    "rise: the flattest": ("max(steepest, risen *", "min(steepest, risen *"),
    "rise: noise is a rise": ("if risen > noise * base", "if risen > 0.0 * base"),
    "rise: noise of the newer ones alone": ("1.0 / before + 1.0 / since", "1.0 / since"),
    "rise: a step, not a line": ("* 2.0 / (since + 1)", "/ since"),
    "rise: the newest left out": ("for at in range(first, last + 1):", "for at in range(first, last):"),
    "average: the sum": ("return total / (last - since + 1)", "return total"),
    "forward: the peak not softened": ("power(peak + soft, weight)", "power(peak, weight)"),
    "with_headroom: dropped": ("return ahead + headroom *", "return ahead + 0.0 *"),
    "with_headroom: exponents swapped": ("power(mean, 1.0 - exponent)", "power(mean, exponent)"),
    "floor: not shaped": ("return peak + (gain - 1.0) * spread(peak, exponent, mean)", "return gain * peak"),
    "floor: the gain and one more": ("(gain - 1.0)", "gain"),
    "floored: the smaller": ("wanted >= floor", "wanted <= floor"),
    "settled: rounded down": ("np.ceil(wanted)", "np.floor(wanted)"),
    "settled: no tolerance": ("near = tolerance * have", "near = 0.0 * have"),
    "held: what is missing is low": (
        "return want if want > have else have",
        "return want if want < have else have",
    ),
    "limited: no least": ("want = least if want < least else want", "want = want"),
    "limited: no most": ("return most if want > most else want", "return want"),
    "undone: all drains": ("return short if short < draining", "return short if short > draining"),
    "undone: asked or not": ("if not undo:", "if undo:"),
    "first_free_s: never free": ("return NEVER_S if low_timer else -NEVER_S", "return NEVER_S"),
    "rested_s: the timer goes on": ("return NEVER_S if low_timer else free_s", "return free_s"),
    "waited_s: half the window": ("return at_s + window_s", "return at_s + 0.5 * window_s"),
    "cancelled: ready ones first": ("return less if less < starting else starting", "return 0.0"),
    "decides: at every tick": ("> np.floor(before_s", ">= np.floor(before_s"),
}


def module_of(name: str, source: str) -> ModuleType:
    module = ModuleType(name)
    exec(compile(source, name, "exec"), vars(module))
    return module


def text_of(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def simulator(scale_source: str) -> Callable[..., Any]:
    """The fluid loop over this source of `decide.scale`."""
    loop = module_of("fluid_apart", text_of(fluid))
    vars(loop)["scale"] = module_of("scale_apart", scale_source)
    run: Callable[..., Any] = loop.run
    return run


def cases() -> list[tuple[str, Any, Setting, Traffic]]:
    """The seed day by every kind of rule; one day has a gap, one fleet limits, one a noisy demand."""
    listed = [(e.name, e.rule, e.setting, DAY) for e in seed_table.seed_entries(SETTING, DAY)[2:]]
    delay_s = start_delay_s(SETTING.lag_s, SETTING.startup_s, SETTING.tick_s)
    default = rules.real_demand(SETTING.startup_s)
    gap = DAY.demand.copy()
    gap[4_000:4_300] = np.nan
    noise = 1.0 + 0.08 * np.random.default_rng(7).standard_normal(len(gap))
    day = DAY._replace(demand=gap * noise)
    held = DRAINED._replace(least=12, most=24)
    own = Rule(floor_gain=0.8, curve_weight=0.5, samples=3, headroom=0.9, exponent=0.5, on_curve=False)
    listed.append(("known curve", rules.known_curve(seed_table.NAMED_SURGE, delay_s), DRAINED, DAY))
    rising = Rule(samples=5, slope_gain=0.9, noise=0.05, ceiling_gain=1.5, headroom=0.1, curve_softening=0.0)
    listed.append(("noise, ceiling", rising, DRAINED, day))
    listed.append(
        ("low ceiling, half a curve", rising._replace(ceiling_gain=1.02, curve_weight=0.5), DRAINED, day)
    )
    shaped = rising._replace(floor_gain=1.3, floor_exponent=0.7)
    listed.append(("shaped floor", shaped, DRAINED, DAY))
    listed.append(("hpa", rules.hpa(0.75), DRAINED, DAY))
    listed.append(("default", default, DRAINED, DAY))
    listed.append(("default, limits", default, held, DAY))
    listed.append(("floor, gap, noise", own._replace(down_window_s=30.0), DRAINED, day))
    listed.append(("the same at all times", own._replace(exponent=0.0), DRAINED, DAY))
    listed.append(("quarter power", own._replace(exponent=0.25), DRAINED, DAY))
    return listed


CASES = cases()


def table(run: Callable[..., Any]) -> dict[str, tuple[float, ...]]:
    """Figures by policy."""
    figures = {}
    for name, rule, setting, traffic in CASES:
        timing, ticks = setting.timing, len(traffic.demand)
        lists = fluid.Inputs(*(np.asarray(column).tolist() for column in inputs(rule, setting, traffic)))
        size = ticks + max(timing.start_ticks, timing.drain_ticks)
        scratch = [[0.0] * count for count in (ticks, ticks, size, size)]
        least, most = float(setting.least), float(setting.most)
        figures[name] = tuple(run(rule, timing, lists, least, most, *scratch, np.zeros((3, 0))))
    return figures


@pytest.fixture(scope="module")
def unmutated() -> dict[str, tuple[float, ...]]:
    return table(simulator(text_of(scale)))


def test_the_copies_are_the_originals(unmutated: dict[str, tuple[float, ...]]) -> None:
    assert unmutated == table(fluid.run)


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_changes_the_table(name: str, unmutated: dict[str, tuple[float, ...]]) -> None:
    before, after = MUTATIONS[name]
    source = text_of(scale)
    assert source.count(before) == 1, (
        f"{before!r} stands {source.count(before)} times in scale.py; name one place"
    )
    try:
        mutated = table(simulator(source.replace(before, after)))
    except (ArithmeticError, ValueError, IndexError):
        return  # not even a table is left
    assert mutated != unmutated


def test_a_changed_byte_changes_the_key_of_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="kernels are compiled by numba, which is not installed")
    key = compiled.source_key.__wrapped__
    copies = []
    for module in compiled.SOURCES:
        copy = tmp_path / f"{module.__name__}.py"
        shutil.copyfile(str(module.__file__), copy)
        copies.append(SimpleNamespace(__file__=str(copy)))
    original = key()
    monkeypatch.setattr(compiled, "SOURCES", tuple(copies))
    assert key() == original
    for copied in copies:
        path = Path(copied.__file__)
        text = path.read_bytes()
        path.write_bytes(text[:-2] + b" " + text[-1:])
        assert key() != original, f"an edit of {path.name} would be answered by a stale kernel"
        path.write_bytes(text)
    assert key() == original


def test_all_of_the_rule_is_what_is_compiled() -> None:
    assert {scale, fluid} <= set(compiled.SOURCES)
