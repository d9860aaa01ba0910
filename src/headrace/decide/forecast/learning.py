"""What is learned from a history: read once for all horizons, then fitted for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headrace.decide.forecast import band, experts, outliers, ridge, seasonals
from headrace.decide.forecast.band import Opinion
from headrace.decide.forecast.decay import Floats, decayed_sums, filled_forward, known_means
from headrace.decide.forecast.fitted import Step

SOFTENING = 0.05
"""Everything is in log(demand + 5 % of its mean), so that a quiet night is no abyss."""
WINDOWS, LEAST_DAYS, MOST_DAYS = 4_032, 14, 42
"""So much history is used: 4,032 windows, but 14 days at least and 42 at most."""
RIDGE_WINDOWS = 2_016
JUDGED_WINDOWS, LEAST_JUDGED_DAYS, MOST_JUDGED_DAYS = 1_008, 7, 14
"""On so many windows, 7 to 14 days, the experts are judged and the quantiles taken."""
CENTRE_DAYS = 14
WARM_WINDOWS = 336
"""What the slowest running mean has forgotten: 0.9 ** 336 is 4e-16."""
MIDDLE = 0.5
TINY = 1e-300


class Judged(NamedTuple):
    """One horizon's fit, and what was said over the judged days, shape [models, windows] each."""

    step: Step
    said: Floats
    """The ridge's forecasts, as logarithms."""
    error_total: Floats
    """Decayed sum of surprises after each window."""
    error_count: Floats
    """Decayed number of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A history as every horizon reads it; arrays by window run over the days that the ridge learns from."""

    slots: int
    judged_days: int
    begins: NDArray[np.int64]
    """First window with a value, counted in those kept; it may lie before them."""
    demand: Floats
    offset: Floats
    logs: Floats
    limits: tuple[Floats, Floats]
    """Least and greatest known logarithm, shape [models] each; NaN where nothing is known."""
    unusual: NDArray[np.bool_]
    filled: Floats
    seasonals: Floats
    """Two days longer than the history."""
    means: Floats
    """Running means of the last judged days and a little more, ending with the history."""
    centres: Floats
    """Mean logarithm of the 14 days before each judged day and before the day after, shape [models, days + 1]."""

    @property
    def windows(self) -> int:
        """Windows of the days kept, to the end of the history."""
        return int(self.logs.shape[1])

    @property
    def every(self) -> int:
        """Of short windows the experts are judged on every so manyth: neighbours tell the same."""
        return max(1, self.judged_days * self.slots // JUDGED_WINDOWS)

    @classmethod
    def read(cls, history: Floats, slots: int) -> Learned:
        """Reads a history, shape [models, windows], that ends with a day of `slots` windows."""
        demand = whole_days(history, slots)
        models, windows = demand.shape
        days = windows // slots
        mean = known_means(demand, axis=1)
        offset = np.where(mean > 0.0, SOFTENING * mean, np.where(mean == 0.0, 1.0, np.nan))
        logs = np.log(demand + offset[:, None])
        limits = np.fmin.reduce(logs, axis=1), np.fmax.reduce(logs, axis=1)
        by_day = logs.reshape(models, days, slots)
        usual = outliers.usual(by_day)
        # the first day that the ridge learns from has one before it
        before = max(0, days - max(LEAST_DAYS, -(-RIDGE_WINDOWS // slots)) - 1)
        usually = seasonals.seasonals(np.where(usual, by_day, np.nan), range(before, days + 2))
        middle = known_means(logs[:, -CENTRE_DAYS * slots :], axis=1)
        middle = np.where(np.isnan(middle), known_means(logs, axis=1), middle)
        np.copyto(usually, middle[:, None, None], where=np.isnan(usually))
        judged = int(np.clip(JUDGED_WINDOWS // slots, LEAST_JUDGED_DAYS, MOST_JUDGED_DAYS))
        judged = max(1, min(judged, days - 2))
        centres = _centres(by_day, judged, middle)
        begins = np.argmax(~np.isnan(logs), axis=1) - before * slots
        demand, logs = demand[:, before * slots :], logs[:, before * slots :]
        unusual = ~usual[:, before:].reshape(logs.shape)
        windows = logs.shape[1]
        filled = with_holes_filled(logs, usually[:, :, :windows], middle)
        warm = min(windows, judged * slots + WARM_WINDOWS)
        means = experts.running_means(filled[:, windows - warm :], usually[:, :, windows - warm : windows])
        return cls(
            slots, judged, begins, demand, offset, logs, limits, unusual, filled, usually, means, centres
        )

    def step(self, ahead: int, level: float) -> Judged:
        """The fit for one horizon, and what it was judged on."""
        slots, windows = self.slots, self.windows
        said, coefficients = self._ridge(ahead)
        first = windows - self.judged_days * slots
        error = self._judged(ahead) - said
        scale = band.slot_scale(error.reshape(len(error), self.judged_days, slots))
        slot_scales = np.tile(scale, (1, self.judged_days))
        surprise = band.surprise(error, slot_scales)
        known = ~np.isnan(surprise)
        total = decayed_sums(np.where(known, surprise, 0.0), band.ERROR_KEEP)
        told = known[:1] if known.all() else known  # one count for all, where it is the same
        count = np.broadcast_to(decayed_sums(told.astype(np.float64), band.ERROR_KEEP), total.shape)
        sigma = slot_scales.copy()
        sigma[:, ahead:] *= band.hour_factor(total, count)[:, :-ahead]
        kept = slice(None, None, self.every)
        points = experts.forecasts(
            said[:, kept],
            self.filled[:, first - ahead : windows - ahead : self.every],
            self.means[:, :, first - ahead - windows : self.means.shape[2] - ahead : self.every],
            self.seasonals[:, :, first - ahead : windows - ahead : self.every],
            self.seasonals[:, :, first : windows : self.every],
            np.repeat(self.centres[:, :-1], slots, axis=1)[:, kept],
        )
        middle, upper = self._opinions(self._judged(ahead)[:, kept], points, sigma[:, kept], level)
        unit = band.tracker_unit(upper, middle.quantiles[:, 0])
        return Judged(Step(ahead, coefficients, scale, middle, upper, unit), said, total, count)

    def _judged(self, ahead: int) -> Floats:
        """Logarithms of what came on the judged days; NaN for holes, and where nothing was known to forecast from."""
        first = self.windows - self.judged_days * self.slots
        came = self.logs[:, first:]
        begins = self.begins + ahead
        if (begins <= first).all():
            return came
        return np.where(np.arange(first, self.windows) >= begins[:, None], came, np.nan)

    def _opinions(self, came: Floats, points: Floats, sigma: Floats, level: float) -> tuple[Opinion, Opinion]:
        """The experts on the median and on the upper quantile.

        Judged in single precision, which halves the time: seven digits of a loss are more than it is worth.
        """
        first = self.windows - self.judged_days * self.slots
        known = ~np.isnan(came)
        residuals = np.empty(points.shape, np.float32)
        np.subtract(came[:, None], points, out=residuals, casting="same_kind")
        spread = sigma.astype(np.float32)
        residuals *= (1.0 / spread)[:, None]
        scratch = residuals.copy()
        if not known.all():
            hole = np.broadcast_to(~known[:, None], scratch.shape)
            scratch[hole], residuals[hole] = np.inf, 0.0
        upper_at, middle_at = (
            band.residual_quantiles(scratch, known.sum(axis=1), at) for at in (level, MIDDLE)
        )
        usual = known & ~self.unusual[:, first :: self.every]
        counts = band.day_counts(self.judged_days, self.slots)[:: self.every] * usual
        evidence = counts.sum(axis=1) * self.every / self.slots
        counts *= np.where(usual, self.demand[:, first :: self.every] + self.offset[:, None], 0.0)
        counts /= np.maximum(counts.sum(axis=1), TINY)[:, None]
        counted = counts.astype(np.float32)
        middle_shift, upper_shift = (np.where(np.isnan(at), 0.0, at) for at in (middle_at, upper_at))
        middle = band.beliefs(band.middle_losses(residuals, middle_shift, spread, counted, scratch), evidence)
        upper = band.beliefs(
            band.upper_losses(residuals, upper_shift, spread, counted, level, scratch), evidence
        )
        return Opinion(middle_shift, middle), Opinion(upper_at, upper)

    def _ridge(self, ahead: int) -> tuple[Floats, Floats]:
        """What the ridge would have said on each judged day, from earlier days; its coefficients for the day after."""
        slots, windows = self.slots, self.windows
        first = slots
        origin = slice(first - ahead, windows - ahead)
        before = slice(first - ahead - 1, windows - ahead - 1)
        explained = ridge.regressors(
            self.filled[:, origin],
            self.filled[:, before],
            self.seasonals[:, :, origin],
            self.seasonals[:, :, before],
            self.seasonals[:, :, first:windows],
        )
        # nothing is learned of how demand goes back to the seasonals from a day that was not going to
        unusual = self.unusual[:, first:] | self.unusual[:, origin]
        increments = np.where(unusual, np.nan, self.logs[:, first:] - self.filled[:, origin])
        solved = ridge.coefficients(explained, increments, slots, self.judged_days)
        judged = explained[:, :-1, -self.judged_days * slots :]
        by_day = judged.reshape(len(judged), ridge.REGRESSORS, self.judged_days, slots).transpose(0, 2, 1, 3)
        steps = (solved[:, :-1, None] @ by_day).reshape(len(judged), -1)
        said = steps + self.filled[:, origin][:, -steps.shape[1] :]
        least, most = self.limits
        np.clip(said, least[:, None] - band.MOST_RISE, most[:, None] + band.MOST_RISE, out=said)
        return said, solved[:, -1]


def whole_days(history: Floats, slots: int) -> Floats:
    """The newest days that are used, at least two: what is missing at the beginning is holes."""
    keep = int(np.clip(WINDOWS // slots, LEAST_DAYS, MOST_DAYS)) * slots
    kept = np.asarray(history, np.float64)[:, -keep:]
    missing = max(2 * slots, -(-kept.shape[1] // slots) * slots) - kept.shape[1]
    if not missing:
        return kept
    return np.concatenate([np.full((len(kept), missing), np.nan), kept], axis=1)


def with_holes_filled(logs: Floats, usually: Floats, first: Floats) -> Floats:
    """Logarithms whose holes carry on the last value along the mean of the three seasonals.

    Args:
        logs: Shape [models, n]; NaN: a hole.
        usually: Seasonals, shape [models, 3, n].
        first: What stands before anything is known, shape [models].
    """
    hole = np.isnan(logs)
    if not hole.any():
        return logs
    profile = usually.mean(axis=1)
    residual = filled_forward(logs - profile, np.full(len(logs), np.nan))
    carried = np.where(np.isnan(residual), first[:, None], residual + profile)
    return np.where(hole, carried, logs)


def _centres(by_day: Floats, judged: int, middle: Floats) -> Floats:
    """Mean logarithm of the 14 days before each of the last days and before the day after them."""
    models, days, _ = by_day.shape
    known = ~np.isnan(by_day)
    totals = np.zeros((models, days + 1))
    counts = np.zeros((models, days + 1))
    np.cumsum(np.where(known, by_day, 0.0).sum(axis=2), axis=1, out=totals[:, 1:])
    np.cumsum(known.sum(axis=2), axis=1, out=counts[:, 1:])
    ends = np.arange(days - judged, days + 1)
    begins = np.maximum(ends - CENTRE_DAYS, 0)
    count = counts[:, ends] - counts[:, begins]
    mean = (totals[:, ends] - totals[:, begins]) / np.maximum(count, 1)
    return np.where(count > 0, mean, middle[:, None])
