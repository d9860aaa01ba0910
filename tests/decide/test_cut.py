"""cut(N) on known distributions against numerical integration, and worked figures of the interval from buckets."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from headrace.decide.cut import UNKNOWN, Share, cut_curve, cut_share, longer_share
from headrace.durations import LONGEST_S, Buckets, Durations, durations

Survival = Callable[[NDArray[np.float64]], NDArray[np.float64]]
Quantile = Callable[[NDArray[np.float64]], NDArray[np.float64]]
NORMAL = statistics.NormalDist()
DRAINS_S = (1.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0)


def normal_above(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([0.5 * math.erfc(value / math.sqrt(2.0)) for value in values])


def normal_quantile(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([NORMAL.inv_cdf(value) for value in values])


KNOWN: dict[str, tuple[Survival, Quantile]] = {
    "exponential, mean 40 s": (lambda t: np.exp(-t / 40.0), lambda p: -40.0 * np.log1p(-p)),
    "lognormal, median 20 s": (
        lambda t: normal_above(np.log(np.maximum(t, 1e-12) / 20.0)),
        lambda p: 20.0 * np.exp(normal_quantile(p)),
    ),
    "Pareto from 10 s, exponent 2.5": (
        lambda t: np.minimum(1.0, (10.0 / np.maximum(t, 1e-12)) ** 2.5),
        lambda p: 10.0 * (1.0 - p) ** -0.4,
    ),
    "Weibull of 40 s, shape 0.7": (
        lambda t: np.exp(-((t / 40.0) ** 0.7)),
        lambda p: 40.0 * (-np.log1p(-p)) ** (1.0 / 0.7),
    ),
    "always 100 s": (lambda t: (t < 100.0).astype(float), lambda p: np.full_like(p, 100.0)),
    "even up to 120 s": (lambda t: np.maximum(0.0, 1.0 - t / 120.0), lambda p: 120.0 * p),
}


def integral(survival: Survival, from_s: float) -> float:
    """The integral of a survival function to infinity: Gauss-Legendre on panels that widen by a third each."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    edges = sorted({from_s, *(0.01 * (4 / 3) ** step for step in range(120)), 10.0, 100.0, 120.0})
    edges = [edge for edge in edges if edge >= from_s]
    total = 0.0
    for start, end in itertools.pairwise(edges):
        at = start + (nodes + 1.0) * (end - start) / 2.0
        total += float(weights @ survival(at)) * (end - start) / 2.0
    return total


def spread(quantile: Quantile, count: int) -> NDArray[np.float64]:
    """A distribution as so many equally likely durations."""
    return quantile((np.arange(count) + 0.5) / count)


@pytest.mark.parametrize("name", KNOWN)
def test_on_a_known_distribution_as_integrated(name: str) -> None:
    survival, quantile = KNOWN[name]
    seen = durations(spread(quantile, 200_000))
    whole = integral(survival, 0.0)
    for drain_s in DRAINS_S:
        cut = cut_share(seen, drain_s)
        assert cut.is_exact
        # 200,000 durations know the tail of the Pareto to a few ten-thousandths
        assert cut.high == pytest.approx(integral(survival, drain_s) / whole, abs=3e-4)
        assert longer_share(seen, drain_s).high == pytest.approx(
            float(survival(np.array([drain_s]))[0]), abs=1e-5
        )


def test_the_integration_itself() -> None:
    assert integral(KNOWN["exponential, mean 40 s"][0], 30.0) == pytest.approx(40.0 * math.exp(-0.75))
    assert integral(KNOWN["Pareto from 10 s, exponent 2.5"][0], 60.0) == pytest.approx(
        10.0**2.5 * 60.0**-1.5 / 1.5
    )
    assert integral(KNOWN["even up to 120 s"][0], 0.0) == pytest.approx(60.0)


