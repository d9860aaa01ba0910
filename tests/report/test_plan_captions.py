"""Holds the sentences beside a plan's charts: a given one as it is, else what follows from the numbers."""

from dataclasses import replace

import numpy as np
import pytest
from tests.report import plans

from headrace.report import plan_captions as captions
from headrace.report.forecast import Forecast


def test_a_given_sentence_stands_before_the_pages_own() -> None:
    said = "As given."
    assert captions.occupancy_follows(replace(plans.occupancy(), follows=said)) == said
    assert captions.cut_follows(replace(plans.cut(), follows=said)) == said
    assert captions.startup_follows(replace(plans.startup(), follows=said)) == said
    assert captions.growth_follows(replace(plans.growth(), follows=said)) == said
    assert captions.forecast_follows(replace(plans.forecast(), follows=said), plans.timeline()) == said


def test_how_often_demand_kept_below_the_band() -> None:
    timeline = plans.timeline(100)
    demand = np.arange(100.0)
    demand[50] = np.nan
    timeline = replace(timeline, demand=demand, traces=())
    flat = np.full(10, 74.0)
    times = timeline.times_s[::10]
    forecast = Forecast(times, 600.0, flat, flat)
    # 74 of the 99 known minutes are at or below 74; of the first five windows all are.
    assert captions.forecast_follows(forecast, timeline) == (
        "Demand stayed below the top of the band in 75 % of the time shown."
    )
    five = Forecast(times[:5], 600.0, flat[:5], flat[:5])
    assert captions.forecast_follows(five, timeline) == (
        "Demand stayed below the top of the band in 100 % of the time shown."
    )
    later = replace(five, times_s=times[:5] + 1e6)
    assert "Nothing here can be held against it yet" in captions.forecast_follows(later, timeline)
    assert "12 min ahead" in captions.forecast_reads(plans.forecast())


def test_occupancy_that_never_or_always_passes_the_target() -> None:
    chart = plans.occupancy()
    assert captions.occupancy_follows(replace(chart, target_slots=64.0)).endswith(
        "no moment above it was seen."
    )
    busy = replace(chart, running=chart.running + 50, waiting=chart.waiting * 0)
    assert captions.occupancy_follows(busy) == (
        "Every moment seen was above the target of 40 requests: none waited."
    )


def test_cut_as_an_interval_and_above_what_is_allowed() -> None:
    chart = plans.cut()
    band = replace(chart, least=chart.most / 2, today_s=None)
    assert captions.cut_follows(band) == "With N = 150 s, 0.34 % to 0.67 % of them are cut."
    assert "known by buckets only" in captions.cut_reads(band)
    late = replace(chart, chosen_s=60.0, today_s=60.0)
    assert captions.cut_follows(late) == (
        "With N = 60 s, 14 % of them are cut. That is more than the 1 % allowed."
    )
    table = captions.cut_table(chart)
    assert table[0] == ("N", "cut")
    assert table[1] == ("0", "100 %")
    assert table[-1] == ("10 min", "<0.01 %")
    assert len(table) <= 13


@pytest.mark.parametrize(
    ("headroom", "said"),
    [
        (50.0, "covers every rise shown"),
        (1.0, "covers the rise in fewer than 50 % of all moments"),
        (10.0, "covers the rise in 90 % of all moments"),
    ],
)
def test_what_the_headroom_covers(headroom: float, said: str) -> None:
    chart = replace(plans.growth(), headroom=headroom, today_headroom=None)
    assert captions.growth_follows(chart) == f"The headroom proposed, {headroom:g} requests/s, {said}."


def test_today_is_compared_where_it_differs() -> None:
    said = captions.growth_follows(plans.growth())
    assert said.endswith("; today's, 10 requests/s, covers the rise in 90 % of all moments.")
    assert "today" not in captions.growth_follows(replace(plans.growth(), today_headroom=25.0))


def test_a_start_without_a_probe() -> None:
    chart = replace(plans.startup(), probe_s=None, today_probe_s=None)
    assert "probe" not in captions.startup_follows(chart)
    assert "probe" not in captions.startup_reads(chart)
    assert "starts 30 s after the order at p90" in captions.startup_reads(plans.startup())
