"""Objects as text: one stream for kubectl, or the files of a form."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.render import helm, kustomize
from headrace.render.asked import Asked
from headrace.render.dashboard import dashboard_json
from headrace.render.objects import objects, setting
from headrace.render.yaml_text import yaml_text
from headrace.spec import ModelFleet


def stream(fleets: Sequence[ModelFleet], asked: Asked) -> str:
    """One text: plain objects by ``---`` as ``kubectl apply -f -`` takes them, or Helm values of one fleet.

    Pieces of other people's objects (`gitops`, a patch) are in it only where they are asked for by name.
    """
    if asked.form == "helm":
        return "".join(helm.values(setting(fleet, asked)) for fleet in fleets)
    wanted = [
        made
        for fleet in fleets
        for made in objects(fleet, asked)
        if made.is_whole or made.part in asked.only or made.part == "deployment"
    ]
    return "---\n".join(yaml_text(made.tree) for made in wanted)


def files(fleets: Sequence[ModelFleet], asked: Asked) -> dict[str, str]:
    """Relative paths and texts, as ``--out-dir`` writes them: a folder for each fleet where there are several."""
    made: dict[str, str] = {}
    for fleet in fleets:
        folder = f"{fleet.name}/" if len(fleets) > 1 else ""
        made |= {folder + path: text for path, text in _files(fleet, asked).items()}
    return made


def _files(fleet: ModelFleet, asked: Asked) -> dict[str, str]:
    of = setting(fleet, asked)
    if asked.form == "helm":
        return {"values.yaml": helm.values(of)}
    if asked.form == "kustomize":
        return kustomize.files(of, objects(fleet, asked))
    made = {_place(each.file, each.part): yaml_text(each.tree) for each in objects(fleet, asked)}
    if asked.wants("dashboard"):
        made["dashboard.json"] = dashboard_json(of)
    return made


def _place(file: str, part: str) -> str:
    """Pieces for other people's objects stand apart, so that ``kubectl apply -f`` of the folder does not send them."""
    return f"gitops/{file}.yaml" if part == "gitops" else f"{file}.yaml"
