"""What GitOps controllers must be told where an autoscaler owns `replicas`: pieces for objects of the user's."""

from __future__ import annotations

from headrace.render.noted import Noted, Tree
from headrace.render.setting import Setting

_HAND_OVER = (
    "Where replicas stood in the manifest before: hand the field over first, or its removal sets the count "
    "to 1 (docs/render.md says how)."
)


def argo_application(setting: Setting) -> dict[str, Tree]:
    """What the Argo CD Application must hold, as a patch of it; its name is the user's."""
    note = (
        "For the Argo CD Application that applies this fleet: merge spec into it.\nWithout "
        "ignoreDifferences it shows the fleet OutOfSync; without RespectIgnoreDifferences a sync still "
        f"resets the count. {_HAND_OVER}"
    )
    difference: dict[str, Tree] = {"group": "apps", "kind": "Deployment", "name": setting.name}
    if setting.server.namespace:
        difference["namespace"] = setting.server.namespace
    difference["jsonPointers"] = ["/spec/replicas"]
    return {
        "apiVersion": Noted("argoproj.io/v1alpha1", note),
        "kind": "Application",
        "spec": {
            "ignoreDifferences": [difference],
            "syncPolicy": {"syncOptions": ["RespectIgnoreDifferences=true"]},
        },
    }


def flux_kustomization(setting: Setting) -> dict[str, Tree]:
    """What the Flux Kustomization must hold."""
    note = (
        "For the Flux Kustomization that applies this fleet: merge spec into it.\nFlux applies on the "
        "server's side and leaves fields alone that its manifest doesn't have, so a fleet rendered without "
        "replicas needs nothing. The annotation keeps it so where an older apply or kubectl owned the "
        f"field. {_HAND_OVER}"
    )
    patch = (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {setting.name}\n  annotations:\n    "
        "kustomize.toolkit.fluxcd.io/ssa: Merge\n"
    )
    target: Tree = {"group": "apps", "kind": "Deployment", "name": setting.name}
    return {
        "apiVersion": Noted("kustomize.toolkit.fluxcd.io/v1", note),
        "kind": "Kustomization",
        "spec": {"patches": [{"target": target, "patch": patch}]},
    }


def flux_helm_release(setting: Setting) -> dict[str, Tree]:
    """What the Flux HelmRelease must hold where drift is corrected."""
    note = "For the Flux HelmRelease of a chart that holds this fleet, where driftDetection is on: merge spec into it."
    return {
        "apiVersion": Noted("helm.toolkit.fluxcd.io/v2", note),
        "kind": "HelmRelease",
        "spec": {
            "driftDetection": {
                "mode": "enabled",
                "ignore": [
                    {"paths": ["/spec/replicas"], "target": {"kind": "Deployment", "name": setting.name}},
                ],
            }
        },
    }
