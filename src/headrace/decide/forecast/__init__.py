"""Forecasts demand a few windows ahead: what is expected, and what is rarely exceeded, for many models at once.

Belongs here: the steps from a history on a [day, slot] grid to a band (seasonals, ridge, experts, scale, tracker),
the state that a live loop carries from window to window, its plain form, and the sentences about what a history
cannot tell. Arrays have models first; NaN is a hole, and a hole is never zero.

Does not belong here: a calendar (a sample carries its slot of the week, which `observe` reads from its zone), a clock,
what is done with a forecast (`scale`, `simulate.outlook`), scores of issued bands (`simulate.backtest`).

The order of a day::

    grid -> fit (seasonals, ridge, experts, band) -> resumed -> run, or: issue, observe, issue, observe, ...
"""

from headrace.decide.forecast.fitted import Fit, Step
from headrace.decide.forecast.fitting import fit
from headrace.decide.forecast.grid import Grid, day_grid
from headrace.decide.forecast.issuing import Issued, Run, issue, observe, resumed, run, wall_clock_moved
from headrace.decide.forecast.lead import at_lead, peak_until
from headrace.decide.forecast.plain import fit_from_plain, fit_to_plain, state_from_plain, state_to_plain
from headrace.decide.forecast.state import State
from headrace.decide.forecast.words import coverage_words, what_is_unknown

__all__ = [
    "Fit",
    "Grid",
    "Issued",
    "Run",
    "State",
    "Step",
    "at_lead",
    "coverage_words",
    "day_grid",
    "fit",
    "fit_from_plain",
    "fit_to_plain",
    "issue",
    "observe",
    "peak_until",
    "resumed",
    "run",
    "state_from_plain",
    "state_to_plain",
    "wall_clock_moved",
    "what_is_unknown",
]
