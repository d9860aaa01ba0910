"""`headrace render`: the Kubernetes objects of a ModelFleet file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FORMS = ("plain", "kustomize", "helm")
"""As in `render.asked`, which takes numpy to import."""
PARTS = ("deployment", "service", "pdb", "autoscaler", "rules", "dashboard", "gitops")


def render(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="A ModelFleet file with a server section; FILE#NAME takes one fleet of several.",
        ),
    ],
    form: Annotated[
        str,
        typer.Option(
            "--form",
            metavar="FORM",
            help=f"One of {', '.join(FORMS)} (values for a chart of yours).",
        ),
    ] = "plain",
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="PARTS",
            show_default=False,
            help=f"Some of {', '.join(PARTS)}, parted by commas. All unless given; gitops holds pieces for objects of "
            "yours (Argo CD, Flux), and stands in the stream only where it is named.",
        ),
    ] = None,
    patch: Annotated[
        bool,
        typer.Option(
            "--patch",
            metavar="",
            help="A strategic-merge patch for a Deployment of the fleet's name that stands already, instead of one.",
        ),
    ] = False,
    out_dir: Annotated[
        str | None,
        typer.Option(
            "--out-dir",
            metavar="DIR",
            show_default=False,
            help="Write files there instead of one stream on stdout; the directory is made where it is missing.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", metavar="", help="Overwrite files in --out-dir that say something else."),
    ] = False,
    kubernetes: Annotated[
        str,
        typer.Option("--kubernetes", metavar="RELEASE", help="Release of the cluster; its API is written."),
    ] = "1.34",
) -> None:
    """The objects that run a fleet on Kubernetes, each number with a comment that says where it came from.

    Deployment, Service, PodDisruptionBudget, autoscaler, alerts, dashboard. The same file gives the same bytes.
    Apply with: headrace render FILE | kubectl apply -f -
    """
    from headrace.cli.rendered import print_stream, wanted, write_files

    asked = wanted(form=form, only=only, patch=patch, out_dir=out_dir, force=force, kubernetes=kubernetes)
    if out_dir is None:
        print_stream(file, asked)
    else:
        write_files(file, asked, Path(out_dir), force)
