"""The rule for a known curve against a surge at any moment: minutes over, GPU-hours; the seed's rule and bounds beside.

The rule is `decide.rules.known_curve` told to survive +35 % in 300 s; nothing is chosen here. The surge comes to the
built-in day at 15:00, at each of the 24 whole hours and at 48 random moments of each of three seeds. Removals are as
they are run: at most down to the greatest want of ten minutes, one replica per two minutes.

Run: ``python benchmarks/known_curve.py``.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from headrace.decide import rules
from headrace.decide.headroom import start_delay_s
from headrace.simulate import seed_day, seed_table
from headrace.simulate.inputs import DAY_S, Setting
from headrace.simulate.runner import Runner
from headrace.simulate.score import Score
from headrace.spec import Rule

WORDS = ("amber", "birch", "cedar")
"""Written down before anything was measured with them; a seed is the hash of its word."""
MOMENTS_PER_SEED = 48
STARTUPS_S = (seed_table.WARM_S, seed_table.WAKE_S, seed_table.COLD_S)
DRAIN_S = 300.0
SEED_TARGET = 0.75


class Survived(NamedTuple):
    """One rule at one start-up time."""

    minutes_at_15: float
    """Minutes over with the surge at 15:00."""
    minutes_at_hours: float
    """Minutes over in all, with the surge at each of the 24 whole hours in turn."""
    minutes_at_random: float
    """The same, at all random moments."""
    gpu_hours: float
    """Of the day with the surge at 15:00, nothing paid for drains."""
    drained_gpu_hours: float
    """The same, with 300 s paid for each removed replica."""


def seed_of(word: str) -> int:
    """The seed that a word stands for: the first four bytes of its SHA-256, as a big-endian number."""
    return int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")


def random_moments_s(word: str) -> list[float]:
    """48 moments of the day, uniform, seconds after midnight."""
    drawn = np.random.default_rng(seed_of(word)).uniform(0.0, DAY_S, MOMENTS_PER_SEED)
    return [float(at_s) for at_s in drawn]


def known_rule(setting: Setting) -> Rule:
    """The rule that is judged, as the code has it."""
    delay_s = start_delay_s(setting.lag_s, setting.startup_s, setting.tick_s)
    return rules.known_curve(seed_table.NAMED_SURGE, delay_s)


def seed_rule(setting: Setting) -> Rule:
    """The seed's predictive rule at its 75 % target."""
    return rules.predictive(SEED_TARGET, setting.lag_s, setting.tick_s)


def scored(runner: Runner, rule: Rule, setting: Setting, at_s: float) -> Score:
    """One day with the surge at a moment."""
    day = seed_table.traffic(setting, seed_day.SEED_SURGE._replace(at_s=at_s))
    return seed_table.run_entry(runner, seed_table.Entry("", rule, setting), day)


def survived(runner: Runner, rule: Rule, setting: Setting) -> Survived:
    """A rule under the surge at all moments; whom it fails does not depend on whether drains are paid."""

    def minutes(moments_s: list[float]) -> float:
        return sum(scored(runner, rule, setting, at_s).minutes_over for at_s in moments_s)

    at_15 = seed_day.SEED_SURGE.at_s
    plain = scored(runner, rule, setting._replace(drain_s=0.0), at_15)
    drained = scored(runner, rule, setting._replace(drain_s=DRAIN_S), at_15)
    return Survived(
        plain.minutes_over,
        minutes([hour * 3_600.0 for hour in range(24)]),
        minutes([at_s for word in WORDS for at_s in random_moments_s(word)]),
        plain.gpu_hours,
        drained.gpu_hours,
    )


def print_rule(name: str, found: Survived) -> None:
    """One line of the table."""
    over = f"{found.minutes_at_15:8.3f} {found.minutes_at_hours:9.3f} {found.minutes_at_random:10.3f}"
    print(f"  {name:<34} {over} {found.gpu_hours:12,.3f} {found.drained_gpu_hours:12,.3f}")


def main() -> None:
    """Measure and print."""
    runner = Runner()
    seeds = ", ".join(f"{word} = {seed_of(word)}" for word in WORDS)
    print(f"Random moments: {MOMENTS_PER_SEED} of each seed ({seeds})")
    print(f"  {'':<34} {'minutes over with the surge at':>29} {'GPU-hours':>12} {'with 300 s':>12}")
    print(f"  {'':<34} {'15:00':>8} {'24 hours':>9} {'144 random':>10} {'':>12} {'of drain':>12}")
    for startup_s in STARTUPS_S:
        setting = Setting(startup_s=startup_s)
        print(f"{startup_s:.0f} s of start-up")
        print_rule("known curve, +35 %/5 min named", survived(runner, known_rule(setting), setting))
        print_rule("the seed's rule at 75 %", survived(runner, seed_rule(setting), setting))
        limits = [
            seed_table.bounds(setting._replace(drain_s=drain_s), seed_table.traffic(setting))
            for drain_s in (0.0, DRAIN_S)
        ]
        for plain, drained in zip(*limits, strict=True):
            print_rule(plain.policy, Survived(0.0, 0.0, 0.0, plain.gpu_hours, drained.gpu_hours))


if __name__ == "__main__":
    main()