def test_ten_of_ten_seconds_and_one_of_a_hundred() -> None:
    seen = durations(np.array([10.0] * 10 + [100.0]))
    assert cut_share(seen, 60.0) == Share(0.2, 0.2)
    assert longer_share(seen, 60.0).high == pytest.approx(1 / 11)
    assert longer_share(seen, 10.0).high == pytest.approx(1 / 11)
    assert cut_share(seen, 100.0) == cut_share(seen, 5_000.0) == longer_share(seen, 100.0) == Share(0.0, 0.0)


@pytest.mark.parametrize("drain_s", [0.5, 3.25, 59.9, 4_000.0])
def test_between_whole_seconds_and_above_an_hour_it_is_a_narrow_interval(drain_s: float) -> None:
    values = np.random.default_rng(5).lognormal(4.0, 1.6, 5_000)
    exact = np.maximum(values - drain_s, 0.0).sum() / values.sum()
    cut = cut_share(durations(values), drain_s)
    assert cut.low <= exact <= cut.high
    assert cut.high - cut.low < (0.0005 if drain_s < LONGEST_S else 0.02)
    longer = longer_share(durations(values), drain_s)
    assert longer.low <= np.mean(values > drain_s) <= longer.high


def test_curve_is_the_share_at_each_n() -> None:
    values = np.random.default_rng(6).lognormal(3.0, 1.0, 500)
    seen = durations(values)
    bounds = (1.0, 10.0, 60.0)
    counts = np.histogram(values, [0.0, *bounds, np.inf])[0]
    buckets = Buckets(bounds, tuple(counts.astype(float).tolist()), float(values.sum()))
    for each, at in (
        (seen, [0.0, 1.0, 7.0, 60.0, 3_600.0]),
        (seen, [0.0, 6.5]),
        (buckets, [0.0, 10.0, 33.3]),
    ):
        low, high = cut_curve(each, np.array(at))
        shares = [cut_share(each, drain_s) for drain_s in at]
        assert low.tolist() == pytest.approx([share.low for share in shares], abs=1e-12)
        assert high.tolist() == pytest.approx([share.high for share in shares], abs=1e-12)


class TestWithoutRequests:
    EMPTY = durations(np.array([]))

    def test_nothing_is_known(self) -> None:
        for each in (self.EMPTY, Buckets((1.0,), (0.0, 0.0)), Buckets((), (0.0,), 0.0)):
            assert cut_share(each, 60.0) == longer_share(each, 60.0) == UNKNOWN

    def test_requests_that_take_no_time_are_never_cut(self) -> None:
        assert cut_share(durations(np.zeros(3)), 0.0) == Share(0.0, 0.0)
        assert cut_share(Buckets((1.0,), (3.0, 0.0), 0.0), 0.5) == Share(0.0, 0.0)

    def test_a_drain_of_no_time_cuts_everything(self) -> None:
        seen = durations(np.array([1.5, 2.0]))
        assert cut_share(seen, 0.0) == cut_share(Buckets((5.0,), (2.0, 0.0)), 0.0) == Share(1.0, 1.0)


