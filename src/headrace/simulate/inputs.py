"""What the rule reads at each tick, made from a demand history and a curve: lagged samples, peaks of the curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from headrace.simulate import paths as issued
from headrace.simulate.fluid import Floats, Inputs, Timing
from headrace.simulate.paths import Paths
from headrace.spec import Rule

WEEK_S = 604_800.0
DAY_S = 86_400.0
LEAST_LEVEL = 1e-9
"""Stands for a curve in replicas where even the mean is zero."""
SMOOTH_S = 300.0
"""The curve is last week's demand, averaged over this long to both sides."""


class Setting(NamedTuple):
    """The world that a policy is tried in, in seconds and in the unit of the demand."""

    startup_s: float = 180.0
    """From the order of a replica to its first request."""
    lag_s: float = 60.0
    """Age of the newest sample."""
    drain_s: float = 0.0
    """For how long a removed replica is still paid."""
    tick_s: float = 10.0
    per_replica: float = 7.5
    """Demand that one replica serves within its SLO."""
    accelerators: int = 8
    """Accelerators per replica."""
    least: int = 0
    most: int = 1_000_000

    @property
    def timing(self) -> Timing:
        """The same in whole ticks: what does not divide is rounded up, the lag down (as a sample that is there)."""
        return Timing(
            self.tick_s,
            int(self.lag_s / self.tick_s),
            max(1, -int(-self.startup_s // self.tick_s)),
            -int(-self.drain_s // self.tick_s),
        )


class Traffic(NamedTuple):
    """Demand and what was expected of it."""

    demand: Floats
    """In the unit of the file, shape [ticks]; NaN: a gap."""
    curve: Floats
    """What was expected, shape [ticks + n], the same unit; it may run on after the demand. NaN: no expectation."""
    mean: Floats
    """Mean of the past week as known at each tick, shape [ticks]."""
    paths: Paths | None = None
    """Forecasts by tick, in the unit of the demand: where one is known, it stands for the curve (not in the floor,
    whose window is wider than a forecast). None: the curve is all there is."""


def inputs(rule: Rule, setting: Setting, traffic: Traffic) -> Inputs:
    """The arrays that `fluid.run` reads, in replicas."""
    timing = setting.timing
    ticks = len(traffic.demand)
    demand = traffic.demand / setting.per_replica
    curve = traffic.curve / setting.per_replica
    mean = traffic.mean / setting.per_replica
    ready_in = timing.lag_ticks + timing.start_ticks + 1
    lasts = ready_in + round(rule.floor_to_s / timing.tick_s)
    begins = lasts if rule.floor_from_s >= lasts * timing.tick_s else round(rule.floor_from_s / timing.tick_s)
    floor_peak = window_peak(curve, begins, lasts, ticks) if rule.floor_gain > 0 else demand
    at_seen = peak = mean
    if rule.curve_weight > 0 or rule.on_curve:
        at_seen, peak = lagged(curve[:ticks], timing.lag_ticks), window_peak(curve, 0, ready_in, ticks)
        if traffic.paths is not None:
            at_seen, peak = _over(
                at_seen, peak, traffic.paths, timing.lag_ticks, ready_in, setting.per_replica
            )
        # Where no curve is known, or it is zero (a ratio to it has no meaning), nothing is expected to change
        usable = (at_seen + rule.curve_softening * mean > 0) & (peak >= 0)
        level = np.maximum(mean, LEAST_LEVEL)
        at_seen, peak = np.where(usable, at_seen, level), np.where(usable, peak, level)
    return Inputs(demand, lagged(demand, timing.lag_ticks), at_seen, peak, floor_peak, mean)


def _over(
    at_seen: Floats, peak: Floats, paths: Paths, lag_ticks: int, ready_in: int, per_replica: float
) -> tuple[Floats, Floats]:
    """The curve where the sample was seen and its peak, replaced where a forecast is known."""
    at, until = (
        issued.expected(paths, -lag_ticks) / per_replica,
        issued.greatest(paths, ready_in) / per_replica,
    )
    known = ~np.isnan(at) & ~np.isnan(until)
    return np.where(known, at, at_seen), np.where(known, until, peak)


def lagged(values: Floats, ticks: int) -> Floats:
    """The value `ticks` ago at each tick; before the first value, the first."""
    if ticks == 0 or not len(values):
        return values
    return np.concatenate([np.full(min(ticks, len(values)), values[0]), values[:-ticks]])


def window_peak(values: Floats, first: int, last: int, ticks: int) -> Floats:
    """Greatest of values[i + first .. i + last] for each i below `ticks`, holes left out; NaN where all are holes.

    Ends of the window that lie outside are cut; a window that lies outside altogether reads the nearest value.
    Time grows with the length, not with the window.
    """
    size = last - first + 1
    before, after = max(0, -first), max(0, ticks + last - len(values))
    padded = np.full(before + len(values) + after, -np.inf)
    padded[before : before + len(values)] = np.where(np.isnan(values), -np.inf, values)
    if first > 0 and after:
        padded[before + len(values) :] = padded[before + len(values) - 1]
    if last < 0:
        padded[:before] = padded[before]
    peaks = _sliding_greatest(padded[max(0, first) :], size)[:ticks]
    return np.where(np.isneginf(peaks), np.nan, peaks)


def _sliding_greatest(values: Floats, size: int) -> Floats:
    """Greatest of each `size` neighbours, by blocks: the greatest so far and the greatest to come meet in each."""
    if size <= 8:
        return np.asarray(sliding_window_view(values, size).max(axis=1))
    blocks = -(-len(values) // size)
    grid = np.full(blocks * size, -np.inf)
    grid[: len(values)] = values
    rows = grid.reshape(blocks, size)
    so_far = np.maximum.accumulate(rows, axis=1).ravel()
    to_come = np.maximum.accumulate(rows[:, ::-1], axis=1)[:, ::-1].ravel()
    return np.maximum(to_come[: len(values) - size + 1], so_far[size - 1 : len(values)])


def known_curve(demand: Floats, curve: Floats, setting: Setting) -> Traffic:
    """Traffic whose curve repeats each day and is known beforehand (the built-in day).

    Args:
        demand: Shape [ticks].
        curve: One period, shape [period].
        setting: For the tick.
    """
    periods = -(-2 * len(demand) // len(curve)) + 1
    mean = np.full(len(demand), float(curve.mean()))
    return Traffic(demand, np.tile(curve, periods), mean)


def past_curve(demand: Floats, setting: Setting, period_s: float = WEEK_S) -> Traffic:
    """Traffic whose curve is the past: half last period's same time, half the mean over its days.

    A single past day repeats its accidents; the mean of a week's days forgets the weekday. Within the first period the
    mean of the days so far stands alone, and on the first day there is no curve. Smoothed by five minutes each way.

    Args:
        demand: The whole history, shape [ticks].
        setting: For the tick and the lag: nothing is used before it could be known.
        period_s: A week; shorter for tests.
    """
    day, shift = round(DAY_S / setting.tick_s), round(period_s / setting.tick_s)
    days = [day * back for back in range(1, shift // day + 1)] or [shift]
    length = len(demand) + days[0]
    mean_day = _mean_of_rows([delayed(demand, back, length) for back in days])
    last = delayed(demand, shift, length)
    raw = np.where(np.isnan(last), mean_day, (last + mean_day) / 2.0)
    width = 2 * round(SMOOTH_S / setting.tick_s) + 1
    return Traffic(demand, mean_of_known(raw, width, centred=True), past_mean(demand, setting))


def past_mean(demand: Floats, setting: Setting) -> Floats:
    """Mean of the past week as known at each tick, in the unit of the demand, shape [ticks]; NaN until one is known."""
    past = mean_of_known(demand, max(1, round(WEEK_S / setting.tick_s)), centred=False)
    return lagged(past, setting.timing.lag_ticks)


def delayed(values: Floats, ticks: int, length: int) -> Floats:
    """`values` moved `ticks` later, shape [length]; NaN where nothing stands."""
    moved = np.full(length, np.nan)
    kept = values[: max(0, length - ticks)]
    moved[ticks : ticks + len(kept)] = kept
    return moved


def _mean_of_rows(rows: list[Floats]) -> Floats:
    """Mean at each tick of the rows that are known there; NaN where none is."""
    total, count = np.zeros(len(rows[0])), np.zeros(len(rows[0]))
    for row in rows:
        known = ~np.isnan(row)
        total += np.where(known, row, 0.0)
        count += known
    mean = np.full(len(total), np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    return mean


def after(traffic: Traffic, ticks: int) -> Traffic:
    """The traffic from a tick on: what came before has been learned from and is not judged."""
    paths = traffic.paths
    if paths is not None:
        paths = paths._replace(issue=paths.issue[ticks:], place=paths.place[ticks:])
    return Traffic(traffic.demand[ticks:], traffic.curve[ticks:], traffic.mean[ticks:], paths)


def mean_of_known(values: Floats, width: int, *, centred: bool) -> Floats:
    """Mean of the last (or surrounding) `width` values, holes left out; NaN until one is known."""
    known = ~np.isnan(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(known, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(known)])
    at = np.arange(len(values))
    half = width // 2
    end = np.minimum(len(values), at + half + 1) if centred else at + 1
    begin = np.maximum(0, at - half) if centred else np.maximum(0, at + 1 - width)
    count = counts[end] - counts[begin]
    means = np.full(len(values), np.nan)
    np.divide(sums[end] - sums[begin], count, out=means, where=count > 0)
    return means
