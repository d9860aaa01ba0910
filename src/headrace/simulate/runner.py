"""Runs rules through histories, compiled where numba is installed and worth its start, interpreted otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from headrace.simulate import compiled, fluid
from headrace.simulate.fluid import Floats, Inputs, Tally
from headrace.simulate.inputs import Setting
from headrace.spec import Rule

WORTH_COMPILING_TICKS = 400_000
"""Interpreted ticks that take about as long as compiling the kernel does, where no compiled one is kept."""


class Runner:
    """Keeps the kernel and its scratch arrays from one run to the next.

    Args:
        cache: Folder of compiled kernels; None: they are not kept.
        interpret: True: never compile.
    """

    def __init__(self, cache: Path | None = None, *, interpret: bool = False) -> None:
        self.cache = cache
        self.is_compiled = not interpret and compiled.available()
        self.worth_compiling_ticks = WORTH_COMPILING_TICKS
        self._ticks = 0
        self._scratch = np.empty((4, 0))

    def tally(self, rule: Rule, setting: Setting, inputs: Inputs) -> Tally:
        """What a run comes to."""
        return self._run(rule, setting, inputs, np.zeros((3, 0)))

    def traced(self, rule: Rule, setting: Setting, inputs: Inputs) -> tuple[Tally, Floats]:
        """What a run comes to, and its replicas: ready, starting, draining, shape [3, ticks]."""
        trace = np.zeros((3, len(inputs.demand)))
        return self._run(rule, setting, inputs, trace), trace

    def _kernel(self, ticks: int) -> Callable[..., tuple[float, float, float, float]]:
        self._ticks += ticks
        if not self.is_compiled:
            return fluid.run
        if not compiled.is_kept(self.cache) and self._ticks < self.worth_compiling_ticks:
            return fluid.run
        return compiled.run(self.cache)

    def _run(self, rule: Rule, setting: Setting, inputs: Inputs, trace: Floats) -> Tally:
        timing, ticks = setting.timing, len(inputs.demand)
        kernel = self._kernel(ticks)
        most = max(setting.least, setting.most)
        if kernel is fluid.run:
            return _interpreted(rule, setting, inputs, trace)
        size = ticks + max(timing.start_ticks, timing.drain_ticks)
        if self._scratch.shape[1] < size:
            self._scratch = np.zeros((4, size))
        wanted, wants, arriving, leaving = self._scratch
        return Tally(
            *kernel(
                rule,
                timing,
                inputs,
                float(setting.least),
                float(most),
                wanted[:ticks],
                wants,
                arriving,
                leaving,
                trace,
            )
        )


def _interpreted(rule: Rule, setting: Setting, inputs: Inputs, trace: Floats) -> Tally:
    """The same loop in plain Python, over lists, which it indexes faster than arrays."""
    timing, ticks = setting.timing, len(inputs.demand)
    lists = fluid.Inputs(*(np.asarray(column).tolist() for column in inputs))
    size = ticks + max(timing.start_ticks, timing.drain_ticks)
    least, most = float(setting.least), float(max(setting.least, setting.most))
    wanted, wants, arriving, leaving = ([0.0] * count for count in (ticks, ticks, size, size))
    tally = fluid.run(
        rule,
        timing,
        lists,
        least,
        most,
        wanted,  # type: ignore[arg-type]
        wants,  # type: ignore[arg-type]
        arriving,  # type: ignore[arg-type]
        leaving,  # type: ignore[arg-type]
        trace,
    )
    return Tally(*(float(figure) for figure in tally))
