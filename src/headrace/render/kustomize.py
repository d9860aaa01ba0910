"""kustomize: a base with all objects, or a component that patches a Deployment of the user's and adds the rest."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.render.dashboard import dashboard_json
from headrace.render.noted import Noted, Tree
from headrace.render.objects import Object
from headrace.render.setting import Setting
from headrace.render.yaml_text import yaml_text


def files(setting: Setting, made: Sequence[Object]) -> dict[str, str]:
    """kustomization.yaml and what it names; the dashboard as JSON, of which kustomize makes the ConfigMap."""
    written = {_path(each): yaml_text(each.tree) for each in made if each.part != "dashboard"}
    if any(each.part == "dashboard" for each in made):
        written["dashboard.json"] = dashboard_json(setting)
    return {"kustomization.yaml": yaml_text(_kustomization(setting, made)), **written}


def _path(made: Object) -> str:
    return f"gitops/{made.file}.yaml" if made.part == "gitops" else f"{made.file}.yaml"


def _is_patch(made: Object) -> bool:
    return made.part == "deployment" and not made.is_whole


def _kustomization(setting: Setting, made: Sequence[Object]) -> dict[str, Tree]:
    resources: list[Tree] = [_path(each) for each in made if each.is_whole and each.part != "dashboard"]
    # by target, since a parent that sets the namespace does so after its components have patched
    target: Tree = {"group": "apps", "kind": "Deployment", "name": setting.name}
    patches: list[Tree] = [{"path": _path(each), "target": target} for each in made if _is_patch(each)]
    tree: dict[str, Tree] = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
    }
    if setting.asked.patch:
        note = (
            "Add this folder under components: of the kustomization that has the Deployment "
            f"{setting.name}; a component patches what its parent has."
        )
        tree = {"apiVersion": Noted("kustomize.config.k8s.io/v1alpha1", note), "kind": "Component"}
    if resources:
        tree["resources"] = resources
    if patches:
        tree["patches"] = patches
    if any(each.part == "dashboard" for each in made):
        tree["configMapGenerator"] = [_dashboard(setting)]
    return tree


def _dashboard(setting: Setting) -> dict[str, Tree]:
    made: dict[str, Tree] = {"name": f"{setting.name}-dashboard"}
    if setting.server.namespace:
        made["namespace"] = setting.server.namespace
    made["files"] = [f"{setting.name}.json=dashboard.json"]
    made["options"] = {
        "disableNameSuffixHash": True,
        "labels": {
            **setting.labels,
            "grafana_dashboard": Noted("1", "Grafana's sidecar loads what carries this label."),
        },
    }
    return made
