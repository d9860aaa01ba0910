"""Helm values for a chart of the user's: the same trees under one key, for ``toYaml`` in its templates.

The layout of no other chart is followed. Each value is a piece of an object's spec under the name that Kubernetes gives
it, so a template takes it with one line: ``{{- toYaml .Values.headrace.pod | nindent 6 }}``.
"""

from __future__ import annotations

from headrace.render import pod
from headrace.render.autoscaler import autoscaler
from headrace.render.command import arguments, command
from headrace.render.deployment import deployment
from headrace.render.ignored import is_ignored
from headrace.render.noted import Noted, Tree
from headrace.render.rules import prometheus_rule
from headrace.render.service import budget, service
from headrace.render.setting import Setting
from headrace.render.yaml_text import yaml_text

_HEAD = (
    "Made by headrace render --form helm. Every value is a piece of an object's spec; docs/render.md has "
    "the lines of a template that take them."
)


def values(setting: Setting) -> str:
    """values.yaml."""
    lines = yaml_text({"headrace": Noted(_values(setting), _HEAD)}).splitlines(keepends=True)
    # what is said to lint is said of manifests, and these are none
    return "".join(line for line in lines if not is_ignored(line))


def _values(setting: Setting) -> dict[str, Tree]:
    wants = setting.asked.wants
    made: dict[str, Tree] = {"name": setting.name, "labels": setting.labels}
    if wants("deployment"):
        spec = _spec(deployment(setting))
        made["deployment"] = {
            key: value for key, value in spec.items() if key not in ("template", "selector")
        }
        whole = pod.pod_spec(setting)
        made["pod"] = {key: value for key, value in whole.items() if key not in ("containers", "volumes")}
        made["volumes"] = pod.volumes(setting)
        made["container"] = {
            **{key: value for key, value in pod.container(setting).items() if key != "name"},
            "command": list(command(setting)),
            "args": arguments(setting),
        }
    if wants("service"):
        made["service"] = _spec(service(setting))
    if wants("pdb"):
        made["podDisruptionBudget"] = _spec(budget(setting))
    if wants("autoscaler") and setting.is_scaled:
        made["autoscaler"] = autoscaler(setting)
    if wants("rules"):
        made["prometheusRule"] = _spec(prometheus_rule(setting))
    return made


def _spec(tree: dict[str, Tree]) -> dict[str, Tree]:
    spec = tree["spec"]
    assert isinstance(spec, dict)
    return spec