class TestBuckets:
    """Ten requests up to 10 s, ten more up to 60 s."""

    PLAIN = Buckets((10.0, 60.0), (10.0, 10.0, 0.0))
    SUM = Buckets((10.0, 60.0), (10.0, 10.0, 0.0), 300.0)

    def test_at_a_bound_without_the_sum(self) -> None:
        # best: all of 10 s; worst: ten of no time, ten of 60 s
        assert cut_share(self.PLAIN, 10.0) == Share(0.0, 500.0 / 600.0)
        assert longer_share(self.PLAIN, 10.0) == Share(0.5, 0.5)

    def test_inside_a_bucket_without_the_sum(self) -> None:
        assert cut_share(self.PLAIN, 35.0) == Share(0.0, 250.0 / 600.0)
        assert longer_share(self.PLAIN, 35.0) == Share(0.0, 0.5)

    def test_the_sum_narrows_it(self) -> None:
        # best: below 10 s take 100 in all, above 200: 100 of them too much; worst: below take nothing
        assert cut_share(self.SUM, 10.0) == Share(100.0 / 300.0, 200.0 / 300.0)
        # worst: of 300 s 100 are the buckets' own start, and of the other 200 half lies above 35 s
        assert cut_share(self.SUM, 35.0) == Share(0.0, 100.0 / 300.0)
        # 35 s each for more than eight would be over 300 s
        assert longer_share(self.SUM, 35.0) == Share(0.0, 200.0 / 25.0 / 20.0)

    def test_a_large_sum_leaves_no_other_place(self) -> None:
        assert cut_share(Buckets((10.0, 60.0), (10.0, 10.0, 0.0), 700.0), 35.0) == pytest.approx(
            (250.0 / 700.0, 250.0 / 700.0)
        )

    def test_above_every_bound_only_the_sum_says_anything(self) -> None:
        assert cut_share(Buckets((10.0,), (9.0, 1.0)), 60.0) == Share(0.0, 1.0)
        assert cut_share(Buckets((10.0,), (9.0, 1.0), 200.0), 60.0) == Share(50.0 / 200.0, 190.0 / 200.0)

    def test_a_sum_that_contradicts_the_counts_is_worth_nothing(self) -> None:
        for total_s in (99.0, 701.0, math.nan, math.inf):
            buckets = Buckets((10.0, 60.0), (10.0, 10.0, 0.0), total_s)
            assert cut_share(buckets, 35.0) == cut_share(self.PLAIN, 35.0)

    def test_a_sum_off_by_rounding_counts(self) -> None:
        buckets = Buckets((10.0, 60.0), (10.0, 10.0, 0.0), 700.0 * (1 + 1e-12))
        assert cut_share(buckets, 35.0).high == pytest.approx(250.0 / 700.0)

    def test_counts_need_not_be_whole(self) -> None:
        rates = Buckets((10.0, 60.0), (0.01, 0.01, 0.0), 0.3)
        assert cut_share(rates, 35.0) == pytest.approx(cut_share(self.SUM, 35.0))

    def test_one_bucket_alone(self) -> None:
        assert cut_share(Buckets((), (5.0,)), 60.0) == UNKNOWN
        assert cut_share(Buckets((), (5.0,), 100.0), 60.0) == Share(0.0, 1.0)


def test_durations_and_buckets_of_one_traffic_agree() -> None:
    values = np.random.default_rng(7).exponential(30.0, 2_000)
    seen: Durations = durations(values)
    bounds = tuple(float(bound) for bound in range(1, 400))
    counts = np.histogram(values, [-1.0, *np.nextafter(bounds, np.inf), np.inf])[0]
    fine = Buckets(bounds, tuple(counts.astype(float).tolist()), float(values.sum()))
    cut = cut_share(fine, 60.0)
    assert cut.low <= cut_share(seen, 60.0).high <= cut.high
    assert cut.high - cut.low < 0.01


def test_an_hour_and_a_second_is_not_taken_for_the_end_of_all() -> None:
    """The last place is open: what is in it may be longer than any N."""
    found = durations(np.array([3_000.0, 3_600.5, 5_000.0, 9_000.0]))
    for drain_s in (3_600.0, 3_600.5, 3_601.0, 3_602.0, 8_000.0):
        exact = (max(5_000.0 - drain_s, 0.0) + 9_000.0 - drain_s + max(3_600.5 - drain_s, 0.0)) / 20_600.5
        share, longer = cut_share(found, drain_s), longer_share(found, drain_s)
        assert share.low - 1e-12 <= exact <= share.high + 1e-12
        known = sum(value > drain_s for value in (3_600.5, 5_000.0, 9_000.0)) / 4.0
        assert longer.low <= known <= longer.high


def test_a_total_of_hardly_any_digits_narrows_nothing() -> None:
    found = (Buckets((3.0,), (1.0, 0.0), total_s) for total_s in (None, 5e-324))
    unknown, least = (cut_share(each, 1.0) for each in found)
    assert least == unknown
