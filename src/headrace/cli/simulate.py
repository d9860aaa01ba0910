"""`headrace simulate`: a demand history through every policy."""

from __future__ import annotations

from headrace.cli import options, writing
from headrace.cli.wanted import Wanted, wanted


def simulate(
    file: options.File = None,
    example: options.Example = None,
    time_column: options.TimeColumn = None,
    value_column: options.ValueColumn = None,
    days: options.Days = None,
    learn: options.Learn = None,
    between: options.Between = None,
    keep_dips: options.KeepDips = False,
    noise: options.Noise = False,
    surge: options.Surges = None,
    seed: options.Seed = None,
    fleet: options.Fleet = None,
    per_replica: options.PerReplica = None,
    replicas: options.Replicas = None,
    accelerators: options.Accelerators = None,
    startup: options.Startup = None,
    drain: options.Drain = None,
    lag: options.Lag = None,
    tick: options.Tick = None,
    policy: options.Policies = None,
    over: options.Over = None,
    removal: options.Removal = None,
    sweep: options.Sweep = False,
    as_json: options.AsJson = False,
    chart: options.Chart = None,
    interpret: options.Interpret = False,
    quiet: options.Quiet = False,
) -> None:
    """Run a demand history through every scaling policy and show what each costs and whom it fails.

    Policies are compared at equal service: each with as little headroom as keeps the share of requests that
    meet a full fleet within --over. The bound is what one would pay who knows the future.
    """
    typed: dict[str, object] = {
        "file": file,
        "example": example,
        "time_column": time_column,
        "value_column": value_column,
        "days": days,
        "learn_s": learn,
        "between": between,
        "keep_dips": keep_dips,
        "noise": noise,
        "surges": surge,
        "seed": seed,
        "fleet": fleet,
        "per_replica": per_replica,
        "replicas": replicas,
        "accelerators": accelerators,
        "startup_s": startup,
        "drain_s": drain,
        "lag_s": lag,
        "tick_s": tick,
        "policies": policy,
        "over_ratios": over,
        "removal": removal,
        "sweep": sweep,
        "as_json": as_json,
        "chart": chart,
        "interpret": interpret,
        "quiet": quiet,
    }
    _run(wanted(typed))


def _run(asked: Wanted) -> None:
    if asked.chart is not None:
        writing.require_writable("--chart", asked.chart)
    # Imported only now, and only what is needed: numpy and the rest take longer than all of --help.
    if asked.example == "seed-day":
        from headrace.cli.seed import show
    elif asked.sweep:
        from headrace.cli.sweep import show
    else:
        from headrace.cli.equal_service import show
    show(asked)
