"""What the tests of plans plan for: a fleet of the seed's kind on four days or more of a wave with unrest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace.decide import rules
from headrace.occupancy import Occupancy
from headrace.past import Past
from headrace.plan.ask import Ask
from headrace.plan.outcome import Outcome, Run
from headrace.series import Series
from headrace.simulate.runner import Runner
from headrace.spec import Capacity, ModelFleet, Phase, Scale, Slo, Start, Surge

DAY_S, STEP_S = 86_400.0, 300.0
OF_DAY = 288
MONDAY_S = 1_704_067_200.0
"""1 January 2024, 0:00 UTC."""


def demand(days: float, *, mean: float = 600.0, seed: int = 1, start_s: float = MONDAY_S) -> Series:
    """Slots: up and down by half each day, a tenth up and down from one step to the next."""
    steps = round(days * OF_DAY)
    unrest = np.random.default_rng(seed).uniform(-0.1, 0.1, steps)
    course = 1.0 - 0.5 * np.cos(np.arange(steps) * 2.0 * np.pi / OF_DAY)
    return Series(start_s, STEP_S, np.round(mean * (course + unrest), 3), "slots")


def fleet(
    *,
    slots: int = 64,
    over_ratio: float = 0.01,
    startup_s: float = 300.0,
    surge: Surge | None = None,
    least: int = 1,
    requests_per_s: float | None = None,
    target_ratio: float = 1.0,
) -> ModelFleet:
    """A fleet that decides every five minutes."""
    return ModelFleet(
        name="chat",
        capacity=Capacity(slots=slots, requests_per_s=requests_per_s),
        slo=Slo(over_ratio=over_ratio),
        scale=Scale(
            min_replicas=least,
            target_ratio=target_ratio,
            surge=surge,
            tick_s=STEP_S,
            rule=rules.real_demand(startup_s),
        ),
        start=Start(phases=(Phase("start-up", startup_s, 1.3 * startup_s),)),
    )


def ask(history: Series, known: ModelFleet | None = None, **more: Any) -> Ask:
    """One model; of `more` what belongs to its past goes there, the rest to the ask."""
    of_past = {name: more.pop(name) for name in tuple(more) if name in Past.__dataclass_fields__}
    return Ask(Past("chat", history, **of_past), history, known or fleet(), **more)


def occupancy(
    running: NDArray[np.float64],
    waiting: NDArray[np.float64],
    replicas: float = 4.0,
    usage: NDArray[np.float64] | None = None,
) -> Occupancy:
    """A sample a minute."""
    at_s = MONDAY_S + 60.0 * np.arange(len(running), dtype=np.float64)
    return Occupancy(at_s, running, waiting, np.full(len(running), replicas), 60.0, usage)


def run_of(**figures: Any) -> Run:
    """An outcome that says what is asked, and little else."""
    plain = Outcome("proposed", 7.0, 0.0, 0.0, 0.0, 100.0, 1.0, 0.0, 3.0)
    return Run(plain._replace(**figures), np.zeros((3, 1)))


def runner() -> Runner:
    """Small jobs are interpreted: compiling would take longer than all of the tests."""
    return Runner(interpret=True)
