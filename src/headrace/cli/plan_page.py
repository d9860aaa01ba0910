"""The page of ``--report``: a plan's results as finished numbers and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from headrace.cli.figures import share_text
from headrace.decide.cures import phase_kind
from headrace.decide.cut import cut_curve
from headrace.decide.headroom import growth_quantile
from headrace.decide.startup import BEFORE_CONTAINER
from headrace.plan import words
from headrace.plan.holdout import Proof
from headrace.plan.outcome import Run
from headrace.plan.pooled import Pooled
from headrace.plan.proposal import Proposal
from headrace.report import plan_parts as parts
from headrace.report.chart import Clock, Timeline, Trace, moments_over
from headrace.report.figures import CutChart, GrowthChart, OccupancyChart, PhaseTimes, StartupChart
from headrace.report.forecast import Forecast
from headrace.report.write import write_plan_page
from headrace.simulate.fluid import Floats
from headrace.units import duration_text

CUT_STEP_S = 10.0
DOTS = 20_000
"""Samples of occupancy that a page carries at most."""


def write(
    path: Path,
    proposals: Sequence[Proposal],
    proofs: Sequence[Proof],
    shared: Pooled | None,
    notes: Sequence[str],
) -> None:
    """Put the page where ``--report`` says.

    Raises:
        InputError: It can't be written there.
    """
    names = ", ".join(made.name for made in proposals[:3]) + (", …" if len(proposals) > 3 else "")
    models = [_model(made, proofs[at] if at < len(proofs) else None) for at, made in enumerate(proposals)]
    targets = {made.ask.fleet.slo.over_ratio for made in proposals}
    asked = " and ".join(share_text(target) for target in sorted(targets))
    page = parts.PlanPage(
        f"headrace plan: {names}",
        (f"Asked for: at most {asked} of requests may meet a full fleet.",),
        models,
        [] if shared is None else [_pool(shared)],
        notes,
    )
    write_plan_page(path, page)


def _model(made: Proposal, proven: Proof | None) -> parts.ModelPart:
    scale = made.fleet.scale
    told = words.differences(made)
    demand = made.ask.past.demand
    return parts.ModelPart(
        name=made.name,
        verdict=words.verdict(made, proven),
        subtitle=_subtitle(made),
        replicas=f"{scale.min_replicas:,} – {scale.max_replicas:,}",
        numbers=[
            parts.Number(number.name, number.text, words.sentence(number.why), number.data, number.today)
            for number in made.numbers
        ],
        outcomes=[_outcome(run, made) for run in made.runs],
        difference=told[0] if made.today is not None else "",
        over_time=_over_time(made),
        forecast=_forecast(made),
        occupancy=_occupancy(made),
        cut=_cut(made),
        startup=_startup(made),
        growth=_growth(made, demand.unit or "demand"),
        hold_out=None if proven is None else _hold_out(proven),
        no_today=""
        if made.today is not None
        else "What runs today is not known: --today says it, or Prometheus.",
        notes=(*made.notes, *told[1 if made.today is not None else 0 :]),
    )


def _subtitle(made: Proposal) -> tuple[str, ...]:
    setting, past = made.base.setting, made.ask.past
    cards = "1 accelerator" if setting.accelerators == 1 else f"{setting.accelerators} accelerators"
    return (
        f"Demand: {_days(past.demand.span_s)}, {len(past.demand):,} values {duration_text(past.demand.step_s)} apart.",
        (
            f"Judged: the last {made.proposed.outcome.days:.3g} days, in ticks of {duration_text(setting.tick_s)}; "
            f"{cards} a replica, start-up {duration_text(round(setting.startup_s, 1))}, metric lag "
            f"{duration_text(setting.lag_s)}."
        ),
    )


def _days(span_s: float) -> str:
    return f"{span_s / 86_400.0:.3g} days"


def _outcome(run: Run, made: Proposal) -> parts.Outcome:
    shown = run.outcome
    kind: parts.Kind = "bound" if shown.is_bound else "proposed" if run is made.proposed else "today"
    cut = None if math.isnan(shown.cut_streams) else (shown.cut_streams_least, shown.cut_streams)
    return parts.Outcome(
        shown.name, kind, shown.minutes_over, shown.requests_over, shown.over_ratio, shown.gpu_hours, cut
    )


def _clock(made: Proposal) -> Clock:
    return "utc" if made.ask.past.zone else "day"


def _over_time(made: Proposal) -> Timeline:
    judged, per_replica = made.judged, made.base.setting.per_replica
    times_s: Floats = judged.start_s + np.arange(len(judged), dtype=np.float64) * judged.step_s
    traces = []
    for run in (made.today, made.proposed):
        if run is not None:
            ready, starting, draining = run.replicas * per_replica
            name = "proposed" if run is made.proposed else "today"
            over_s = moments_over(times_s, judged.step_s, judged.values, ready)
            traces.append(Trace(name, ready, starting, draining, over_s))
    unit = made.ask.past.demand.unit or "demand"
    return Timeline(times_s, judged.step_s, _clock(made), judged.values, unit, traces)


def _forecast(made: Proposal) -> Forecast | parts.Missing:
    tried = made.quality
    if tried is None:
        return parts.Missing("A forecast needs more days of demand to be tried on.")
    follows = " ".join(words.sentence(note) for note in tried.notes)
    return Forecast(
        tried.times_s, tried.step_s, tried.expected, tried.upper, tried.level, tried.ahead_s, follows=follows
    )


def _occupancy(made: Proposal) -> OccupancyChart | parts.Missing:
    seen = made.ask.past.occupancy
    if seen is None or not len(seen):
        return parts.Missing(
            "Running and waiting requests are not known: --occupancy FILE, or --prometheus, has them."
        )
    every = -(-len(seen) // DOTS)
    slots = float(made.base.goal.slots)
    today = made.ask.today
    todays = None if today is None or today.target_ratio >= 1.0 else today.target_ratio * slots
    return OccupancyChart(
        seen.running[::every], seen.waiting[::every], slots, made.base.goal.ratio * slots, todays
    )


def _cut(made: Proposal) -> CutChart | parts.Missing:
    durations = made.ask.past.durations
    if durations is None:
        return parts.Missing(
            "How long requests take is not known: --durations FILE, or --prometheus, has it."
        )
    chosen = made.base.ending.drain_s
    drains_s: Floats = np.arange(0.0, max(600.0, 2.0 * chosen) + 1.0, CUT_STEP_S)
    least, most = cut_curve(durations, drains_s)
    today = None if made.ask.today is None else made.ask.today.drain_s
    return CutChart(drains_s, least, most, chosen, today)


def _startup(made: Proposal) -> StartupChart | parts.Missing:
    phases = made.fleet.start.phases
    if len(phases) == 1:
        whole = duration_text(round(phases[0].median_s, 1))
        return parts.Missing(
            f"Start-up is known as one figure, {whole}; its phases in a --fleet file show what can be shortened."
        )
    times = [
        PhaseTimes(phase.name, phase.median_s, phase.p90_s, phase_kind(phase.name) not in BEFORE_CONTAINER)
        for phase in phases
    ]
    return StartupChart(times, float(made.probe.budget_s))


def _growth(made: Proposal, unit: str) -> GrowthChart | parts.Missing:
    setting, demand = made.base.setting, made.ask.demand
    within_s = setting.lag_s + setting.startup_s + setting.tick_s
    steps = max(1, round(within_s / demand.step_s))
    quantiles: Floats = 1.0 - 10.0 ** -np.linspace(0.3, 4.0, 60)
    rises = np.array([growth_quantile(demand.values, steps, float(q)) for q in quantiles])
    if np.isnan(rises).any():
        return parts.Missing("Too little demand is known to say how fast it grows.")
    held = made.tuned.cost_ratio - 1.0
    return GrowthChart(quantiles, 100.0 * rises, "% of the demand of the moment", within_s, 100.0 * held)


def _hold_out(proven: Proof) -> parts.HoldOut:
    days = proven.kept.outcome.days
    planned = proven.planned.ask.demand.span_s / 86_400.0
    return parts.HoldOut(
        " ".join(
            (
                f"Planned on the first {planned:.3g} days, proved on the {days:.3g} after them.",
                *words.holdout_notes(proven),
            )
        ),
        [
            parts.Promise(
                promise.what,
                words.promise_text(promise, promise.promised),
                words.promise_text(promise, promise.kept),
                promise.tolerance,
                promise.held,
            )
            for promise in proven.promises
        ],
    )


def _pool(shared: Pooled) -> parts.Pool:
    seconds = shared.days * 86_400.0
    return parts.Pool(
        "the pool",
        shared.accelerators,
        shared.pool.tight_ratio,
        " ".join(words.pool_notes(shared)),
        [
            parts.Lack(
                lack.name,
                lack.short_ratio * seconds / 60.0,
                float(lack.most * size),
                lack.lacking * lack.short_ratio * seconds / 3600.0 * size,
            )
            for lack, size in zip(shared.pool.lacks, shared.sizes, strict=True)
        ],
    )
