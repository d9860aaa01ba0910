"""`headrace plan`: from weeks of real traffic to the numbers to run with."""

from __future__ import annotations

import typer

from headrace.cli import options
from headrace.cli import past_options as past
from headrace.cli import plan_options as of
from headrace.cli.plan_wanted import plan_wanted


def plan(
    files: past.Files = None,
    example: past.Example = None,
    time_column: past.TimeColumn = None,
    value_column: past.ValueColumn = None,
    access_logs: past.AccessLogs = None,
    durations: past.Durations = None,
    occupancies: past.Occupancies = None,
    duration_column: past.DurationColumn = None,
    duration_unit: past.DurationUnit = None,
    start_column: past.StartColumn = None,
    end_column: past.EndColumn = None,
    running_column: past.RunningColumn = None,
    waiting_column: past.WaitingColumn = None,
    replicas_column: past.ReplicasColumn = None,
    kv_column: past.KvColumn = None,
    time_zone: past.TimeZone = None,
    url: past.Url = None,
    selector: past.Selector = None,
    since_s: past.Since = None,
    until: past.Until = None,
    step_s: past.Step = None,
    metrics: past.Metrics = None,
    query: past.Query = None,
    by: past.By = None,
    demand: past.DemandUnit = None,
    timeout_s: past.Timeout = None,
    no_cache: past.NoCache = False,
    token_file: past.TokenFile = None,
    token_variable: past.TokenVariable = None,
    user: past.User = None,
    password_file: past.PasswordFile = None,
    password_variable: past.PasswordVariable = None,
    headers: past.Headers = None,
    headers_file: past.HeadersFile = None,
    tenant: past.Tenant = None,
    ca_file: past.CaFile = None,
    fleet: of.Fleet = None,
    slots: of.Slots = None,
    per_replica: of.PerReplica = None,
    kv_tokens: of.KvTokens = None,
    tokens_per_request: of.TokensPerRequest = None,
    accelerators: of.Accelerators = None,
    startup_s: of.Startup = None,
    engine: of.Engine = None,
    over: of.Over = None,
    surge: of.Surge = None,
    target: of.Target = None,
    least: of.Min = None,
    most: of.Max = None,
    pool: of.Pool = None,
    lag_s: of.Lag = None,
    tick_s: of.Tick = None,
    prompts: of.Prompts = None,
    prompt_column: of.PromptColumn = None,
    prefill_rate: of.PrefillRate = None,
    first_token_s: of.FirstToken = None,
    chunk: of.Chunk = None,
    drain_range: of.DrainRange = None,
    drain_cut: of.DrainCut = None,
    between: of.Between = None,
    keep_dips: past.KeepDips = False,
    seed: of.Seed = None,
    today: of.Today = None,
    today_min: of.TodayMin = None,
    today_max: of.TodayMax = None,
    today_drain_s: of.TodayDrain = None,
    holdout_s: of.HoldOut = None,
    tolerance: of.Tolerance = None,
    out: of.Out = None,
    report: of.Report = None,
    as_json: of.AsJson = False,
    interpret: options.Interpret = False,
    quiet: of.Quiet = False,
) -> None:
    """From weeks of real traffic to the numbers to run a model with, each with its reason.

    Headroom is found by running the past again through the scaling rule: the smallest that keeps --over. With
    --holdout the plan is made on the first part of the past and proven on the rest.
    """
    typed = dict(locals())
    asked = plan_wanted(typed)
    # Imported only now: numpy and the rest take longer than all of --help.
    from headrace.cli.plan_show import show

    if not show(asked):
        raise typer.Exit(1)
