"""Pages of plans to test with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headrace.report.chart import Timeline, Trace, moments_over
from headrace.report.figures import CutChart, GrowthChart, OccupancyChart, PhaseTimes, StartupChart
from headrace.report.forecast import Forecast
from headrace.report.plan_parts import (
    HoldOut,
    Lack,
    Missing,
    ModelPart,
    Number,
    Outcome,
    PlanPage,
    Pool,
    Promise,
)

START_S = 1_709_251_200.0
"""2024-03-01 00:00 UTC."""


def timeline(n: int = 1440, step_s: float = 60.0, seed: int = 1) -> Timeline:
    """A day of demand, today's capacity flat and the proposed one close above it; it is over where demand jumps."""
    rng = np.random.default_rng(seed)
    times = START_S + np.arange(n, dtype=np.float64) * step_s
    demand = np.round(100 - 60 * np.cos(np.arange(n) / n * 2 * np.pi) + rng.normal(0, 6, n), 2)
    traces = []
    for policy, ready in (
        ("today", np.full(n, 150.0)),
        ("proposed", 7.5 * np.ceil(np.roll(demand, 1) / 7.5 + 1.5)),
    ):
        coming = 7.5 * rng.integers(0, 2, n).astype(np.float64)
        over_s = moments_over(times, step_s, demand, ready)
        traces.append(Trace(policy, ready, coming, coming, over_s))
    return Timeline(times, step_s, "utc", demand, "requests/s", traces)


def forecast(n: int = 150) -> Forecast:
    """In windows of ten minutes, an hour beyond the end of the demand."""
    times = START_S + np.arange(n, dtype=np.float64) * 600.0
    expected = 100 - 60 * np.cos(np.arange(n) / 144 * 2 * np.pi)
    return Forecast(times, 600.0, expected, expected * 1.15, 0.95, 720.0)


def occupancy() -> OccupancyChart:
    """Nothing waits up to 40 of 64 slots; above, ever more."""
    running = np.arange(0.0, 65.0).repeat(20)
    waiting = np.maximum(0.0, running - 40.0) ** 1.5
    return OccupancyChart(running, waiting, 64.0, 40.0, 57.0)


def cut() -> CutChart:
    """Falls by a factor e every 30 s."""
    n_s = np.arange(0.0, 601.0, 30.0)
    share = np.exp(-n_s / 30.0)
    return CutChart(n_s, share, share, 150.0, 30.0)


def startup() -> StartupChart:
    """Two minutes at the median; the container starts at 30 s when slow."""
    phases = (
        PhaseTimes("image", 10.0, 30.0, False),
        PhaseTimes("weights", 80.0, 100.0, True),
        PhaseTimes("graphs", 30.0, 50.0, True),
    )
    return StartupChart(phases, 300.0, 120.0)


def growth() -> GrowthChart:
    """A tenth of a request for each step towards rarity."""
    quantiles = 1 - 10 ** -np.linspace(0.3, 4.0, 60)
    return GrowthChart(quantiles, -10.0 * np.log10(1 - quantiles), "requests/s", 250.0, 25.0, 10.0)


def model(name: str = "chat") -> ModelPart:
    """Everything is there."""
    return ModelPart(
        name=name,
        verdict=f"Run {name} on 4 to 54 replicas.",
        subtitle=("14 days of demand.", "Read from a file."),
        replicas="4 – 54",
        numbers=(
            Number("min", "4", "The quietest hour needs 4.", "14 days of demand", "2"),
            Number("headroom", "0.3", "The smallest that keeps the target.", "replay of 7 days"),
            Number("drain N", "150 s", "The smallest that cuts at most 1 %.", "40,000 durations", "30 s"),
        ),
        outcomes=(
            Outcome("today", "today", 0.0, 0.0, 0.0, 14_668.0, (8_123.0, 8_123.0)),
            Outcome("proposed", "proposed", 65.5, 110_871.0, 0.0009, 10_214.0, (120.0, 640.0)),
            Outcome("bound: knows the future", "bound", 0.0, 0.0, 0.0, 7_936.0),
        ),
        difference="4,454 GPU-hours fewer.",
        over_time=timeline(),
        forecast=forecast(),
        occupancy=occupancy(),
        cut=cut(),
        startup=startup(),
        growth=growth(),
        hold_out=HoldOut(
            "Planned on 7 days, proved on 7.",
            (
                Promise("minutes over", "at most 70", "71.7", "+20 %", True),
                Promise("requests over", "at most 0.1 %", "0.14 %", "+20 %", False),
            ),
        ),
        notes=("Two windows were left out.",),
    )


def bare(name: str = "embed") -> ModelPart:
    """Nothing is there that may be missing."""
    whole = model(name)
    return replace(
        whole,
        numbers=tuple(replace(number, today="") for number in whole.numbers),
        outcomes=whole.outcomes[1:],
        difference="",
        over_time=Missing("Give a demand history."),
        forecast=Missing("A forecast needs two days."),
        occupancy=Missing("Give --occupancy."),
        cut=Missing("Give --durations."),
        startup=Missing("Measure the phases."),
        growth=Missing("Demand of one hour is too short."),
        hold_out=None,
        notes=(),
    )


def page(*models: ModelPart) -> PlanPage:
    """A page of one model with everything, or of those given, which then share a pool."""
    lacks = [Lack(model.name, 12.0 * place, 4.0 * place, 9.5 * place) for place, model in enumerate(models)]
    pools = (Pool("H100", 160, 0.0312, "The last one waits.", lacks),) if len(models) > 1 else ()
    shown = models or (model(),)
    return PlanPage("A plan", ("Made of 14 days.",), shown, pools, ("A target of 0.1 % was asked for.",))
