"""The stretches of a history that decide how much headroom it takes: a few hours of a week, run in place of the week.

Requests fail where demand outruns what could be ready by then, and that can be told from demand ahead alone, roughly
but for every tick at once. A search over the stretches where most is missing takes a fraction of the time; what it
finds is then run on the whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.simulate.fluid import Floats
from headrace.simulate.inputs import lagged, window_peak
from headrace.simulate.split import Split
from headrace.spec import Rule

HARDEST_RATIO = 0.01
"""Share of the ticks that the stretches are laid around."""
SETTLING_S = 300.0
"""Before each stretch, beside lag, start-up, drain and removal window: time to forget how the fleet began there."""


def forgets_fast(rule: Rule) -> bool:
    """Whether a fleet forgets within the rule's removal window how it began, so that stretches stand for a week.

    Steps that wait for each other remember for longer, and a tolerance leaves it alone for as long as demand is near.
    """
    return not rule.low_timer and rule.down_interval_s == 0.0 and rule.tolerance == 0.0


def needed(split: Split) -> Floats:
    """The headroom number at which each tick would just have been met, roughly, shape [ticks]; NaN in a gap.

    As if what is ready were the greatest want of the removal window, one start-up ago, and half a replica more.
    """
    rule, timing = split.rule(1.0, split.setting), split.setting.timing
    window = int(np.ceil(rule.down_window_s / timing.tick_s))
    ahead = window_peak(split.ahead, -window, 0, len(split.ahead))
    unit = lagged(split.unit, timing.start_ticks)
    lack = split.inputs.demand - lagged(ahead, timing.start_ticks) - 0.5
    return np.where(unit > 0.0, lack / np.where(unit > 0.0, unit, 1.0), np.nan)


def number_estimate(needs: Floats, unit: Floats, allowed: float) -> float:
    """The headroom number at which all that is missing comes to what is allowed, in replica-ticks; NaN: none known."""
    known = ~np.isnan(needs)
    order = np.argsort(needs[known])[::-1]
    need, width = needs[known][order], unit[known][order]
    if not len(need):
        return float("nan")
    # down from the hardest tick: at its number, (need - number) * unit is missing at each harder one
    missing = np.cumsum(need * width) - need * np.cumsum(width)
    return float(need[min(int(np.searchsorted(missing, allowed)), len(need) - 1)])


def counted_ticks(split: Split, needs: Floats) -> NDArray[np.bool_]:
    """The ticks of the hardest stretches: where most headroom is needed, and one start-up before; shape [ticks]."""
    known = needs[~np.isnan(needs)]
    if not known.size:
        return np.ones(len(needs), dtype=np.bool_)
    hard = needs >= np.quantile(known, 1.0 - HARDEST_RATIO)
    return before(hard, split.setting.timing.start_ticks)


def run_ticks(split: Split, counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The ticks to be run: the stretches that count, and before each enough of its past to settle in."""
    rule, timing = split.rule(1.0, split.setting), split.setting.timing
    settling = round((SETTLING_S + rule.down_window_s) / timing.tick_s)
    return before(counted, settling + timing.start_ticks + timing.drain_ticks + timing.lag_ticks)


def only(split: Split, ticks: NDArray[np.bool_], counted: NDArray[np.bool_]) -> Split:
    """Some ticks of a history, joined, of which only some can be over."""
    inputs = type(split.inputs)(*(column[ticks] for column in split.inputs))
    inputs = inputs._replace(demand=np.where(counted[ticks], inputs.demand, np.nan))
    return split._replace(inputs=inputs, ahead=split.ahead[ticks], unit=split.unit[ticks])


def before(marks: NDArray[np.bool_], ticks: int) -> NDArray[np.bool_]:
    """The marked ticks and so many before each."""
    return window_peak(marks.astype(np.float64), 0, ticks, len(marks)) > 0.0
