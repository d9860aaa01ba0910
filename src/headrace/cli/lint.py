"""`headrace lint`: what goes wrong with model servers, found in manifests."""

from __future__ import annotations

from typing import Annotated

import typer

FORMATS = ("text", "json", "sarif", "github")


def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH… | -",
            show_default=False,
            help="Files and folders (*.yaml, *.yml, *.json below them); - reads standard input, such as the output of "
            "helm template or kustomize build. Files of one folder are read together.",
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")
    ] = "text",
    fix: Annotated[
        bool,
        typer.Option("--fix", metavar="", help="Print what is certain to mend as a patch for git apply."),
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", metavar="", help="With --fix: change the files instead.")
    ] = False,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            metavar="RULES",
            show_default=False,
            help="Only these rules or families (drain), by commas.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="RULES", show_default=False, help="Not these rules or families."),
    ] = None,
    severity: Annotated[
        str, typer.Option("--severity", metavar="LEVEL", help="Show from here up: error, warning or info.")
    ] = "info",
    confidence: Annotated[
        str, typer.Option("--confidence", metavar="LEVEL", help="Show from here up: high, medium or low.")
    ] = "low",
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on", metavar="LEVEL", help="Exit 1 from here up: error, warning, info or never."
        ),
    ] = "warning",
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", metavar="FILE", show_default=False, help="Leave out what this file holds."
        ),
    ] = None,
    write_baseline: Annotated[
        str | None,
        typer.Option(
            "--write-baseline", metavar="FILE", show_default=False, help="Write all findings there, exit 0."
        ),
    ] = None,
    fleet: Annotated[
        list[str] | None,
        typer.Option(
            "--fleet",
            metavar="FILE",
            show_default=False,
            help="ModelFleet files: measured start-up, N and slots of the workloads of their names.",
        ),
    ] = None,
    start_up: Annotated[
        str | None,
        typer.Option(
            "--start-up", metavar="TIME", show_default=False, help="Measured start-up of all others (6m)."
        ),
    ] = None,
    accelerators: Annotated[
        str | None,
        typer.Option(
            "--accelerators", metavar="N", show_default=False, help="Accelerators that can be scheduled."
        ),
    ] = None,
    tokens_per_request: Annotated[
        str | None,
        typer.Option(
            "--tokens-per-request",
            metavar="N",
            show_default=False,
            help="Tokens that a running request holds, in the mean: with kvTokens of a fleet, what its cache holds.",
        ),
    ] = None,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="RULE", show_default=False, help="A rule's page.")
    ] = None,
    list_rules: Annotated[
        bool, typer.Option("--list-rules", metavar="", help="All rules, a line each.")
    ] = False,
) -> None:
    """Find what cuts streams, ends in an outage or wastes accelerators, in manifests of model servers.

    Reads files only: no cluster, no account. Exit 1 where something at or above --fail-on is found.

    For CI: headrace lint --format github k8s/ ; with Helm: helm template . | headrace lint -
    """
    from headrace.cli.linted import explain_rule, lint_paths, print_rules, wanted

    if list_rules:
        print_rules()
        return
    if explain is not None:
        explain_rule(explain)
        return
    asked = wanted(
        form=form,
        fix=fix,
        write=write,
        select=select or [],
        ignore=ignore or [],
        severity=severity,
        confidence=confidence,
        fail_on=fail_on,
        baseline=baseline,
        write_baseline=write_baseline,
        fleet=fleet or [],
        start_up=start_up,
        accelerators=accelerators,
        tokens_per_request=tokens_per_request,
    )
    if lint_paths(paths or [], asked):
        raise typer.Exit(1)
