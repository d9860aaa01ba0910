"""`headrace forecast`: the next hour of demand, and how far such a forecast can be trusted."""

from __future__ import annotations

from headrace.cli import forecast_options as of
from headrace.cli import past_options as past
from headrace.cli.forecast_wanted import forecast_wanted


def forecast(
    files: past.Files = None,
    example: past.Example = None,
    time_column: past.TimeColumn = None,
    value_column: past.ValueColumn = None,
    access_logs: past.AccessLogs = None,
    duration_column: past.DurationColumn = None,
    duration_unit: past.DurationUnit = None,
    start_column: past.StartColumn = None,
    end_column: past.EndColumn = None,
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
    backtest: of.Backtest = False,
    ahead_s: of.Ahead = None,
    level: of.Level = None,
    keep_dips: past.KeepDips = False,
    seed: of.Seed = None,
    as_json: of.AsJson = False,
    quiet: of.Quiet = False,
) -> None:
    """Forecast demand: what is expected of the next hour, and what is rarely exceeded.

    With --backtest the later part of the past is forecast, each window from what was known before it, and compared with
    what came.
    """
    typed = dict(locals())
    asked = forecast_wanted(typed)
    # Imported only now: numpy and the rest take longer than all of --help.
    from headrace.cli.forecast_show import show

    show(asked)
