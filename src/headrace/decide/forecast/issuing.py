"""Forecasts issued window by window: a whole day in one go, or one window at a time; the numbers are the same."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from headrace.decide.forecast import band, experts, ridge
from headrace.decide.forecast.decay import Floats, decayed_sums
from headrace.decide.forecast.fitted import Fit, Step
from headrace.decide.forecast.learning import with_holes_filled
from headrace.decide.forecast.state import State


class Issued(NamedTuple):
    """What was said of one window or many, in the unit of the demand."""

    expected: Floats
    """The median: as often above as below. NaN where the history says nothing at all."""
    upper: Floats
    """The quantile at `Fit.level`; NaN where not a single forecast could be judged."""


class Run(NamedTuple):
    """Forecasts over a stretch of windows."""

    issued: Issued
    """Shape [models, origins, horizons]: origin i has seen the state and the first i of the values; the window that
    is forecast lies `Fit.horizons` after it."""
    state: State
    """After all values."""


def run(fit: Fit, state: State, values: Floats) -> Run:
    """Issues a forecast, takes in a window, and so on, for each value.

    Args:
        fit: For the day.
        state: Where the run begins, from `resumed` or an earlier run with the same fit.
        values: The windows after `state.at`, shape [models, n]; NaN: a hole.
    """
    trail = _Trail.of(fit, state, values)
    expected = np.empty((len(values), values.shape[1], len(fit.steps)))
    upper = np.empty_like(expected)
    carried = []
    for index, step in enumerate(fit.steps):
        expected[:, :, index], upper[:, :, index], after = _run_step(fit, step, index, state, trail)
        carried.append(after)
    totals, counts, trackers, ridges, uppers = (
        np.stack(parts, axis=1) for parts in zip(*carried, strict=True)
    )
    after_all = State(
        at=state.at + values.shape[1],
        logs=trail.filled[:, -2:].copy(),
        means=trail.means[:, :, -1].copy(),
        error_total=totals,
        error_count=counts,
        tracker=trackers,
        ridge_ahead=ridges,
        upper_ahead=uppers,
    )
    return Run(Issued(expected, upper), after_all)


def issue(fit: Fit, state: State) -> Issued:
    """What is expected from here, for each horizon: shape [models, horizons]."""
    issued = run(fit, state, np.full((len(state.logs), 1), np.nan)).issued
    return Issued(issued.expected[:, 0], issued.upper[:, 0])


def observe(fit: Fit, state: State, value: Floats) -> State:
    """The state after one more window.

    Args:
        fit: As for `issue`.
        state: As for `issue`.
        value: Demand of the window after `state.at`, shape [models]; NaN: a hole, which is not zero.
    """
    return run(fit, state, np.asarray(value, np.float64)[:, None]).state


def resumed(fit: Fit, before: State | None) -> State:
    """Where a new fit goes on: it begins at its own start, with the tracker and the pending forecasts of the old state.

    Args:
        fit: The new fit, for the same models and horizons.
        before: The state that had seen the same windows as the new fit; None: there was none.
    """
    if before is None:
        return fit.start
    start = fit.start
    pending = np.where(np.isnan(start.ridge_ahead), before.ridge_ahead, start.ridge_ahead)
    return replace(start, tracker=before.tracker, ridge_ahead=pending, upper_ahead=before.upper_ahead)


def wall_clock_moved(state: State, windows: int) -> State:
    """The state after the clocks were put forward by so many windows (back: negative).

    The next window then is read against the time of day that the clock shows, not 24 hours after yesterday's.
    """
    return replace(state, at=state.at + windows)


class _Trail(NamedTuple):
    """What has been seen, as every horizon reads it, over the two windows before the run and those of the run."""

    logs: Floats
    """Of the values, shape [models, n]; NaN: a hole."""
    values: Floats
    filled: Floats
    """Shape [models, n + 2]: two windows before, then the run's."""
    means: Floats
    """Running means after the state and after each value, shape [models, 4, n + 1]."""
    centre: Floats

    @classmethod
    def of(cls, fit: Fit, state: State, values: Floats) -> _Trail:
        windows = values.shape[1]
        logs = np.log(values + fit.offset[:, None])
        usually = seasonals_at(fit, np.arange(state.at, state.at + windows + 1))
        seen = np.concatenate([state.logs[:, 1:], logs], axis=1)
        filled = with_holes_filled(seen, usually, fit.centre)
        means = experts.running_means(filled[:, 1:], usually[:, :, 1:], state.means)
        return cls(
            logs,
            values,
            np.concatenate([state.logs[:, :1], filled], axis=1),
            np.concatenate([state.means[:, :, None], means], axis=2),
            np.broadcast_to(fit.centre[:, None], values.shape),
        )


def seasonals_at(fit: Fit, at: np.ndarray) -> Floats:
    """Seasonals of windows counted from the start of the fit's day; past the day after it, that day repeats."""
    slots = fit.windows_per_day
    index = at + slots
    index = np.where(index >= 3 * slots, 2 * slots + index % slots, np.maximum(index, 0))
    return fit.seasonals[:, :, index]


def _run_step(
    fit: Fit, step: Step, index: int, state: State, trail: _Trail
) -> tuple[Floats, Floats, tuple[Floats, Floats, Floats, Floats, Floats]]:
    """Expected and upper at each origin for one horizon, and what of the state is this horizon's own."""
    windows = trail.values.shape[1]
    origins = np.arange(state.at, state.at + windows)
    newest = trail.filled[:, 1:-1]
    at, at_before, ahead = (seasonals_at(fit, origins + shift) for shift in (0, -1, step.ahead))
    explained = ridge.regressors(newest, trail.filled[:, :-2], at, at_before, ahead)
    ceiling = np.maximum(fit.most[:, None], newest) + band.MOST_RISE
    said = np.minimum(newest + (step.ridge[:, None] @ explained[:, : ridge.REGRESSORS])[:, 0], ceiling)
    ridge_ahead = _queued(state.ridge_ahead[:, index], said, step.ahead)
    seen_scale = step.scale[:, (origins + 1) % fit.windows_per_day]
    surprise = band.surprise(trail.logs - ridge_ahead[:, :windows], seen_scale)
    known = ~np.isnan(surprise)
    total, count = (
        np.concatenate([before[:, None], decayed_sums(new, band.ERROR_KEEP, before)], axis=1)
        for before, new in (
            (state.error_total[:, index], np.where(known, surprise, 0.0)),
            (state.error_count[:, index], known.astype(np.float64)),
        )
    )
    sigma = step.scale[:, (origins + step.ahead) % fit.windows_per_day]
    sigma = sigma * band.hour_factor(total[:, :-1], count[:, :-1])
    points = experts.forecasts(said, newest, trail.means[:, :, :-1], at, ahead, trail.centre)
    expected = np.maximum(_mixture(step.middle, points, sigma, ceiling) - fit.offset[:, None], 0.0)
    ceiling += band.MOST_RISE
    raw = _Said(expected, _mixture(step.upper, points, sigma, ceiling), sigma, np.exp(ceiling))
    upper, tracker = _tracked_run(fit, step, raw, state, index, trail.values)
    upper_ahead = _queued(state.upper_ahead[:, index], upper, step.ahead)
    room = state.ridge_ahead.shape[2]
    after = (
        total[:, -1],
        count[:, -1],
        tracker,
        _padded(ridge_ahead[:, windows:], room),
        _padded(upper_ahead[:, windows:], room),
    )
    return expected, upper, after


def _mixture(opinion: band.Opinion, points: Floats, sigma: Floats, ceiling: Floats) -> Floats:
    """The experts' quantiles, softened demand, weighted; none above the ceiling, a logarithm. Shape [models, n]."""
    quantiles = np.exp(np.minimum(points + opinion.quantiles[:, :, None] * sigma[:, None], ceiling[:, None]))
    mixed: Floats = (opinion.weights[:, None] @ quantiles)[:, 0]
    return mixed


class _Said(NamedTuple):
    """What is said at each origin before the tracker is looked at, shape [models, n]."""

    expected: Floats
    """In the unit of demand."""
    upper: Floats
    """Softened."""
    sigma: Floats
    most: Floats
    """Softened: no upper quantile is above."""


def _tracked_run(
    fit: Fit, step: Step, said: _Said, state: State, index: int, values: Floats
) -> tuple[Floats, Floats]:
    """Upper quantiles as issued, each with the tracker as it stood at its origin; the tracker at the end.

    None is below what is expected: the two are weighed from different losses and may cross where experts disagree.
    """
    tracker = state.tracker[:, index]
    pending = state.upper_ahead[:, index, : step.ahead - 1]
    windows = values.shape[1]
    issued = np.empty((len(values), step.ahead - 1 + windows))
    issued[:, : step.ahead - 1] = pending
    reach = step.unit[:, None] * said.sigma
    for origin in range(windows):
        moved = said.upper[:, origin] * np.exp(tracker * reach[:, origin])
        upper = np.minimum(moved, said.most[:, origin]) - fit.offset
        expected = said.expected[:, origin]
        # a NaN is greater than nothing, so that an unknown upper quantile stays one
        upper = np.where(expected > upper, expected, upper)
        issued[:, origin + step.ahead - 1] = np.maximum(upper, 0.0)
        tracker = band.tracked(tracker, values[:, origin], issued[:, origin], fit.level)
    return issued[:, step.ahead - 1 :], tracker


def _queued(pending: Floats, new: Floats, ahead: int) -> Floats:
    """By window, from the one after the state on: what had been said of it before, then what the run says."""
    return np.concatenate([pending[:, : ahead - 1], new], axis=1)


def _padded(pending: Floats, room: int) -> Floats:
    """Pending forecasts with NaN behind them, shape [models, room]."""
    out = np.full((len(pending), room), np.nan)
    out[:, : pending.shape[1]] = pending
    return out
